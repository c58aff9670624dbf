"""The pass that lifts local functions to global functions."""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.fresh_names import unused
from relay.ir.module import Module
from relay.ir.types import FuncType, TypeVar
from relay.ir.walk import substitute
from relay.semantics.analysis.variables import free_type_vars
from relay.support.node import value
from relay.transform.forms.function_literal_rewriter import (
    LiteralRewriter,
    holds_literals,
    with_own_name,
)
from relay.transform.pipeline import Pass, is_optimizable


@value
class LambdaLift(Pass):
    """Replace function literals by global functions.

    Johnsson: Lambda Lifting (1985); here closures remain values.

    1. A literal that captures nothing becomes a global function, and is replaced by a reference to
       it.
    2. One that captures variables becomes `f(%a, %b)`: the global function `f` takes the captures
       and returns the literal.
    3. A recursive literal is rebuilt from its captures where its body refers to it.
    4. Type parameters of the enclosing functions become type parameters of `f`.
    5. Dimensions of enclosing scopes are captured with a parameter that has them. The literal is
       not lifted if there is no such parameter, because a `let` or a pattern binds the dimension.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with all literals lifted, the innermost first."""
        taken = set(module.functions)
        functions: dict[str, Function] = {}
        for name, function in module.functions.items():
            functions[name] = function
            if is_optimizable(function) and holds_literals(function):
                lifting = _Globals(name, function, taken)
                functions[name] = lifting.run()
                functions |= lifting.lifted
        return module.with_functions(functions)


class _Globals(LiteralRewriter):
    """A rewriter that lifts one function's literals; `lifted` holds the new global functions."""

    def __init__(self, name: str, function: Function, taken: set[str]) -> None:
        super().__init__(function)
        self.lifted: dict[str, Function] = {}
        self._name = name
        self._taken = taken

    def replacement(self, literal: Function, own: Var | None, captured: list[Var]) -> Expr:
        """Return a reference to the global function of a literal, or a call of it with captures."""
        of = _free_type_vars(literal, captured)
        hint = "fn" if own is None else own.name
        name = unused(f"{self._name}_{hint}", self._taken)
        if not captured and not of:  # case 1
            reference = GlobalVar(name, span=literal.span, ty=literal.ty)
            self.lifted[name] = with_own_name(literal, own, reference)
            return reference
        params = tuple(Var(var.name, var.type, span=var.span) for var in captured)
        ty = FuncType(tuple(var.type for var in params), literal.type, of)
        reference = GlobalVar(name, span=literal.span, ty=ty)
        again = Call(reference, params, type_arguments=of, span=literal.span, ty=literal.ty)
        inside = with_own_name(literal, own, again)  # case 3
        body = substitute(inside, dict[Var, Expr](zip(captured, params, strict=True)))
        self.lifted[name] = Function(params, body, literal.ty, of, span=literal.span, ty=ty)
        return Call(reference, tuple(captured), type_arguments=of, span=literal.span, ty=literal.ty)


def _free_type_vars(literal: Function, captured: Sequence[Var]) -> tuple[TypeVar, ...]:
    """Return the enclosing type parameters that a literal or its captures mention."""
    types = (part for var in captured for part in free_type_vars(var.type))
    return (*dict.fromkeys([*free_type_vars(literal), *types]),)

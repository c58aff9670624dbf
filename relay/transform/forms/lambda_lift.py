"""Make global functions of the functions that stand inside others."""

from collections import Counter
from collections.abc import Iterator
from typing import cast

from relay.ir.attributes import symbolic_attributes
from relay.ir.dims import DimVar, variables
from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Operator, Var
from relay.ir.module import Module
from relay.ir.told_names import tensor_names
from relay.ir.types import dim_variables
from relay.ir.walk import (
    binders,
    fold,
    free_vars,
    outside_kernels,
    post_order,
    substitute,
    with_children,
)
from relay.semantics.analysis.variables import free_type_vars
from relay.support.node import value
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.instances.type_map import unused
from relay.transform.pipeline import Pass, is_optimizable


@value
class LambdaLift(Pass):
    """Replace function literals by global functions.

    Johnsson: Lambda Lifting (1985); here closures stay values.

    1. A literal that captures nothing becomes a global function, and its place refers to it.
    2. One that captures variables becomes `f(%a, %b)`: the global function `f` takes what is
       captured and returns the literal.
    3. A recursive literal makes itself again, of what it has captured, where its body needs it.
    4. Type parameters of the functions around a literal are type parameters of `f`.
    5. Sizes that a literal knows from around it are captured with a parameter that has them. It
       stays in its place if there is no such parameter: they are those of a `let` or a pattern.
    """

    ensures = "function literals are global functions, or their bodies"

    def transform(self, module: Module) -> Module:
        """Lift the literals of all functions, the innermost first."""
        taken = set(module.functions)
        functions: dict[str, Function] = {}
        for name, function in module.functions.items():
            functions[name] = function
            if is_optimizable(function) and _holds_literals(function):
                lifting = _Lifting(name, ToBasicBlockForm().run(function), taken)
                functions[name] = lifting.run()
                functions |= lifting.lifted
        return module.with_functions(functions)


def _is_literal(expr: Expr) -> bool:
    return isinstance(expr, Function) and not expr.attrs


def _holds_literals(function: Function) -> bool:
    """Whether there is a literal beside the one that the function is asked to return."""
    order = post_order(function.body, edges=outside_kernels)
    return any(_is_literal(expr) for expr in order if expr is not function.body)


class _Lifting:
    """Lifts the literals of one function; `lifted` are the global functions made of them."""

    def __init__(self, name: str, function: Function, taken: set[str]) -> None:
        self.lifted: dict[str, Function] = {}
        self._name = name
        self._function = function
        self._taken = taken
        order = post_order(function, edges=outside_kernels)
        self._names = {id(e.value): e.var for e in order if isinstance(e, Let)}
        self._told = Counter(_told(order))
        self._params = _params_around(order)

    def run(self) -> Function:
        """Return the function without literals."""

        def visit(old: Expr, new: list[Expr]) -> Expr:
            expr = with_children(old, new) if new else old
            is_inside = _is_literal(old) and old is not self._function
            return self._lift(cast("Function", old), cast("Function", expr)) if is_inside else expr

        return cast("Function", fold(self._function, visit, edges=outside_kernels))

    def _lift(self, old: Function, literal: Function) -> Expr:
        """Return what stands in the place of a literal; inside of it nothing is left to lift."""
        own = self._names.get(id(old))
        captured = [var for var in free_vars(literal) if var is not own]
        sizes = self._params_with_sizes(old, literal, captured)
        if sizes is None:  # case 5
            return literal
        captured += sizes
        of = tuple(free_type_vars(literal))
        name = unused(f"{self._name}_{own.name if own else 'fn'}", self._taken)
        reference = GlobalVar(name, span=literal.span)
        if not captured and not of:  # case 1
            return self._global(name, literal, own)
        params = tuple(Var(var.name, var.type, span=var.span) for var in captured)
        inside = literal
        if own is not None:  # case 3
            again = Call(reference, params, type_args=of, span=literal.span, ty=literal.ty)
            inside = _with_own(literal, own, again)
        inside = cast("Function", substitute(inside, dict(zip(captured, params, strict=True))))
        function = Function(params, inside, literal.ty, of, span=literal.span)
        self.lifted[name] = function
        typed = GlobalVar(name, span=literal.span, ty=function.ty)
        return Call(typed, tuple(captured), type_args=of, span=literal.span, ty=literal.ty)

    def _global(self, name: str, literal: Function, own: Var | None) -> GlobalVar:
        reference = GlobalVar(name, span=literal.span, ty=literal.ty)
        self.lifted[name] = literal if own is None else _with_own(literal, own, reference)
        return reference

    def _params_with_sizes(
        self, old: Function, literal: Function, captured: list[Var]
    ) -> list[Var] | None:
        """Return parameters from around a literal that have the sizes it knows; None without."""
        missing = _names_in(literal) & self._told.keys()
        if not missing:
            return []
        inside = Counter(_told(post_order(old, edges=outside_kernels)))
        around = self._params[id(old)]
        missing = {name for name in missing if self._told[name] > inside[name]}
        found: list[Var] = []
        for name in sorted(missing, key=lambda each: each.name):
            if any(name in tensor_names(var.type) for var in (*captured, *found)):
                continue
            teller = next((var for var in around if name in tensor_names(var.type)), None)
            if teller is None:
                return None
            found.append(teller)
        return found


def _with_own(literal: Function, own: Var, value: Expr) -> Function:
    """Return a literal that binds the name by which it calls itself to a value, if it does."""
    if own not in free_vars(literal):
        return literal
    again = Var(own.name, own.annotation, span=own.span, ty=own.ty)
    inside = substitute(literal.body, {own: again})
    body = Let(again, value, inside, span=literal.span, ty=inside.ty)
    return cast("Function", with_children(literal, (*literal.params, body)))


def _told(order: list[Expr]) -> Iterator[DimVar]:
    """Yield the names of sizes that tensors which are bound have, once for each."""
    for expr in order:
        for var in binders(expr):
            yield from tensor_names(var.type)


def _names_in(literal: Function) -> set[DimVar]:
    found: set[DimVar] = set()
    for expr in post_order(literal, edges=outside_kernels):
        if isinstance(expr, Operator):
            found.update(*map(variables, symbolic_attributes(expr)))
        elif expr.ty is not None:
            found |= dim_variables(expr.ty)
    return found


def _params_around(order: list[Expr]) -> dict[int, tuple[Var, ...]]:
    """Return for each node the parameters of the functions around it, the innermost first."""
    around: dict[int, tuple[Var, ...]] = {id(order[-1]): ()}
    for expr in reversed(order):
        here = around[id(expr)]
        if isinstance(expr, Function):
            here = (*expr.params, *here)
        for child in outside_kernels(expr):
            around.setdefault(id(child), here)
    return around

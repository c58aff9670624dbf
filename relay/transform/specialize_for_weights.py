"""The pass that specialises functions to the constant weights that their callers pass."""

from typing import ClassVar, TypeGuard

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.walk import substitute
from relay.support.node import replace, value
from relay.transform.call_specializer import ConstantSpecializer, Passed
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import Pass


@value
class SpecializeForWeights(Pass):
    """Replace parameters by the constant tensors that callers pass for them.

    1. A call of a global function with constants of more than one element calls a copy of the
       function, in which the constants replace the parameters of their types. Calls in the copy
       are treated likewise, so weights that a recursion passes on are constants at every depth.
    2. A function has at most `limit` copies; calls beyond that pass their weights. Functions used
       as values stay as they are.
    """

    requires: ClassVar[Properties] = TYPED | {Property.MONOMORPHIC}

    entry: str = "main"
    limit: int = 64

    def transform(self, module: Module) -> Module:
        """Specialise all calls with constants; keep only functions reachable from the entry."""
        if self.entry not in module.functions:
            return module
        return _Copies(module, self.entry, self.limit).run()


class _Copies(ConstantSpecializer):
    def passed(self, call: Call, callee: GlobalVar) -> Passed:
        """Return the constant arguments of a call with their indices."""
        params = self.module[callee.name].params
        return tuple(
            (place, arg)
            for place, (arg, param) in enumerate(zip(call.args, params, strict=True))
            if _is_weight(arg) and param.ty is arg.ty
        )

    def copy(self, function: Function, passed: Passed) -> Function:
        """Return a copy of a function with the `passed` constants in place of parameters."""
        return _bound(function, dict(passed))

    def arguments(
        self, call: Call, callee: FuncType, passed: Passed
    ) -> tuple[list[Expr], FuncType]:
        """Return the arguments that are not specialised, and the type of the copy."""
        bound = dict(passed)
        params = [param for place, param in enumerate(callee.params) if place not in bound]
        args = [arg for place, arg in enumerate(call.args) if place not in bound]
        return args, replace(callee, params=tuple(params))


def _is_weight(arg: Expr) -> TypeGuard[Constant]:
    return isinstance(arg, Constant) and arg.array.size > 1


def _bound(function: Function, weights: dict[int, Constant]) -> Function:
    copy = with_fresh_variables(function)
    params = copy.params
    constants: dict[Var, Expr] = {params[place]: weights[place] for place in weights}
    rest = tuple(param for place, param in enumerate(params) if place not in weights)
    return replace(copy, params=rest, body=substitute(copy.body, constants), ty=None)

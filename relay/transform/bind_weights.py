"""Write functions for the weights with which they are called, where these can be prepared."""

from typing import TypeAlias, TypeGuard, cast

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.walk import outside_kernels, rewrite
from relay.support.node import replace, value
from relay.transform.fresh import fresh
from relay.transform.instances.named_copies import NamedCopies
from relay.transform.pipeline import Pass, is_optimizable

Weights: TypeAlias = tuple[tuple[int, Constant], ...]
"""Constants by the number of the parameter."""


@value
class BindWeights(Pass):
    """Replace parameters by the constant tensors that callers pass for them.

    1. A call of a global function with constants of more than one element calls a copy of the
       function, in which they stand for the parameters. Calls in the copy are treated alike, so
       weights that a recursion passes on are constants at every depth.
    2. A function has at most `limit` copies; calls beyond that pass their weights. Functions used
       as values stay as they are.
    """

    entry: str = "main"
    limit: int = 64

    def transform(self, module: Module) -> Module:
        """Return the module with the copies that the entry leads to."""
        if self.entry not in module.functions:
            return module
        return _Copies(module, self).run()


class _Copies:
    def __init__(self, module: Module, options: BindWeights) -> None:
        self._module = module
        self._options = options
        self._copies = NamedCopies[Weights](module)

    def run(self) -> Module:
        self._copies.name(self._options.entry, ())
        written = {
            name: self._written(self._module[function], weights)
            for name, function, weights in self._copies.waiting()
        }
        if all(written.get(name) is function for name, function in self._module.functions.items()):
            return self._module
        return self._module.with_functions(written)

    def _written(self, function: Function, weights: Weights) -> Function:
        if weights:
            function = _bound(function, dict(weights))
        return cast("Function", rewrite(function, self._rule))

    def _rule(self, expr: Expr) -> Expr:
        if isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
            expr = self._call(expr, expr.op)
            used = expr.args
        else:
            used = outside_kernels(expr)
        for each in used:
            if isinstance(each, GlobalVar):
                self._copies.name(each.name, ())
        return expr

    def _call(self, call: Call, callee: GlobalVar) -> Call:
        """Case 1."""
        weights = tuple((place, arg) for place, arg in enumerate(call.args) if _is_weight(arg))
        if not weights or not self._allows(callee.name, weights):
            self._copies.name(callee.name, ())
            return call
        name = self._copies.name(callee.name, weights)
        bound = {place for place, _ in weights}
        ty = cast("FuncType", callee.type)
        params = tuple(param for place, param in enumerate(ty.params) if place not in bound)
        args = tuple(arg for place, arg in enumerate(call.args) if place not in bound)
        var = replace(callee, name=name, ty=replace(ty, params=params))
        return Call(var, args, span=call.span, ty=call.ty)

    def _allows(self, name: str, weights: Weights) -> bool:
        """Case 2."""
        few = self._copies.has(name, weights) or self._copies.count(name) < self._options.limit
        return few and is_optimizable(self._module[name])


def _is_weight(arg: Expr) -> TypeGuard[Constant]:
    return isinstance(arg, Constant) and arg.data.size > 1


def _bound(function: Function, weights: dict[int, Constant]) -> Function:
    """Return a copy of a function with constants in the place of some parameters."""
    copy = fresh(function)
    params = copy.params
    constants = {params[place]: constant for place, constant in weights.items()}

    def rule(expr: Expr) -> Expr:
        return constants.get(expr, expr) if isinstance(expr, Var) else expr

    rest = tuple(param for place, param in enumerate(params) if place not in weights)
    return replace(copy, params=rest, body=rewrite(copy.body, rule), ty=None)

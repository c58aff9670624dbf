"""Write functions for the weights with which they are called, where these can be prepared."""

from collections import Counter
from typing import TypeAlias, TypeGuard, cast

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.walk import outside_kernels, rewrite
from relay.support.node import replace, value
from relay.transform.fresh import fresh
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

    def __call__(self, module: Module) -> Module:
        """Return the module with the copies that the entry leads to."""
        if self.entry not in module.functions:
            return module
        return _Copies(module, self).run()


class _Copies:
    def __init__(self, module: Module, options: BindWeights) -> None:
        self._module = module
        self._options = options
        self._names: dict[tuple[str, tuple[tuple[int, int], ...]], str] = {}
        self._waiting: list[tuple[str, Weights]] = []
        self._taken = set(module.functions)
        self._counts = Counter[str]()

    def run(self) -> Module:
        self._wanted(self._options.entry, ())
        written: dict[str, Function] = {}
        while self._waiting:
            name, weights = self._waiting.pop()
            written[self._name(name, weights)] = self._written(self._module[name], weights)
        if all(written.get(name) is function for name, function in self._module.functions.items()):
            return self._module
        return self._module.with_functions({n: written[n] for n in self._names.values()})

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
                self._wanted(each.name, ())
        return expr

    def _call(self, call: Call, callee: GlobalVar) -> Call:
        """Case 1."""
        weights = tuple((place, arg) for place, arg in enumerate(call.args) if _is_weight(arg))
        allowed = weights and is_optimizable(self._module[callee.name])
        name = self._wanted(callee.name, weights) if allowed else None
        if name is None:
            self._wanted(callee.name, ())
            return call
        bound = {place for place, _ in weights}
        ty = cast("FuncType", callee.type)
        params = tuple(param for place, param in enumerate(ty.params) if place not in bound)
        args = tuple(arg for place, arg in enumerate(call.args) if place not in bound)
        var = replace(callee, name=name, ty=replace(ty, params=params))
        return Call(var, args, span=call.span, ty=call.ty)

    def _wanted(self, name: str, weights: Weights) -> str | None:
        """Return the name of a function for some weights; None where there are too many."""
        key = _key(name, weights)
        if key not in self._names:
            if self._counts[name] >= self._options.limit:
                return None
            self._counts[name] += bool(weights)
            self._names[key] = self._unused(name) if weights else name
            self._waiting.append((name, weights))
        return self._names[key]

    def _name(self, name: str, weights: Weights) -> str:
        return self._names[_key(name, weights)]

    def _unused(self, name: str) -> str:
        number = 1
        while f"{name}_{number}" in self._taken:
            number += 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"


def _key(name: str, weights: Weights) -> tuple[str, tuple[tuple[int, int], ...]]:
    return name, tuple((place, id(constant)) for place, constant in weights)


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

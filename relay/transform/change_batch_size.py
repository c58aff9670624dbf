"""The pass that changes the batch size of a model."""

from collections.abc import Mapping
from typing import ClassVar

from relay.ir.expr import Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import rewrite
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace, value
from relay.transform.pipeline import Pass


@value
class ChangeBatch(Pass):
    """Change the size of the batch axis of some parameters, and infer all types again.

    `axes` pairs names of parameters with their batch axes.

    Raises `U043` for a parameter that no function has or that has no such axis, and a `T…` error
    where the program fixes the old size.
    """

    keeps_results: ClassVar[bool] = False

    axes: tuple[tuple[str, int], ...]
    batch_size: int

    def transform(self, module: Module) -> Module:
        """Return the module with the new batch size in all functions with parameters in `axes`."""
        axes = dict(self.axes)
        names = {param.name for function in module.functions.values() for param in function.params}
        for name in axes:
            if name not in names:
                help_ = f"use one of the parameters {', '.join(sorted(names))}"
                raise UsageError(
                    ErrorCode.U043,
                    f"no function of the module has a parameter named {name}",
                    help=help_,
                )
        functions = {name: self._changed(f, axes) for name, f in module.functions.items()}
        return module.with_functions(functions)

    def _changed(self, function: Function, axes: Mapping[str, int]) -> Function:
        new = {p: self._resized(p, axes[p.name]) for p in function.params if p.name in axes}
        if not new:
            return function
        inside = rewrite(function.body, lambda e: new.get(e, e) if isinstance(e, Var) else e)
        params = tuple(new.get(param, param) for param in function.params)
        return replace(function, params=params, body=inside, result=inside.ty, ty=None)

    def _resized(self, param: Var, axis: int) -> Var:
        ty = param.type
        if not isinstance(ty, TensorType) or not -ty.rank <= axis < ty.rank:
            raise UsageError(
                ErrorCode.U043,
                f"the parameter {param.name} has no axis {axis}; its type is {ty}",
                help="name a tensor parameter, and one of its axes",
            )
        shape = list(ty.shape)
        shape[axis] = self.batch_size
        return Var(param.name, TensorType(tuple(shape), ty.dtype), span=param.span)

"""`relay.vmap`: map a function over a new axis of its arguments."""

from collections.abc import Sequence
from itertools import chain, count
from typing import Any, TypeAlias, overload

from relay.frontend.derivatives import DerivedFunction, derived, inputs_of
from relay.frontend.mapped_functions import mapped_program
from relay.frontend.python.decorator import PythonFunction
from relay.ir.dims import DimVar
from relay.ir.expr import Function
from relay.ir.module import HasModule, Module, ModuleLike
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

InAxes: TypeAlias = int | Sequence[int | None] | None


@overload
def vmap(
    model: PythonFunction[..., Any] | DerivedFunction, in_axes: InAxes = 0
) -> DerivedFunction: ...


@overload
def vmap(model: HasModule | Function, in_axes: InAxes = 0) -> ModuleLike: ...


def vmap(model: HasModule | Function, in_axes: InAxes = 0) -> ModuleLike:
    """Return a function that applies a function of tensors along a new leading axis.

    Mapped arguments and all results have a new leading axis of any size; `in_axes` says for each
    argument whether it is mapped, 0, or shared by all calls, None. Values that do not depend on
    mapped arguments are computed once. A branch on mapped values computes both of its sides; loops
    and recursion must not depend on mapped values. Raises `C120` for those that do, and for data,
    references, and branches that do more than compute.
    """

    def derive(given: HasModule | Function) -> Module:
        module = infer(Module.of(given) if isinstance(given, Function) else given.module)
        main = module.main
        hidden = [param for param in main.params if param.name in inputs_of(model)]
        own = len(main.params) - len(hidden)
        axes = [*in_axes] if isinstance(in_axes, Sequence) else [in_axes] * own
        axes += [None] * len(hidden)
        if len(axes) != len(main.params) or any(axis not in (0, None) for axis in axes):
            what = f"in_axes is {in_axes!r} for {own} parameters"
            raise UsageError(
                ErrorCode.U098, what, help="it is 0 or None, or one of them for each parameter"
            )
        shared = [number for number, axis in enumerate(axes) if axis is None]
        return mapped_program(module, _free_size(main), shared)

    return derived(model, derive)


def _free_size(main: Function) -> DimVar:
    """Return a name for the new size that the function does not use."""
    taken = {each.name for each in main.dim_params}
    names = chain(["batch"], (f"batch_{number}" for number in count(2)))
    return DimVar(next(name for name in names if name not in taken))

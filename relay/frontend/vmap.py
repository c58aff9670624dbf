"""`relay.vmap`: map a function over a new axis of its arguments."""

from collections.abc import Collection, Sequence
from itertools import chain, count
from typing import Any, TypeAlias

from relay.frontend.derived_functions import (
    Step,
    derived,
)
from relay.frontend.program_transforms import Model, program_transform
from relay.frontend.python.transformed_functions import Given
from relay.frontend.python.values.containers import Annotation, without_axis
from relay.frontend.vmap_axes import OutAxes, check_axes, with_moved_axes
from relay.frontend.vmap_functions import mapped_program
from relay.ir.dims import DimVar
from relay.ir.expr import Function
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

InAxes: TypeAlias = int | Sequence[int | None] | None


@program_transform
def vmap(model: Model, in_axes: InAxes = 0, out_axes: OutAxes = 0) -> Any:
    """Return a function that applies `model` to each element of a new axis.

    Mapped arguments and all results have a new axis of any size, the first one by default;
    `in_axes` is, for each argument, the axis if it is mapped, or None if it is shared by all calls.
    `out_axes` is the axis in all results, or has an axis for each field of a tuple. Axes count in
    the tensors with the new axis, and negative ones from the end. Values that do not depend on
    mapped arguments are computed once. A branch on mapped values computes both of its sides; a loop
    that depends on them runs until no element needs another step. What an element does not need
    neither traps nor changes its derivatives. Derivatives of any order are mapped. Raises `C120`
    for such branches and loops that use references or random numbers, or whose data is a result.
    """

    def axes_in(module: Module, inputs: Collection[str]) -> list[int | None]:
        own = [param.name not in inputs for param in module.main.params]
        axes = in_axes if isinstance(in_axes, Sequence) else [in_axes] * sum(own)
        if len(axes) != sum(own) or not all(map(_is_axis, axes)):
            what = f"in_axes cannot be {in_axes!r} for {sum(own)} parameters"
            help_ = "use an axis or None, or a tuple with an axis or None for each parameter"
            raise UsageError(ErrorCode.U098, what, help=help_)
        left = iter(axes)
        return [next(left) if each else None for each in own]

    def derive(given: Given) -> Module:
        module = infer(given.module)
        axes = axes_in(module, given.inputs)
        check_axes(module.main, axes, out_axes)
        shared = [index for index, axis in enumerate(axes) if axis is None]
        mapped = mapped_program(module, _free_size(module.main), shared)
        return with_moved_axes(mapped, axes, out_axes)

    def annotations(given: Sequence[Annotation]) -> Sequence[Annotation]:
        axes = in_axes if isinstance(in_axes, Sequence) else [in_axes] * len(given)
        pairs = zip(given, [*axes, *[0] * len(given)], strict=False)
        return [each if axis is None else without_axis(each, axis) for each, axis in pairs]

    return derived(model, Step(derive, annotations=annotations))


def _is_axis(axis: object) -> bool:
    return axis is None or isinstance(axis, int)


def _free_size(main: Function) -> DimVar:
    """Return a name for the size of the new axis that the function does not use yet."""
    taken = {each.name for each in main.dim_params}
    names = chain(["batch"], (f"batch_{number}" for number in count(2)))
    return DimVar(next(name for name in names if name not in taken))

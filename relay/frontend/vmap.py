"""`relay.vmap`: map a function over a new leading axis of its arguments."""

from collections.abc import Collection, Sequence
from itertools import chain, count
from typing import Any, TypeAlias

from relay.frontend.derived_functions import (
    Step,
    derived,
)
from relay.frontend.program_transforms import Model, program_transform
from relay.frontend.python.transformed_functions import Given
from relay.frontend.python.values.containers import Annotation, without_first_axis
from relay.frontend.vmap_functions import mapped_program
from relay.ir.dims import DimVar
from relay.ir.expr import Function
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

InAxes: TypeAlias = int | Sequence[int | None] | None


@program_transform
def vmap(model: Model, in_axes: InAxes = 0) -> Any:
    """Return a function that applies `model` to each element of a new leading axis.

    Mapped arguments and all results have a new leading axis of any size; `in_axes` is, for each
    argument, 0 if it is mapped, or None if it is shared by all calls. Values that do not depend on
    mapped arguments are computed once. A branch on mapped values computes both of its sides; a loop
    that depends on them runs until no element needs another step. What an element does not need
    neither traps nor changes its derivatives. Derivatives of any order are mapped. Raises `C120`
    for such branches and loops that use references or random numbers, or whose data is a result.
    """

    def shared_in(module: Module, inputs: Collection[str]) -> list[int]:
        own = [param.name not in inputs for param in module.main.params]
        axes = in_axes if isinstance(in_axes, Sequence) else [in_axes] * sum(own)
        if len(axes) != sum(own) or any(axis not in (0, None) for axis in axes):
            what = f"in_axes cannot be {in_axes!r} for {sum(own)} parameters"
            help_ = "use 0 or None, or a tuple with 0 or None for each parameter"
            raise UsageError(ErrorCode.U098, what, help=help_)
        left = iter(axes)
        return [i for i, each in enumerate(own) if not each or next(left) is None]

    def derive(given: Given) -> Module:
        module = infer(given.module)
        return mapped_program(module, _free_size(module.main), shared_in(module, given.inputs))

    def annotations(given: Sequence[Annotation]) -> Sequence[Annotation]:
        axes = in_axes if isinstance(in_axes, Sequence) else [in_axes] * len(given)
        pairs = zip(given, [*axes, *[0] * len(given)], strict=False)
        return [each if axis is None else without_first_axis(each) for each, axis in pairs]

    return derived(model, Step(derive, annotations=annotations))


def _free_size(main: Function) -> DimVar:
    """Return a name for the size of the new axis that the function does not use yet."""
    taken = {each.name for each in main.dim_params}
    names = chain(["batch"], (f"batch_{number}" for number in count(2)))
    return DimVar(next(name for name in names if name not in taken))

"""`relay.vmap`: map a function over a new axis of its arguments."""

from collections.abc import Sequence
from itertools import chain, count
from typing import Any, TypeAlias

from relay.frontend.derived_functions import (
    Step,
    derived,
)
from relay.frontend.program_transform_types import Model, program_transform
from relay.frontend.python.transformed_functions import Given
from relay.frontend.python.values.containers import Annotation
from relay.frontend.vmap_argument_axes import (
    Axes,
    axes_of,
    element_annotation,
    leaves,
    with_parts,
)
from relay.frontend.vmap_functions import mapped_program
from relay.frontend.vmap_move_axes import (
    OutAxes,
    check_axes,
    check_options,
    result_axes,
    with_moved_axes,
)
from relay.ir.alpha_rename import fresh_dims
from relay.ir.dims import DimVar
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

InAxes: TypeAlias = int | Sequence[object] | None
"""The axis of all arguments, or axes for each: an axis, None, or a container of these."""


@program_transform
def vmap(model: Model, in_axes: InAxes = 0, out_axes: OutAxes = 0) -> Any:
    """Return a function that applies `model` to each element of a new axis.

    Mapped arguments and all results have a new axis of any size, the first one by default;
    `in_axes` is, for each argument, the axis if it is mapped, or None if it is shared by all calls;
    a container of these has one for each part of a tuple, list, dictionary or object of a plain
    data class. The default of an argument that a call omits is shared. So are arguments that have
    defaults in a program made by `relay.compile`, unless `in_axes` is a tuple and has an axis for
    them. `out_axes` is the axis in all results, or a container like the result with an axis for
    each part. The number of an axis is its position in the tensors with the new axis; negative
    numbers count from the end. Values that do not depend on mapped arguments are computed once. A
    branch on mapped values computes both of its sides; a loop that depends on them runs until no
    element needs another step. A value that an element does not need neither traps nor changes the
    derivatives of the element. Where the size of a value depends on mapped values, as in `x[x>0]`,
    a loop computes one element after the other, and stops with `R040` if the sizes of results
    differ. Derivatives of any order are mapped. Raises `C120` for results whose structure differs
    between elements, and for branches and loops on mapped values that use references or random
    numbers.
    """
    check_options(in_axes, out_axes)

    def derive(given: Given) -> Module:
        module = infer(given.module)
        axes = _axes_of(given, in_axes)
        apart = with_parts(module, axes)
        flat = [each for of in axes for each in leaves(of)]
        result = result_axes(out_axes, given.shapes.result, module.main.body.type)
        check_axes(apart.main, flat, result)
        shared = [index for index, axis in enumerate(flat) if axis is None]
        mapped = infer(mapped_program(apart, _free_size(apart), shared))
        return with_moved_axes(mapped, module.main.params, axes, result)

    def annotations(given: Sequence[Annotation]) -> Sequence[Annotation]:
        axes = in_axes if isinstance(in_axes, Sequence) else [in_axes] * len(given)
        pairs = zip(given, [*axes, *[0] * len(given)], strict=False)
        return [element_annotation(*each) for each in pairs]

    return derived(model, Step(derive, annotations=annotations, uses_form=True))


def _axes_of(given: Given, in_axes: InAxes) -> Sequence[Axes]:
    """Return the mapped axes of each parameter; None for shared parameters.

    These include captured parameters, and those that keep their default: a call omits them or, in a
    program for any call, may omit them, and they have no axis of their own. `in_axes` may leave
    them out at the end. Raises `U098` for another number of axes.
    """
    params, form = [each.name for each in given.module.main.params], given.shapes.form
    own = [name for name in params if name not in given.inputs]
    axes = in_axes if isinstance(in_axes, Sequence) else [in_axes] * len(own)
    if len(axes) > len(own) or not {*own[len(axes) :]} <= form.omitted | form.optional:
        what = (
            f"in_axes must have {len(own)} entries, one for each parameter of the function, but is "
            f"{in_axes!r}"
        )
        help_ = "pass an axis or None, or a tuple with an axis or None for each parameter"
        raise UsageError(ErrorCode.U098, what, help=help_)
    chosen = dict(zip(own, axes, strict=False))
    kept = form.omitted if isinstance(in_axes, Sequence) else form.omitted | form.optional
    shapes, types = given.shapes.arguments, {p.name: p.type for p in given.module.main.params}
    return [
        None if name in kept else axes_of(chosen.get(name), shapes.get(name), types[name])
        for name in params
    ]


def _free_size(module: Module) -> DimVar:
    """Return a name for the size of the new axis that no function uses yet."""
    taken = {dim.name for each in module.functions.values() for dim in fresh_dims(each)}
    names = chain(["batch"], (f"batch_{number}" for number in count(2)))
    return DimVar(next(name for name in names if name not in taken))

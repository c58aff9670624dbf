"""Move the new axis of a program that `vmap` made: from the front to the axes that a user chose."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from relay.frontend.python.captures.module_linking import linked
from relay.frontend.python.values.containers import Shape
from relay.frontend.vmap_argument_axes import (
    Axes,
    axes_of,
    is_axes,
    leaves,
    taken_apart,
    whole_type,
)
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.ops.tensor.transpose import Transpose
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace

OutAxes: TypeAlias = int | Sequence[object] | Mapping[Any, object]
"""The axis of all results, or a container with one for each part."""


def check_options(in_axes: object, out_axes: object) -> None:
    """Raise `U098` if the axes are not of the kinds that `vmap` takes."""
    if isinstance(in_axes, Mapping) or not all(map(is_axes, _listed(in_axes))):
        what = f"in_axes cannot be {in_axes!r}"
        help_ = (
            "pass an axis or None, or a tuple with one for each argument: an axis, None, or a "
            "container of these"
        )
        raise UsageError(ErrorCode.U098, what, help=help_)
    if not is_axes(out_axes, or_none=False):
        what = f"out_axes must say which axis of each result is the mapped one, but is {out_axes!r}"
        help_ = "pass an axis, or a container like the result with an axis for each part"
        raise UsageError(ErrorCode.U098, what, help=help_)


def _listed(axes: object) -> Sequence[object]:
    return cast("Sequence[object]", axes) if isinstance(axes, Sequence) else [axes]


def result_axes(out_axes: OutAxes, shape: Shape, ty: Type) -> Axes:
    """Return the axes of a result whose structure is `shape`; raises `U098` if they do not fit."""
    what = f"out_axes={out_axes!r} does not fit the result, which has type {ty!r}"
    help_ = "pass an axis, or a container like the result with an axis for each part"
    return axes_of(out_axes, shape, ty, UsageError(ErrorCode.U098, what, help=help_))


def check_axes(main: Function, in_axes: Sequence[int | None], out_axes: Axes) -> None:
    """Raise `U098` if no parameter is mapped, or if a value lacks the axis that is to be mapped."""
    if all(axis is None for axis in in_axes):
        help_ = "give an argument an axis in in_axes, for example 0"
        raise UsageError(
            ErrorCode.U098,
            "in_axes is None for every argument, so no argument is mapped",
            help=help_,
        )
    for param, axis in zip(main.params, in_axes, strict=True):
        _check_axis(param.type, axis or 0, f"'{param.name}'")
    _check_result(main.body.type, out_axes, "the result")


def _check_result(ty: Type, axes: Axes, name: str) -> None:
    """Raise `U098` if a result lacks an axis; recursion follows its nesting."""
    if not isinstance(axes, tuple):
        return _check_axis(ty, axes or 0, name)
    assert isinstance(ty, TupleType), "the axes fit the type"
    for each in zip(ty.fields, axes, strict=True):
        _check_result(*each, "a field of the result")
    return None


def _check_axis(ty: Type, axis: int, name: str) -> None:
    """Raise `U098` if a type lacks an axis, counted with the new one; recursion follows tuples."""
    match ty:
        case TensorType(shape) if not -len(shape) - 1 <= axis <= len(shape):
            what = f"{name} has no axis {axis}: with the mapped axis it has {ty.rank + 1} axes"
            help_ = f"pass an axis from {-len(shape) - 1} to {len(shape)}"
            raise UsageError(ErrorCode.U098, what, help=help_)
        case TupleType(fields):
            for each in fields:
                _check_axis(each, axis, name)
        case TypeCall() if axis != 0:
            what = (
                f"{name} contains a data type, which can be mapped over axis 0 only, not over "
                f"{axis}"
            )
            raise UsageError(ErrorCode.U098, what, help="pass the axis 0 for data types")
        case _:
            pass


def with_moved_axes(
    module: Module, params: Sequence[Var], in_axes: Sequence[Axes], out_axes: Axes
) -> Module:
    """Return a mapped program that takes and returns tensors with the new axis elsewhere.

    `in_axes` has the axes that the user chose for each of `params`, the parameters before the
    mapping. The parameters of `module`, the mapped program, are the parts of these.
    """
    if not any(in_axes) and out_axes == 0:
        return module
    module = infer(module)
    functions = linked(module, "mapped", {ENTRY})
    callee = next(iter(functions))
    made, args = list[Var](), list[Expr]()
    types = iter(each.type for each in module.main.params)
    for old, axes in zip(params, in_axes, strict=True):
        own = leaves(axes)
        parts = [_moved_type(next(types), axis or 0) for axis in own]
        made.append(Var(old.name, whole_type(axes, parts), span=old.span))
        values = taken_apart(made[-1], axes)
        args += [_moved(each, axis or 0, _to_front) for each, axis in zip(values, own, strict=True)]
    found = Call(GlobalVar(callee, ty=functions[callee].ty), tuple(args))
    main = Function(tuple(made), _result(found, out_axes))
    return infer(replace(module, functions={**functions, ENTRY: main}))


def _result(found: Expr, axes: Axes) -> Expr:
    """Return a result whose new axis is at the front with that axis elsewhere."""
    if not isinstance(axes, tuple):
        return _moved(found, axes or 0, _from_front)
    fields = (TupleGetItem(found, index) for index in range(len(axes)))
    return Tuple(tuple(map(_result, fields, axes)))


def _moved_type(ty: Type, axis: int) -> Type:
    """Return a type whose first axis is moved to `axis`; recursion follows tuples."""
    if axis == 0:
        return ty
    if isinstance(ty, TupleType):
        return TupleType(tuple(_moved_type(each, axis) for each in ty.fields))
    assert isinstance(ty, TensorType), "the axes were checked"
    return TensorType(_at(ty.shape, axis), ty.dtype)


def _at(shape: Sequence[Dim], axis: int) -> tuple[Dim, ...]:
    """Return a shape whose first size is moved to `axis`."""
    return tuple(shape[index] for index in _from_front(len(shape), axis))


def _moved(value: Expr, axis: int, order: Callable[[int, int], Sequence[int]]) -> Expr:
    """Return a value whose tensors have their axes in another order; recursion follows tuples."""
    ty = value.type
    if axis == 0:
        return value
    if isinstance(ty, TupleType):
        parts = (TupleGetItem(value, index) for index in range(len(ty.fields)))
        return Tuple(tuple(_moved(each, axis, order) for each in parts))
    assert isinstance(ty, TensorType), "the axes were checked"
    return Call(Transpose(tuple(order(len(ty.shape), axis))), (value,))


def _to_front(rank: int, axis: int) -> Sequence[int]:
    """Return the order of axes that moves an axis to the front."""
    axis %= rank
    return [axis, *range(axis), *range(axis + 1, rank)]


def _from_front(rank: int, axis: int) -> Sequence[int]:
    """Return the order of axes that moves the first axis to `axis`."""
    axis %= rank
    return [*range(1, axis + 1), 0, *range(axis + 1, rank)]

"""The axes of arguments in `vmap`: one for an argument, or one for each part of a container.

The axes of a parameter are a number, None if it is shared, or a tuple with the axes of each field.
If only some parts of a parameter are mapped, the program takes all its parts as separate
parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from relay.frontend.python.captures.module_linking import linked
from relay.frontend.python.values.containers import (
    Annotation,
    Container,
    GenericInstance,
    MoreAxes,
    Shape,
    opened_up,
    shape_of_annotation,
)
from relay.frontend.python.values.data_class_fields import is_declared
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace

Axes: TypeAlias = "int | tuple[Axes, ...] | None"
"""The axes of a parameter."""


def is_axes(given: object, *, or_none: bool = True) -> bool:
    """Whether a value is an axis, None, or a container of these; recursion follows its nesting.

    None is invalid unless `or_none`.
    """
    if given is None or isinstance(given, int):
        return or_none or given is not None
    found = opened_up(given)
    if found is None or is_declared(type(given)):
        return False
    return all(is_axes(each, or_none=or_none) for each in found[1])


def axes_of(
    given: object, shape: Shape, ty: Type | None = None, misfit: UsageError | None = None
) -> Axes:
    """Return the axes that a caller gives for an argument whose structure is `shape`.

    An axis applies to all parts of the container in whose place it is. Raises `U098` for a
    container that does not fit, or `misfit` if passed. For a program that knows no structure, the
    type decides.
    """
    if given is None or isinstance(given, int):
        return given
    if shape is None and isinstance(ty, TupleType):
        shape = Container(tuple, (), (None,) * len(ty.fields))
    found = opened_up(given)
    items = None if found is None else _items(*found, shape)
    if items is None or not isinstance(shape, Container):
        raise misfit or _misfit(given)
    fields = ty.fields if isinstance(ty, TupleType) else (None,) * len(items)
    rows = zip(items, shape.items, fields, strict=True)
    parts = tuple(axes_of(*each, misfit) for each in rows)
    return parts[0] if parts and not isinstance(parts[0], tuple) and len({*parts}) == 1 else parts


def _items(kind: Container, items: Sequence[object], shape: Shape) -> Sequence[object] | None:
    """Return the axes in a container in the order of an argument's items; None if they differ."""
    if not isinstance(shape, Container) or len(shape.items) != len(items):
        return None
    if not shape.keys:
        return None if kind.keys else items
    found: Mapping[object, object] = dict(zip(kind.keys, items, strict=False))
    return [found[key] for key in shape.keys] if {*found} == {*shape.keys} else None


def _misfit(given: object) -> UsageError:
    what = (
        f"the part {given!r} of in_axes does not have the structure of its argument: the tuples, "
        "lists, lengths or keys differ"
    )
    help_ = (
        "pass one axis or None for the whole argument, or the argument's structure with an axis "
        "or None in place of each tensor"
    )
    return UsageError(ErrorCode.U098, what, help=help_)


def without_axes(annotation: Annotation, axes: Axes) -> Annotation:
    """Return the annotation of one element of an argument that is mapped over these axes."""
    match annotation:
        case _ if axes is None:
            return annotation
        case TensorType(shape, element) if isinstance(axes, int):
            if not -len(shape) <= axes < len(shape):
                return annotation
            at = axes % len(shape)
            return TensorType((*shape[:at], *shape[at + 1 :]), element)
        case TupleType(fields):
            found = map(without_axes, fields, parts_of(axes, len(fields)))
            return TupleType(tuple(cast("Type", each) for each in found))
        case TypeCall(head, args) if axes == 0:
            return TypeCall(head, tuple(cast("Type", without_axes(each, 0)) for each in args))
        case GenericInstance(of, args) if axes == 0:
            return GenericInstance(of, tuple(cast("Type", without_axes(each, 0)) for each in args))
        case MoreAxes(of, count) if axes == 0:
            return MoreAxes(of, count - 1) if count > 1 else of
        case Container(kind, keys, items):
            parts = parts_of(axes, len(items))
            return Container(kind, keys, tuple(map(without_axes, items, parts)))
        case _:
            return annotation


def element_annotation(annotation: Annotation, given: object) -> Annotation:
    """Return the annotation of one element of an argument, from the axes that a caller gives."""
    return without_axes(annotation, axes_of(given, shape_of_annotation(annotation)))


def parts_of(axes: Axes, count: int) -> Sequence[Axes]:
    """Return the axes of each of `count` fields."""
    return axes if isinstance(axes, tuple) else (axes,) * count


def leaves(axes: Axes) -> Sequence[int | None]:
    """Return the axes in nested containers as a flat list: those of the parts of an argument."""
    return [each for part in axes for each in leaves(part)] if isinstance(axes, tuple) else [axes]


def with_parts(module: Module, axes: Sequence[Axes]) -> Module:
    """Return a program with a separate parameter for each part that has a separate axis."""
    if not any(isinstance(each, tuple) for each in axes):
        return module
    functions = linked(module, "whole", {ENTRY})
    callee = next(iter(functions))
    params = list[Var]()

    def part(of: Var, ty: Type) -> Expr:
        params.append(Var(of.name, ty, span=of.span))
        return params[-1]

    args = [
        assembled(each, each.type, of, part)
        for each, of in zip(module.main.params, axes, strict=True)
    ]
    made = Call(GlobalVar(callee, ty=functions[callee].ty), tuple(args))
    main = Function(tuple(params), made, span=module.main.span)
    return infer(replace(module, functions={**functions, ENTRY: main}))


def assembled(param: Var, ty: Type, axes: Axes, part: Callable[[Var, Type], Expr]) -> Expr:
    """Return a value of a parameter's type, made of the expressions that `part` returns."""
    if not isinstance(axes, tuple):
        return part(param, ty)
    assert isinstance(ty, TupleType), "the axes fit the type"
    fields = zip(ty.fields, axes, strict=True)
    return Tuple(tuple(assembled(param, *each, part) for each in fields))


def taken_apart(value: Expr, axes: Axes) -> Sequence[Expr]:
    """Return the parts of a value that have separate axes."""
    if not isinstance(axes, tuple):
        return [value]
    fields = (TupleGetItem(value, index) for index in range(len(axes)))
    return [each for pair in zip(fields, axes, strict=True) for each in taken_apart(*pair)]


def whole_type(axes: Axes, parts: Sequence[Type]) -> Type:
    """Return the type of a parameter, from those of its parts, in order."""
    if not isinstance(axes, tuple):
        return parts[0]
    fields, start = list[Type](), 0
    for each in axes:
        count = len(leaves(each))
        fields.append(whole_type(each, parts[start : start + count]))
        start += count
    return TupleType(tuple(fields))

"""Dimension arithmetic that type rules of tensor operators share.

A symbolic dimension may be 0: `min(1, n)` is no number. Only where a size would be without maxima
but for empty axes, such as that of `x[1:]`, it is taken to be so. A program that is compiled for
one choice of sizes computes its types again, so that an empty tensor gets its true type; one that
is compiled for all sizes tests the constraint.
"""

from collections.abc import Iterable, Sequence

from relay.ir.dims import (
    ANY,
    Dim,
    FloorDiv,
    Maximum,
    Polynomial,
    Shape,
    Symbolic,
    maximum,
    multiply,
    product,
    substitute,
    variables,
)
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef import checks
from relay.opdef.constraints import Relation, constrain
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

END = 2**31 - 1
"""Slice bounds at or beyond this mean the end of the axis: the classic "no limit"."""

_MANY = 2**31
"""More than anybody reads at once for each element of an axis; products with sizes fit 64 bits."""


def dims(values: "Dim | Iterable[Dim]") -> Shape:
    """Normalise an attribute that lists sizes: one size, or any iterable of them."""
    if isinstance(values, Iterable):
        return tuple(_plain(each) for each in values)
    return (_plain(values),)


def ints(values: "int | Iterable[int]") -> tuple[int, ...]:
    """Normalise an attribute that lists integers."""
    return tuple(int(each) for each in values) if isinstance(values, Iterable) else (int(values),)


def _plain(size: Dim) -> Dim:
    return size if isinstance(size, Symbolic) else int(size)


def minimum(a: Dim, b: Dim) -> Dim:
    """Return the smaller dimension, symbolic when that is not known."""
    return a + b - maximum(a, b)


def without_choice(operator: str, size: Dim) -> Dim:
    """Return a size without maxima, if there is one that is the same whenever no symbol is 0.

    That it is the same is then a constraint. Types are written with it, and loops keep theirs:
    `x[1:]` beside `x[:1]` is as long as `x`. Where types say `?`, nothing is promised.
    """
    names = variables(size)
    if any(name.is_made for name in names):
        return size
    beyond = substitute(size, {name: name + 1 for name in names})
    if not _has_choice(size) or _has_choice(beyond):
        return size
    likely = substitute(beyond, {name: name - 1 for name in names})
    said = f"{operator}: {{size}} elements are there, where its type says {{index}}"
    constrain(operator, size, likely, said=said)
    return likely


def _has_choice(size: Dim) -> bool:
    """Whether a maximum is in a size; recursion follows how it is nested."""
    match size:
        case Maximum():
            return True
        case FloorDiv(a, b):
            return _has_choice(a) or _has_choice(b)
        case Polynomial(terms):
            return any(_has_choice(atom) for _, atoms in terms for atom in atoms)
        case _:
            return False


def ceiling_divide(a: Dim, b: int) -> Dim:
    """Return `a / b` rounded up."""
    return (a + b - 1) // b


def tensors(operator: str, ty: Type) -> tuple[TensorType, ...]:
    """Return the tensor types in a tuple argument, at least one (`T150`)."""
    fields = ty.fields if isinstance(ty, TupleType) else ()
    found = tuple(field for field in fields if isinstance(field, TensorType))
    if not found or len(found) != len(fields):
        message = f"{operator} takes a tuple of at least one tensor, not {ty!r}"
        raise RelayTypeError(
            ErrorCode.T150, message, help=f"put the tensors into one: {operator}((%x, %y))"
        )
    return found


def integer(operator: str, name: str, ty: TensorType) -> None:
    """Require whole numbers, as indices and lengths are (`T102`)."""
    if not ty.dtype.is_integer:
        raise RelayTypeError(
            ErrorCode.T102, f"{operator}: {name} must have an integer type, not {ty.dtype}"
        )


def same_shape(operator: str, what: str, expected: Sequence[Dim], found: Sequence[Dim]) -> None:
    """Require two shapes to be equal, as far as they are known (`T105`)."""
    if len(expected) != len(found):
        shapes = f"expected ({_drawn(expected)}), found ({_drawn(found)})"
        raise RelayTypeError(ErrorCode.T105, f"{operator}: {what}: {shapes}")
    for one, other in zip(expected, found, strict=True):
        checks.size(operator, what, one, other)


def _drawn(shape: Sequence[Dim]) -> str:
    return ", ".join(map(str, shape))


def unify(sizes: Iterable[Dim]) -> Dim:
    """Return what several equal sizes tell together: an integer before a symbol before `Any`."""
    best: Dim = ANY
    for size in sizes:
        if isinstance(size, int):
            return size
        best = size if best is ANY else best
    return best


def no_longer(operator: str, indices: Sequence[Dim], x: Sequence[Dim], axis: int) -> None:
    """Require that indices for one axis are no longer than `x` on the others (`T105`)."""
    for at, (found, size) in enumerate(zip(indices, x, strict=True)):
        if at == axis:
            continue
        if isinstance(size, int) and isinstance(found, int) and found > size:
            message = f"{operator}: axis {at} has {size} elements, but {found} indices"
            raise RelayTypeError(ErrorCode.T105, message)
        if not (isinstance(size, int) and isinstance(found, int)):
            constrain(operator, size, found, relation=Relation.AT_LEAST)


def readable(operator: str, axes: Iterable[Dim], reads: Iterable[Dim]) -> None:
    """Require that nothing is read from an axis without elements (`T105`).

    It is for operators that have an element for every index: those that test indices find the first
    one out of range. Of sizes that only run time knows this is a constraint: an axis times more
    than anybody reads is at least what is read.
    """
    listed, count = tuple(axes), product(reads)
    message = f"{operator}: nothing can be read from an empty axis"
    if 0 in listed and count != 0:
        raise RelayTypeError(ErrorCode.T105, message)
    for size in listed:
        if not isinstance(size, int) and count != 0:
            constrain(
                operator, multiply(size, _MANY), count, relation=Relation.AT_LEAST, said=message
            )

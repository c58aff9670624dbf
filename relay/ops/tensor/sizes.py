"""Dimension arithmetic shared by type rules of tensor operators.

A symbolic dimension may be 0, so `min(1, n)` is not a constant. Where a size contains a maximum
only because of empty axes, as the size of `x[1:]` does, the dimension is assumed nonzero. A program
specialised to concrete sizes infers its types again, so that an empty tensor gets its true type; a
program compiled for all sizes checks the constraint at run time.
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
"""Slice bounds at or beyond this mean the end of the axis: "no limit" in classic Relay."""

_MANY = 2**31
"""A bound on the reads for each element of an axis; its products with sizes fit 64 bits."""


def dims(values: "Dim | Iterable[Dim]") -> Shape:
    """Normalise an attribute that is a list of sizes: one size, or an iterable of them."""
    if isinstance(values, Iterable):
        return tuple(_plain(each) for each in values)
    return (_plain(values),)


def ints(values: "int | Iterable[int]") -> tuple[int, ...]:
    """Normalise an attribute that is a list of integers."""
    return tuple(int(each) for each in values) if isinstance(values, Iterable) else (int(values),)


def _plain(size: Dim) -> Dim:
    return size if isinstance(size, Symbolic) else int(size)


def minimum(a: Dim, b: Dim) -> Dim:
    """Return the smaller dimension; a symbolic minimum if it is unknown."""
    return a + b - maximum(a, b)


def without_choice(operator: str, size: Dim) -> Dim:
    """Return the size without maxima if an equal one exists for nonzero symbols.

    The equality becomes a constraint. Types then stay simple and stable in loops: the lengths of
    `x[1:]` and `x[:1]` add up to that of `x`. No constraint is added for unnamed dimensions.
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
    """Whether a size contains a maximum; recursion follows its nesting."""
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
    """Require integers, for indices and lengths (`T102`)."""
    if not ty.dtype.is_integer:
        raise RelayTypeError(
            ErrorCode.T102, f"{operator}: {name} must have an integer type, not {ty.dtype}"
        )


def same_shape(operator: str, what: str, expected: Sequence[Dim], found: Sequence[Dim]) -> None:
    """Require two shapes to be equal, as far as sizes are known (`T105`)."""
    if len(expected) != len(found):
        shapes = f"expected ({_drawn(expected)}), found ({_drawn(found)})"
        raise RelayTypeError(ErrorCode.T105, f"{operator}: {what}: {shapes}")
    for one, other in zip(expected, found, strict=True):
        checks.size(operator, what, one, other)


def _drawn(shape: Sequence[Dim]) -> str:
    return ", ".join(map(str, shape))


def unify(sizes: Iterable[Dim]) -> Dim:
    """Return the most precise of several equal sizes: an integer before a symbol before `Any`."""
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
    """Require that no element is read from an empty axis (`T105`).

    It is for operators that clamp their indices; operators that check indices report the first one.
    For sizes known only at run time it adds a constraint: an axis times a bound on the reads is at
    least their number.
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

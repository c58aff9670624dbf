"""Dimension arithmetic shared by type rules of tensor operators.

A symbolic dimension may be 0, so `min(1, n)` is not a constant. If a size contains a maximum only
because an axis may be empty, as the size of `x[1:]` does, the dimension is assumed to be nonzero.
If a program is specialised to concrete sizes, types are inferred again, so empty tensors get the
correct type; a program compiled for all sizes checks the assumption at run time.
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
from relay.opdef.dim_constraints import Relation, constrain
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

END = 2**31 - 1
"""Slice bounds of at least this number mean the end of the axis, as in TVM's Relay."""

_MANY = 2**31
"""An upper bound of the reads for each element of an axis; products with sizes fit 64 bits."""


def dims(values: "Dim | Iterable[Dim]") -> Shape:
    """Return an attribute that is a list of sizes in normal form: a tuple, even for one size."""
    if isinstance(values, Iterable):
        return tuple(_plain(each) for each in values)
    return (_plain(values),)


def ints(values: "int | Iterable[int]") -> tuple[int, ...]:
    """Return an attribute that is a list of integers in normal form: a tuple, even for one."""
    return tuple(int(each) for each in values) if isinstance(values, Iterable) else (int(values),)


def _plain(size: Dim) -> Dim:
    return size if isinstance(size, Symbolic) else int(size)


def minimum(a: Dim, b: Dim) -> Dim:
    """Return the smaller of two dimensions, as a symbolic minimum if the order is unknown."""
    return a + b - maximum(a, b)


def without_maxima(operator: str, size: Dim) -> Dim:
    """Return `size` without `max`, assuming that all dimension variables are nonzero.

    The assumption becomes a constraint. This keeps types simple, also in loops: the lengths of
    `x[1:]` and `x[:1]` add up to that of `x`. If there is no such size, or a variable was
    introduced by a pass, `size` is returned.
    """
    names = variables(size)
    if any(name.is_made for name in names):
        return size
    beyond = substitute(size, {name: name + 1 for name in names})
    if not _has_maximum(size) or _has_maximum(beyond):
        return size
    likely = substitute(beyond, {name: name - 1 for name in names})
    said = f"{operator}: the result has {{size}} elements, but its type says {{index}}"
    constrain(operator, size, likely, message=said)
    return likely


def _has_maximum(size: Dim) -> bool:
    """Whether a maximum occurs in a size."""
    match size:
        case Maximum():
            return True
        case FloorDiv(a, b):
            return _has_maximum(a) or _has_maximum(b)
        case Polynomial(terms):
            return any(_has_maximum(atom) for _, atoms in terms for atom in atoms)
        case _:
            return False


def ceiling_divide(a: Dim, b: int) -> Dim:
    """Return `a / b` rounded up."""
    return (a + b - 1) // b


def tensor_types(operator: str, ty: Type) -> tuple[TensorType, ...]:
    """Return the tensor types in a tuple argument, which has at least one (else `T150`)."""
    fields = ty.fields if isinstance(ty, TupleType) else ()
    found = tuple(field for field in fields if isinstance(field, TensorType))
    if not found or len(found) != len(fields):
        message = f"{operator} takes a tuple of at least one tensor, not {ty!r}"
        raise RelayTypeError(
            ErrorCode.T150, message, help=f"put the tensors into a tuple: {operator}((%x, %y))"
        )
    return found


def require_integer(operator: str, name: str, ty: TensorType) -> None:
    """Require an integer element type, for indices and lengths; raises `T102` otherwise."""
    if not ty.dtype.is_integer:
        raise RelayTypeError(
            ErrorCode.T102, f"{operator}: {name} must have an integer type, not {ty.dtype}"
        )


def require_same_shape(
    operator: str, what: str, expected: Sequence[Dim], found: Sequence[Dim]
) -> None:
    """Require that two shapes are equal, as far as sizes are known; raises `T105` otherwise."""
    if len(expected) != len(found):
        shapes = f"expected ({_drawn(expected)}), found ({_drawn(found)})"
        raise RelayTypeError(ErrorCode.T105, f"{operator}: {what}: {shapes}")
    for one, other in zip(expected, found, strict=True):
        checks.size(operator, what, one, other)


def _drawn(shape: Sequence[Dim]) -> str:
    return ", ".join(map(str, shape))


def unify(sizes: Iterable[Dim]) -> Dim:
    """Return the most precise of several equal sizes: an integer, or else a symbolic dimension."""
    best: Dim = ANY
    for size in sizes:
        if isinstance(size, int):
            return size
        best = size if best is ANY else best
    return best


def require_no_longer(operator: str, indices: Sequence[Dim], x: Sequence[Dim], axis: int) -> None:
    """Require that `indices` is not longer than `x` along the axes other than `axis` (`T105`)."""
    for at, (found, size) in enumerate(zip(indices, x, strict=True)):
        if at == axis:
            continue
        if isinstance(size, int) and isinstance(found, int) and found > size:
            message = (
                f"{operator}: along axis {at}, indices has {found} elements, but at most {size}, "
                "the size of the data, are allowed"
            )
            raise RelayTypeError(ErrorCode.T105, message)
        if not (isinstance(size, int) and isinstance(found, int)):
            constrain(operator, size, found, relation=Relation.AT_LEAST)


def require_nonempty_where_read(operator: str, axes: Iterable[Dim], reads: Iterable[Dim]) -> None:
    """Require that no element is read from an empty axis (`T105`).

    It is used by operators that clamp their indices. For symbolic sizes it records a constraint:
    the size of the axis, times a large number, is at least the number of reads.
    """
    listed, count = tuple(axes), product(reads)
    message = f"{operator}: the axis that is indexed has no elements"
    if 0 in listed and count != 0:
        raise RelayTypeError(ErrorCode.T105, message)
    for size in listed:
        if not isinstance(size, int) and count != 0:
            constrain(
                operator, multiply(size, _MANY), count, relation=Relation.AT_LEAST, message=message
            )

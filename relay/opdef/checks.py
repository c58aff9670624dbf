"""Checks that type rules share, each with its error code.

`T100` rank · `T101` shapes that do not broadcast · `T102` dtypes that differ or do not fit ·
`T103` axis out of range · `T104` an attribute that makes no sense · `T105` sizes that do not fit.
"""

from collections.abc import Sequence

from relay.ir.dims import ANY, Dim, DimVar, Shape, is_natural, may_be_one
from relay.ir.types import TensorType
from relay.opdef.assumptions import assume, is_doubting
from relay.support.dtype import Kind
from relay.support.errors import ElementTypeError, TypeError_


def same_dtype(operator: str, *types: TensorType) -> None:
    """Require that all arguments have one element type (`T102`)."""
    names = [str(ty.dtype) for ty in types]
    if len(set(names)) > 1:
        raise ElementTypeError(
            "T102",
            f"{operator}: the arguments have different element types: {', '.join(names)}",
            help="convert one of them with cast(x, dtype=…)",
        )


def kind(operator: str, name: str, ty: TensorType, *allowed: Kind) -> None:
    """Require that an argument has elements of one of the allowed kinds (`T102`)."""
    if ty.dtype.kind not in allowed:
        wanted = ", ".join(each.value for each in allowed)
        raise TypeError_(
            "T102",
            f"{operator}: {name} has elements of type {ty.dtype}, which are none of: {wanted}",
            help="convert it with cast(x, dtype=…)",
        )


def rank(operator: str, name: str, ty: TensorType, *allowed: int) -> None:
    """Require one of the allowed ranks (`T100`)."""
    if ty.rank not in allowed:
        wanted = " or ".join(map(str, allowed))
        raise TypeError_("T100", f"{operator}: {name} must have rank {wanted}, not {ty!r}")


def axis(operator: str, index: int, rank: int) -> int:
    """Return an axis counted from the front; negative ones count from the end (`T103`)."""
    if not -rank <= index < rank:
        help_ = f"the axes are 0 to {rank - 1}, or -{rank} to -1 from the end" if rank else None
        message = f"{operator}: axis {index} is out of range for rank {rank}"
        raise TypeError_("T103", message, help=help_)
    return index % rank


def axes(operator: str, indices: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Return axes counted from the front, sorted; None means all (`T103`; `T104` if repeated)."""
    if indices is None:
        return tuple(range(rank))
    found = sorted(axis(operator, index, rank) for index in indices)
    if len(set(found)) != len(found):
        raise TypeError_("T104", f"{operator}: an axis is named twice in {tuple(indices)}")
    return tuple(found)


def attribute(operator: str, condition: bool, problem: str, help: str | None = None) -> None:
    """Require that the attributes make sense (`T104`)."""
    if not condition:
        raise TypeError_("T104", f"{operator}: {problem}", help=help)


def natural(operator: str, what: str, *sizes: Dim) -> None:
    """Require sizes that are not negative, as far as they are known (`T002`)."""
    for each in sizes:
        if isinstance(each, int) and each < 0:
            raise TypeError_("T002", f"{operator}: {what} cannot be negative: {each}")


def size(operator: str, what: str, expected: Dim, found: Dim, help: str | None = None) -> None:
    """Require two sizes to be equal, as far as they are known (`T105`)."""
    assume(expected, found, what)
    if isinstance(expected, int) and isinstance(found, int) and expected != found:
        message = f"{operator}: {what}: expected {expected}, found {found}"
        raise TypeError_("T105", message, help=help)


def enough(
    operator: str,
    size: Dim,
    least: Dim,
    said: str,
    code: str = "T105",
    help: str | None = None,
) -> None:
    """Require a size not to be smaller than another one, as far as they are known.

    `said` is the complaint, with `{size}` and `{index}` for the two.
    """
    if is_natural(size - least):
        return
    if isinstance(size, int) and isinstance(least, int):
        raise TypeError_(code, f"{operator}: {said.format(size=size, index=least)}", help=help)
    assume(size, least, at_least=True, said=f"{operator}: {said}")


def divides(operator: str, size: Dim, by: int, said: str, code: str = "T105") -> None:
    """Require a number to divide a size, as far as that is known; `said` is the complaint."""
    rest = size % by
    if isinstance(rest, int) and rest:
        raise TypeError_(code, f"{operator}: {said}")
    assume(0, rest, said=f"{operator}: {said}")


def broadcast(operator: str, *shapes: Shape, behind: int = 0) -> Shape:
    """Return the shape to which all shapes broadcast, aligned at the right (`T101`).

    There are so many axes `behind` them, which are counted where an axis is named.
    """
    result: list[Dim] = []
    for position in range(1, max(map(len, shapes), default=0) + 1):
        dims = [shape[-position] for shape in shapes if len(shape) >= position]
        result.append(_broadcast_dim(operator, position + behind, dims, shapes))
    return tuple(reversed(result))


def _broadcast_dim(
    operator: str, position: int, dims: Sequence[Dim], shapes: Sequence[Shape]
) -> Dim:
    """Join one dimension: 1 gives way to anything, and so may a symbol, which may be 1."""
    joined: Dim = 1
    for dim in dims:
        if dim is joined or dim == 1:
            continue
        if joined == 1:
            joined = dim
        elif ANY in (joined, dim):
            joined = next((d for d in (joined, dim) if not may_be_one(d)), ANY)
        elif not (isinstance(dim, int) and dim == joined):
            joined = _mixed(operator, position, (joined, dim), shapes)
    return joined


def _mixed(operator: str, position: int, sizes: tuple[Dim, Dim], shapes: Sequence[Shape]) -> Dim:
    """Join two different sizes: integers clash, and so do names.

    What cannot be 1 is the size of the result; the other one is equal, or 1. Of two that may be 1,
    nothing is known, unless the program has made them equal and tests it (`assuming`).
    """
    a, b = sizes
    what = f"axis {-position}"
    if isinstance(a, int) != isinstance(b, int):
        assume(a, b, what, broadcasts=True)
        return a if isinstance(a, int) else b
    if not isinstance(a, int):
        are_equal = assume(a, b, what, broadcasts=True)
        if are_equal or not may_be_one(a):
            return a if not may_be_one(a) else b
        if not may_be_one(b):
            return b
        if is_doubting() or not (isinstance(a, DimVar) and isinstance(b, DimVar)):
            return ANY
    drawn = " and ".join(f"({', '.join(map(str, shape))})" for shape in shapes)
    raise TypeError_(
        "T101",
        f"{operator}: the shapes {drawn} do not broadcast",
        notes=[f"sizes {a} and {b} stand at the same axis, counted from the right"],
        help="sizes at one axis must be equal, or one of them 1",
    )

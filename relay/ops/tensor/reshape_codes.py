"""The codes of `reshape`, from which the new shape is computed for an old shape.

A code above 0 (or a symbolic dimension) is that size; 0 copies the source's dimension at the same
position; -1 is inferred from the rest; -2 copies all remaining dimensions; -3 is the product of the
next two; -4 splits the next dimension into the two entries that follow, one of which may be -1.
"""

from collections.abc import Sequence

from relay.ir.dims import ANY, Dim, Shape, product
from relay.opdef import checks
from relay.opdef.dim_constraints import constrain
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

_COUNT = "number of elements"

COPY, INFER, COPY_REST, MERGE, SPLIT = 0, -1, -2, -3, -4


def reshaped(operator: str, source: Shape, codes: Shape, *, allowzero: bool = False) -> Shape:
    """Return the shape that `codes` describe for `source`; raises `T104` or `T105` if invalid.

    >>> reshaped("reshape", (2, 3, 4), (0, -1))
    (2, 12)
    >>> reshaped("reshape", (6, 4, 5), (-4, 2, -1, -3))
    (2, 3, 20)
    """
    reader = _Reader(operator, source, allowzero)
    for token in _tokens(operator, codes):
        reader.read(token)
    return reader.finish()


def reverse_reshaped(
    operator: str, source: Shape, codes: Shape, *, allowzero: bool = False
) -> Shape:
    """Return the shape that `codes` describe for `source`, starting from the right end.

    >>> reverse_reshaped("contrib_reverse_reshape", (10, 5, 4), (-1, 0))
    (50, 4)
    """
    reader = _Reader(operator, source[::-1], allowzero)
    for token in reversed(_tokens(operator, codes)):
        reader.read((token[0], *reversed(token[1:])))
    return reader.finish()[::-1]


def _tokens(operator: str, codes: Shape) -> list[tuple[Dim, ...]]:
    """Return the codes as tuples: each split code with its two sizes, the others alone."""
    tokens: list[tuple[Dim, ...]] = []
    position = 0
    while position < len(codes):
        width = 3 if codes[position] == SPLIT else 1
        token = codes[position : position + width]
        checks.attribute(
            operator, len(token) == width, "in newshape, -4 must be followed by two sizes"
        )
        tokens.append(token)
        position += width
    return tokens


class _Reader:
    """A reader of codes from left to right.

    `free` has the sizes of the old shape that no code has consumed yet.
    """

    def __init__(self, operator: str, source: Shape, allowzero: bool) -> None:
        self.operator = operator
        self.source = source
        self.allowzero = allowzero
        self.position = 0
        self.result: list[Dim] = []
        self.literal: list[Dim] = []
        self.free: list[Dim] = []
        self.hole: int | None = None

    def read(self, token: tuple[Dim, ...]) -> None:
        """Append the sizes for one code to the new shape."""
        match token:
            case (-4, left, right):
                self.result += self._split(self._next(), left, right)
            case (-3,):
                self.result.append(self._next() * self._next())
            case (-2,):
                self.result += self.source[self.position :]
                self.position = len(self.source)
            case (-1,):
                checks.attribute(self.operator, self.hole is None, "-1 occurs twice in newshape")
                self.hole = len(self.result)
                self.result.append(1)
                self._skip()
            case (0,) if not self.allowzero:
                self.result.append(self._next())
            case (size,):
                self._literal(size)
            case _:
                raise AssertionError(token)

    def _literal(self, size: Dim) -> None:
        known = not isinstance(size, int) or size >= 0
        checks.attribute(
            self.operator, known, f"newshape must contain sizes and the codes 0 to -4, not {size}"
        )
        self.result.append(size)
        self.literal.append(size)
        self._skip()

    def _next(self) -> Dim:
        checks.attribute(
            self.operator,
            self.position < len(self.source),
            f"a code in newshape refers to axis {self.position} of the tensor, but its shape is "
            f"({_drawn(self.source)})",
        )
        self.position += 1
        return self.source[self.position - 1]

    def _skip(self) -> None:
        self.free += self.source[self.position : self.position + 1]
        self.position += 1

    def _split(self, whole: Dim, left: Dim, right: Dim) -> tuple[Dim, Dim]:
        both = left == INFER and right == INFER
        checks.attribute(
            self.operator, not both, "in newshape, one of the two sizes after -4 must be known"
        )
        if left == INFER:
            left = self._quotient(whole, right)
        elif right == INFER:
            right = self._quotient(whole, left)
        checks.size(self.operator, "product of the two sizes after -4", whole, left * right)
        return left, right

    def _quotient(self, whole: Dim, part: Dim, said: tuple[Dim, Dim] | None = None) -> Dim:
        """Return `whole / part`, which must be exact; `said` replaces both in the error message."""
        if isinstance(whole, int) and isinstance(part, int) and (part == 0 or whole % part):
            shape, (count, by) = _drawn(self.source), said or (whole, part)
            raise RelayTypeError(
                ErrorCode.T105,
                f"{self.operator}: {count} elements cannot be divided by {by}",
                notes=[f"the tensor has the shape ({shape})"],
                help="choose sizes in newshape whose product is the number of elements",
            )
        quotient = whole // part
        constrain(self.operator, whole, quotient * part, _COUNT)
        return quotient

    def finish(self) -> Shape:
        """Infer the size for -1, or compare the numbers of elements; return the new shape."""
        self.free += self.source[self.position :]
        before, after = _cancel(self.free, self.literal)
        if self.hole is not None:
            counts = product(before), product(after)
            self.result[self.hole] = self._quotient(*counts, self._counts(*counts))
        else:
            self._compare(product(before), product(after))
        return tuple(self.result)

    def _compare(self, before: Dim, after: Dim) -> None:
        """Require equal numbers of elements, after equal sizes were cancelled on both sides.

        If the total numbers are equal, because a size is 0, the remaining numbers may differ.
        """
        expected, found = self._counts(before, after)
        if isinstance(expected, int) and expected == found:
            return
        constrain(self.operator, before, after, _COUNT)
        if isinstance(before, int) and isinstance(after, int) and before != after:
            message = (
                f"{self.operator}: the tensor has {expected} elements, but the new shape {found}"
            )
            help_ = "write -1 in the new shape for the size that follows from the others"
            raise RelayTypeError(ErrorCode.T105, message, help=help_)

    def _counts(self, before: Dim, after: Dim) -> tuple[Dim, Dim]:
        """Return both total numbers of elements, or the remaining factors if one is unknown."""
        whole = product(self.source), product(self.result)
        return (before, after) if ANY in whole else whole


def _cancel(before: Sequence[Dim], after: Sequence[Dim]) -> tuple[list[Dim], list[Dim]]:
    """Remove sizes that occur on both sides, which may therefore be symbolic."""
    left = list(before)
    right: list[Dim] = []
    for size in after:
        if size in left and size not in (0, ANY):
            left.remove(size)
        else:
            right.append(size)
    return left, right


def _drawn(shape: Shape) -> str:
    return ", ".join(map(str, shape))

"""Apply convolutions and poolings to data with "same" padding, whose sizes may be dynamic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from relay.frontend.builders.same_padding import (
    padded_for_strides,
    padding_for_strides,
    with_window_counts,
)
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import divide
from relay.ops.creation import OnesLike
from relay.ops.nn.pool_base import AvgPool
from relay.support.node import replace as with_fields
from relay.support.span import Span

Pairs = Sequence[tuple[int, int]]
"""The padding of each axis, before and after it."""


@dataclass(frozen=True)
class PaddedWindows:
    """The data of a convolution or pooling, and the padding of its windows along `axes`.

    If the padding is known, `padding` has its widths before all axes, then after all axes, and
    `data` is `unpadded`. "Same" padding of dynamic sizes was added to `data` already, and `padding`
    is zero; if its width is odd, the extra element comes last or, with `odd_before`, first.

    A window spans `reaches` positions of the axes, and moves by `strides`. `span` is the source
    location of results.
    """

    data: Expr
    padding: tuple[int, ...]
    unpadded: Expr
    axes: Sequence[int]
    reaches: tuple[int, ...]
    strides: tuple[int, ...]
    odd_before: bool = False
    span: Span | None = None

    @property
    def is_padded(self) -> bool:
        """Whether `data` already contains the padding, because its width is dynamic."""
        return self.data is not self.unpadded

    def apply(self, op: OperatorDef, *operands: Expr) -> Expr:
        """Return the result of a convolution or pooling of the data."""
        result: Expr = Call(op, (self.data, *operands), span=self.span)
        if not self.is_padded:
            return result
        sizes = [self.unpadded.tensor_type.shape[axis] for axis in self.axes]
        return with_window_counts(result, self.axes, sizes, self.strides)

    def mean(self, op: AvgPool) -> Expr:
        """Return the mean of each window, without the elements that are padding."""
        if not self.is_padded:
            return self.apply(op)
        total, share = self.total_and_share(op)
        return divide(total, share)

    def total_and_share(self, op: AvgPool) -> tuple[Expr, Expr]:
        """Return for each window the sum of its elements, and their number without padding.

        Both are divided by the window size.
        """
        whole = with_fields(op, count_include_pad=True)
        ones = Call(OnesLike(), (self.unpadded,))
        around = (self.axes, self.reaches, self.strides, constant(0, ones.tensor_type.dtype))
        counted = padded_for_strides(ones, *around, odd_before=self.odd_before)
        return self.apply(whole), replace(self, data=counted).apply(whole)


def sides(pairs: Pairs) -> tuple[int, ...]:
    """Return pairs of padding widths as one tuple: before each axis, then after each axis."""
    return (*(before for before, _ in pairs), *(after for _, after in pairs))


def explicitly_padded(
    x: Expr, axes: Sequence[int], padding: Sequence[int], reaches: Sequence[int],
    strides: Sequence[int],
) -> PaddedWindows:  # fmt: skip
    """Return windows of `x` with known padding: its widths before all axes, then after all."""
    return PaddedWindows(x, tuple(padding), x, axes, tuple(reaches), tuple(strides), span=x.span)


def same_padded(
    x: Expr, axes: Sequence[int], reaches: Sequence[int], strides: Sequence[int], fill: float,
    *, odd_before: bool = False,
) -> PaddedWindows:  # fmt: skip
    """Return windows of `x` with "same" padding along `axes`.

    If the padding is added to `x`, because its width is dynamic, its elements are `fill`.
    """
    rows = zip((x.tensor_type.shape[axis] for axis in axes), reaches, strides, strict=True)
    found = [padding_for_strides(*row) for row in rows]
    known = [pair for pair in found if pair is not None]
    if len(known) == len(found):
        small, large = zip(*known, strict=True)
        pairs = (*large, *small) if odd_before else (*small, *large)
        return explicitly_padded(x, axes, pairs, reaches, strides)
    filling = constant(fill, x.tensor_type.dtype)
    data = padded_for_strides(x, axes, reaches, strides, filling, odd_before=odd_before)
    none = (0,) * (2 * len(axes))
    return replace(
        explicitly_padded(x, axes, none, reaches, strides), data=data, odd_before=odd_before
    )

"""The pass that folds explicit padding into the convolutions and poolings that read it."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.expr import Array, Call, Expr
from relay.opdef.definition import OperatorDef
from relay.opdef.layout import Layout
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_base import AvgPool, MaxPool
from relay.support.node import replace, value
from relay.transform.canonicalize.padded_convolutions import convolution_of, padding_number
from relay.transform.rewriting import RewritePass, Rule

data, fill = wildcard(), is_constant()
pad, pool = operators(Pad, pad_mode="constant"), operators(MaxPool, AvgPool)
convolved = convolution_of(pad(data, fill))
pooled = pool(pad(data, fill))


@value
class FoldExplicitPadding(RewritePass):
    """Move a constant padding of spatial axes into the convolution or pooling that reads it.

    These operators and paddings are supported:

    1. A convolution of data that are padded with zeros; a quantised convolution of data that are
       padded with their zero point, if it is known.
    2. A max pooling of data that are padded with minus infinity, or with the lowest number of their
       type.
    3. An average pooling of data that are padded with zeros, unless the pooling itself has padding
       that it does not count: the new operator counts all padding.

    Padding widths are known and not negative, and layouts are plain. Poolings do not round sizes
    up.
    """

    def rules(self) -> Sequence[Rule]:
        """Return one rule for convolutions and one for poolings of padded tensors."""
        return (Rule(convolved, _into_convolution), Rule(pooled, _into_pool))


def _into_convolution(found: Found) -> Expr | None:
    call = found[convolved]
    op = cast("ConvBase", call.op)
    padding = _padding(op.data_layout, op.spatial, op.pads, found[pad])
    if padding is None or found[fill].array.item() != padding_number(call):
        return None
    return Call(replace(op, padding=padding), (found[data], *call.args[1:]), span=call.span)


def _into_pool(found: Found) -> Expr | None:
    op = found[pool]
    padding = _padding(op.layout, op.spatial, op.pads, found[pad])
    if padding is None or op.ceil_mode:
        return None
    moved: OperatorDef | None = None
    if isinstance(op, MaxPool) and _is_lowest(found[fill].array):  # case 2
        moved = replace(op, padding=padding)
    if isinstance(op, AvgPool) and not found[fill].array.any():  # case 3
        counts = op.count_include_pad or not any(op.padding)
        moved = replace(op, padding=padding, count_include_pad=True) if counts else None
    return None if moved is None else Call(moved, (found[data],), span=found[pooled].span)


def _is_lowest(fill: Array) -> bool:
    element = fill.dtype
    if np.issubdtype(element, np.floating):
        return bool((fill <= np.finfo(element).min).all())
    return bool(np.issubdtype(element, np.integer) and (fill == np.iinfo(element).min).all())


def _padding(
    layout: str, spatial: str, own: Sequence[tuple[int, int]], op: Pad
) -> tuple[int, ...] | None:
    """Return the operator's own padding plus that of `op`, or None.

    It is None if `op` pads axes other than the `spatial` ones, or if a width is unknown or
    negative.
    """
    letters = Layout.parse(layout)
    widths = dict(zip(letters.letters, op.pad_width, strict=False))
    known = all(isinstance(w, int) and w >= 0 for pair in op.pad_width for w in pair)
    others = any(any(pair) for letter, pair in widths.items() if letter not in spatial)
    if not letters.is_plain or not known or others:
        return None
    more = [cast("tuple[int, int]", widths[letter]) for letter in spatial]
    both = [(a + c, b + d) for (a, b), (c, d) in zip(own, more, strict=True)]
    return (*(low for low, _ in both), *(high for _, high in both))

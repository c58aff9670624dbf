"""The pass that recognises dilated convolutions between space-to-batch and batch-to-space."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import cast

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.dims import static
from relay.ir.expr import Call, Expr
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.space_to_depth_and_batch import BatchToSpaceND, SpaceToBatchND
from relay.support.node import replace, value
from relay.transform.canonicalize.padded_convolutions import convolution_of, padding_number
from relay.transform.rewriting import RewritePass, Rule

data, to_batch, to_space = wildcard(), operators(SpaceToBatchND), operators(BatchToSpaceND)
blocks_of_data = to_batch(data)
convolved = convolution_of(blocks_of_data)
result = to_space(convolved)


@value
class FlattenAtrousConv(RewritePass):
    """Replace `batch_to_space_nd(conv(space_to_batch_nd(x), w))` by a dilated convolution.

    With blocks of `b` along an axis, a convolution with dilation `d` and padding `p` becomes one
    with dilation `b·d`; its padding is `b·p` plus the padding of the first operator minus the
    cropping of the last one. All of these conditions must hold:

    1. Both operators use blocks of the same size, on spatial axes only.
    2. The convolution has strides of 1, and its result has the layout of the data.
    3. The padding value is the one with which the convolution pads: zero, or the zero point of a
       quantised convolution. Cropping removes no more than the padding adds.
    """

    def rules(self) -> Sequence[Rule]:
        """Return the rule that matches batch-to-space of a convolution of space-to-batch."""
        return (Rule(result, _dilated),)


def _dilated(found: Found) -> Expr | None:
    before, after = found[to_batch], found[to_space]
    op = cast("ConvBase", found[convolved].op)
    if before.block_shape != after.block_shape or not _pads_alike(found, before):
        return None
    letters = op.layouts[0].letters
    plain = all(layout.is_plain for layout in op.layouts) and op.layouts[2] is op.layouts[0]
    if not plain or letters[0] != "N" or set(op.strides) != {1}:
        return None
    blocks = dict(zip(letters[1:], before.block_shape, strict=False))
    moved = dict(zip(letters[1:], zip(before.paddings, after.crops, strict=True), strict=False))
    if blocks.get("C", 1) != 1 or any(chain.from_iterable(moved.get("C", ()))):
        return None
    pads = [
        [block * own + side for own, side in zip(pair, _added(moved.get(letter)), strict=True)]
        for letter, pair, block in _per_axis(op, blocks)
    ]
    if any(pad < 0 for pad in chain.from_iterable(pads)):
        return None
    dilation = tuple(d * blocks.get(x, 1) for x, d in zip(op.spatial, op.dilation, strict=True))
    padding = (*(low for low, _ in pads), *(high for _, high in pads))
    flat = replace(op, dilation=dilation, padding=padding)
    return Call(flat, (found[data], *found[convolved].args[1:]), span=found[result].span)


def _pads_alike(found: Found, before: SpaceToBatchND) -> bool:
    """Whether the operator before the convolution pads nothing, or with the same number."""
    if not any(chain.from_iterable(before.paddings)):
        return True
    fits = found[data].tensor_type.dtype.holds(before.pad_value)
    return fits and before.pad_value == padding_number(found[convolved])


def _per_axis(op: ConvBase, blocks: dict[str, int]) -> Iterator[tuple[str, tuple[int, int], int]]:
    for letter, pair in zip(op.spatial, op.pads, strict=True):
        yield letter, pair, blocks.get(letter, 1)


def _added(moved: tuple[tuple[int, int], tuple[int, int]] | None) -> tuple[int, int]:
    """Return the padding minus the cropping, before and after each axis; zeros if `moved` is None.

    `moved` pairs the padding of a space-to-batch operator with the cropping of a batch-to-space
    one.
    """
    if moved is None:
        return 0, 0
    padded, cropped = static(moved[0]), static(moved[1])
    return padded[0] - cropped[0], padded[1] - cropped[1]

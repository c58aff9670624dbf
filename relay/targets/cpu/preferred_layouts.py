"""Chooses the layouts in which convolutions and dense layers run fastest on a CPU."""

from collections.abc import Sequence

from relay.ir.dims import is_static, static
from relay.ir.expr import Call, Constant
from relay.ir.types import TensorType
from relay.kernels.cpu_model import CpuModel
from relay.kernels.packed_dot_products import PARTS
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.nn.conv import Convolution
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_transpose import ConvolutionTranspose
from relay.ops.nn.conv_weight_gradient import ConvolutionBackwardWeight
from relay.ops.nn.dense_pack import DensePack
from relay.ops.nn.matmul import Dense
from relay.support.dtype import int32
from relay.support.node import replace
from relay.targets.cpu.schedules.size_hints import product, samples_of

_FEW = 8  # fewer channels are not worth a block
_POOR = 0.5  # the least acceptable fraction of a block's lanes that hold channels
CYCLES_OF_MOVE = 0.5  # cycles for copying an element into another layout
_WIDEST = 4  # the most vectors in a block
_LONGEST = 64  # the most channels of one tap whose products are summed before those of the next
_IN_FLIGHT = 8  # independent sums: two multiply-adds a cycle, with a latency of four cycles each
_IN_BLOCKS = (Convolution, ConvolutionTranspose, ConvolutionBackwardWeight)
_FEW_ROWS = 3  # the most rows for which so many sums fit in registers


def prefer(
    call: Call, layouts: Sequence[ArgLayout], machine: CpuModel, *, in_blocks: bool = False
) -> Relayout | None:
    """Return a convolution or dense layer in the layouts that are fastest, or None.

    These layouts have blocks of channels as wide as a vector. The result is None if plain layouts
    are better; with `in_blocks`, plain data is converted to blocks unless they are mostly empty.

    `layouts` are those in which the arguments are available already.
    """
    if isinstance(call.op, Convolution) and _sums_bytes(call):
        words = _of_bytes(call.op, call, layouts[0], machine)
        if words is not None:
            return words
    if isinstance(call.op, _IN_BLOCKS) and not _has_known_channels(call):
        return None
    match call.op:
        case Convolution() as op if _is_plain(op, f"OI{op.spatial}"):
            blocked = _convolution(op, call, machine)
            if blocked is None or _has_poor_blocks(blocked, call, machine):
                return None
            stays = not in_blocks and _is_better_plain(blocked, call, layouts[0], machine)
            return None if stays else blocked
        case ConvolutionTranspose() as op if op.groups == 1 and _is_plain(op, f"IO{op.spatial}"):
            return _transposed(op, call, machine)
        case ConvolutionBackwardWeight() as op if _is_plain(op, f"OI{op.spatial}"):
            return _weight_gradient(op, call, machine)
        case Dense() as op if isinstance(call.args[1], Constant):
            return _dense(op, call, machine)
        case _:
            return None


def _has_known_channels(call: Call) -> bool:
    """Whether all dimensions of a call except the batch and the extents of the image are static."""
    data, weight = (arg.tensor_type for arg in call.args)
    if isinstance(call.op, ConvolutionBackwardWeight):
        data, weight = weight, call.tensor_type
    return is_static(weight.shape) and isinstance(data.shape[1], int)


def _dense(op: Dense, call: Call, machine: CpuModel) -> Relayout | None:
    """Return a dense layer whose weight is packed in panels as wide as a vector.

    The last panel is padded with zeros. With few rows, every weight is read once: if the weight is
    larger than the L1 cache, a panel is as wide as the number of independent sums, so that the
    weight is read sequentially; otherwise panels have equal sizes. If no block size is efficient
    for the units, all of them form one panel: it is split into vectors when it is read, and the
    last vector is partial.
    """
    data, weight = (arg.tensor_type for arg in call.args)
    units = static(weight.shape)[0]
    lanes = machine.lanes(op.out_dtype or data.dtype)
    few = is_static(data.shape) and product(static(data.shape)[:-1]) <= _FEW_ROWS
    streams = few and _is_far(weight, machine)
    block = _streamed_panel(units, lanes) if streams else _block(units, lanes)
    words = f"{PARTS}c" if _sums_bytes(call) and static(weight.shape)[1] % PARTS == 0 else ""
    if units < _FEW:
        return None
    if not few and units > lanes and fullness(block, lanes) < 1:
        block = lanes
    fits = fullness(block, lanes) >= _POOR
    layout = Layout.parse(f"NC{block if fits else units}n{words}")
    return Relayout(DensePack(str(layout), units, op.out_dtype), (None, layout), None)


def _sums_bytes(call: Call) -> bool:
    """Whether a call sums products of 8-bit integers in int32, for which words are faster.

    A word holds four adjacent integers, which are read together.
    """
    operands = [arg.tensor_type.dtype for arg in call.args]
    are_bytes = all(each.is_integer and each.bits == 8 for each in operands)
    return are_bytes and call.tensor_type.dtype is int32


def _of_bytes(
    op: Convolution, call: Call, at_hand: ArgLayout, machine: CpuModel
) -> Relayout | None:
    """Return a convolution of bytes whose weight holds words of four input channels, or None.

    Data with the channels last stays as it is; other data gets blocks of channels. Channels that do
    not fill the last word are padded if the data is plain. The result is None for a depthwise
    convolution, and if words would cross blocks or groups.
    """
    data, weight = (arg.tensor_type for arg in call.args)
    letters, order = op.data_layout, "".join(op.layouts[1].letters)
    is_plain = op.layouts[0].is_plain and op.layouts[1].is_plain
    if not (is_plain and op.out_layout in ("", letters) and is_static(weight.shape)):
        return None
    sizes = op.layouts[1].static_sizes(static(weight.shape))
    inner, outer, lanes = sizes["I"], sizes["O"] // op.groups, machine.lanes(int32)
    if inner == 1 or outer < _FEW or op.is_multiplier(op.plain_data(data), sizes):
        return None
    last, out = letters.endswith("C"), _block(outer, lanes)
    into = _word_block(inner) if last else _block(inner, lanes)
    pads = inner < _FEW and into % PARTS > 0 and at_hand is None and op.groups == 1
    into = PARTS * -(-inner // PARTS) if pads else into
    if into % PARTS:
        return None
    data_layout = letters if last and not pads else f"{letters}{into}c"
    result = letters if last else f"{letters}{out}c"
    kernel = f"OI{op.spatial}{into // PARTS}i{out}o{PARTS}i"
    changed = replace(op, data_layout=data_layout, kernel_layout=kernel, out_layout=result)
    layouts = [None if each == letters else Layout.parse(each) for each in (data_layout, result)]
    return Relayout(changed, (layouts[0], Layout.parse(kernel).of(order)), layouts[1])


def _word_block(channels: int) -> int:
    """Return the largest block of whole words that divides `channels`, or 1 if there is none."""
    blocks = range(PARTS, _LONGEST + 1, PARTS)
    return max((n for n in blocks if channels % n == 0), default=1)


def _convolution(op: Convolution, call: Call, machine: CpuModel) -> Relayout | None:
    """Return the blocked form of a convolution in plain layout.

    1. Depthwise: channels are in blocks, and each lane has its own channel.
    2. Few input channels (an image): the data is plain, the result is blocked.
    3. Otherwise, input and output channels are in blocks. With groups, blocks must not cross them.
    """
    data, weight = (arg.tensor_type for arg in call.args)
    lanes = machine.lanes(call.tensor_type.dtype)
    channels, outer, inner = static((data.shape[1], *weight.shape[:2]))
    if op.groups == channels == outer and inner == 1:  # case 1
        block = _block(channels, lanes)
        return None if channels < _FEW else _blocked(op, block, block, f"OI{op.spatial}{block}o")
    into, out = _block(inner, lanes), _block(outer // op.groups, lanes)
    if outer // op.groups < _FEW:
        return None
    if inner < _FEW:  # case 2
        return _blocked(op, 0, out, f"OI{op.spatial}{out}o") if op.groups == 1 else None
    return _blocked(op, into, out, f"OI{op.spatial}{into}i{out}o")  # case 3


def _is_better_plain(blocked: Relayout, call: Call, at_hand: ArgLayout, machine: CpuModel) -> bool:
    """Whether a convolution is faster in plain layout, with lanes along the width, than in blocks.

    Only data that is available in plain layout stays plain, and an image with few channels does
    not: the later layers with many channels run faster in blocks.
    """
    data, weight = (arg.tensor_type for arg in call.args)
    lanes = machine.lanes(call.tensor_type.dtype)
    plain, full = fullness_along(call, lanes), fullness(_block_of(blocked.output), lanes)
    if full < _POOR:
        return False  # blocks are fuller than rows
    if not (is_pointwise(call) or is_static(call.tensor_type.shape[-1:])):
        return False  # lanes along rows of dynamic length are often idle, and tested at each end
    if at_hand is not None or (blocked.inputs[0] is None and not is_pointwise(call)):
        return False
    elements, results = (product(ty.shape) for ty in (data, call.tensor_type))
    products = product(static(weight.shape)[1:]) / (lanes * max(1, machine.fma_ports))
    moved = CYCLES_OF_MOVE * (1 + elements / results * is_pointwise(call))
    return products / plain < products / full + moved


def _has_poor_blocks(blocked: Relayout, call: Call, machine: CpuModel) -> bool:
    """Whether blocks would be mostly empty, and emptier than rows of the plain result."""
    lanes = machine.lanes(call.tensor_type.dtype)
    full = fullness(_block_of(blocked.output), lanes)
    return full < _POOR and fullness_along(call, lanes) > full


def fullness_along(call: Call, lanes: int) -> float:
    """Return the fraction of lanes along the width of a plain result that hold elements.

    If the width is dynamic, this is the mean over sample widths.
    """
    sizes = call.tensor_type.shape[2:]
    widths = [product(sizes)] if is_pointwise(call) else samples_of(sizes[-1])
    return sum(fullness(width, lanes) for width in widths) / len(widths)


def is_pointwise(call: Call) -> bool:
    """Whether each result position depends on one input position, as with a 1 x 1 kernel."""
    return product(static(call.args[1].tensor_type.shape)[2:]) == 1


def _block_of(layout: Layout | None) -> int:
    return 1 if layout is None else layout.block("C")


def _transposed(op: ConvolutionTranspose, call: Call, machine: CpuModel) -> Relayout:
    """Return the blocked form of a transposed convolution.

    Data with few input channels stays plain.
    """
    data, weight = (arg.tensor_type for arg in call.args)
    inner, outer = static(weight.shape)[:2]
    lanes = machine.lanes(data.dtype)
    into, out = (0 if inner < _FEW else _block(inner, lanes)), _block(outer, lanes)
    blocks = f"{into}i{out}o" if into else f"{out}o"
    return _blocked(op, into, out, f"IO{op.spatial}{blocks}")


def _weight_gradient(
    op: ConvolutionBackwardWeight, call: Call, machine: CpuModel
) -> Relayout | None:
    """Return the blocked form of a weight's derivative: lanes hold output channels.

    Few input channels (an image) stay plain. Blocks must not cross groups.
    """
    weight = static(call.tensor_type.shape)
    inner, outer, lanes = weight[1], weight[0] // op.groups, machine.lanes(call.tensor_type.dtype)
    if outer < _FEW or (inner < _FEW and op.groups > 1):
        return None
    into, out = (0 if inner < _FEW else _block(inner, lanes)), _block(outer, lanes)
    plain = f"NC{op.spatial}"
    data, grad = f"{plain}{into}c" if into else plain, f"{plain}{out}c"
    kernel = f"OI{op.spatial}{into}i{out}o" if into else f"OI{op.spatial}{out}o"
    changed = replace(op, data_layout=data, kernel_layout=kernel, out_layout=grad)
    source = Layout.parse(data) if into else None
    return Relayout(changed, (Layout.parse(grad), source), Layout.parse(kernel))


def _is_plain(op: ConvBase, kernel: str) -> bool:
    letters = f"NC{op.spatial}"
    is_plain = op.data_layout == letters and op.out_layout in ("", letters)
    return is_plain and op.kernel_layout == kernel


def _block(channels: int, lanes: int) -> int:
    """Return the size of the blocks into which channels are split.

    It is the divisor with the fullest vectors: one vector if it divides the channels, else a few,
    of which the last has idle lanes.

    >>> [_block(channels, 16) for channels in (64, 24, 40, 8, 1000, 17)]
    [16, 24, 40, 8, 40, 17]
    """
    divisors = [n for n in range(1, _WIDEST * lanes + 1) if channels % n == 0]
    best = max(fullness(n, lanes) for n in divisors)
    full = [n for n in divisors if fullness(n, lanes) == best]
    return min(full) if best == 1 else max(full)


def _is_far(weight: TensorType, machine: CpuModel) -> bool:
    """Whether a weight is too large to stay in the L1 cache until it is read again."""
    return product(static(weight.shape)) * weight.dtype.itemsize > 1.5 * machine.l1


def _streamed_panel(units: int, lanes: int) -> int:
    """Return the panel width of a weight for data of few rows.

    It is the divisor of `units`, up to `_IN_FLIGHT` vectors, that wastes the fewest lanes.

    >>> [_streamed_panel(units, 16) for units in (1024, 384, 600, 64, 24, 59)]
    [128, 128, 120, 64, 24, 59]
    """
    divisors = [n for n in range(1, _IN_FLIGHT * lanes + 1) if units % n == 0]
    return max(divisors, key=lambda n: (fullness(n, lanes), n))


def fullness(size: int, lanes: int) -> float:
    """Return the fraction of the lanes in a block of `size` channels that hold channels."""
    return size / (-(-size // lanes) * lanes)


def _blocked(op: ConvBase, into: int, out: int, kernel: str) -> Relayout:
    plain = f"NC{op.spatial}"
    data = f"{plain}{into}c" if into else plain
    result = f"{plain}{out}c"
    changed = replace(op, data_layout=data, kernel_layout=kernel, out_layout=result)
    source = Layout.parse(data) if into else None
    return Relayout(changed, (source, Layout.parse(kernel)), Layout.parse(result))

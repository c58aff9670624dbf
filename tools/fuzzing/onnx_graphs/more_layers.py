"""Rules of less common layers: quantised products, losses, regions, transforms, normalisations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tools.fuzzing.onnx_graphs.arithmetic import need, some_axes
from tools.fuzzing.onnx_graphs.grower import Array, Grower, Node, Value


def _float32(value: Value) -> bool:
    return value.array.dtype == np.float32 and value.array.size > 0


def _images(grower: Grower, ranks: Sequence[int] = (3, 4, 4, 5)) -> Value:
    rank = grower.random.choice(ranks)
    return grower.pick(lambda v: _float32(v) and v.rank == rank)


def activation(grower: Grower) -> Node:
    """Add an activation of a later opset, or one with parameters."""
    choices: list[tuple[str, int, dict[str, Any]]] = [
        ("Mish", 18, {}),
        ("Gelu", 20, {"approximate": grower.random.choice(["none", "tanh"])}),
        ("Shrink", 9, {"lambd": 0.4, "bias": 0.25}),
        ("Sinh", 9, {}),
        ("Asinh", 9, {}),
        ("Tan", 7, {}),
    ]
    op, since, attributes = grower.random.choice(choices)
    need(grower.opset >= since)
    bound = 1.2 if op == "Tan" else 5.0
    x = grower.pick(lambda v: _float32(v) and float(np.max(np.abs(v.array))) < bound)
    need(op != "Shrink" or x.is_exact)
    return Node(op, [x], attributes)


def hard_max(grower: Grower) -> Node:
    """Add a `Hardmax` of exact numbers."""
    x = grower.pick(lambda v: _float32(v) and v.rank > 0 and v.is_exact)
    return Node("Hardmax", [x], {"axis": grower.axis(x.rank)})


def power(grower: Grower) -> Node:
    """Add a power: of positive numbers, or by a small integer."""
    if grower.chance(0.5):
        x = grower.pick(lambda v: _float32(v) and float(np.min(v.array)) > 0.1)
        need(float(np.max(x.array)) < 20)
        return Node("Pow", [x, np.array(grower.random.choice([0.5, -1, 1.5]), np.float32)])
    x = grower.pick(lambda v: _float32(v) and float(np.max(np.abs(v.array))) < 20)
    kind = grower.random.choice([np.float32, np.int64])
    return Node("Pow", [x, np.array(grower.random.choice([2, 3]), kind)])


def tests_of_numbers(grower: Grower) -> Node:
    """Add a node that tests for infinities or NaN, of which there are none."""
    return Node(grower.random.choice(["IsNaN", "IsInf"]), [grower.pick(_float32)])


def bitwise(grower: Grower) -> Node:
    """Add a bitwise operator of integers and a constant."""
    need(grower.opset >= 18)
    x = grower.pick(lambda v: v.is_integer and v.array.size > 0)
    if grower.chance(0.3):
        return Node("BitwiseNot", [x])
    op = grower.random.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
    return Node(op, [x, grower.numbers(x.shape[-1:], x.array.dtype)])


def integer_product(grower: Grower) -> Node:
    """Add a product or a convolution of bytes, minus zero points."""
    x = grower.pick(lambda v: v.array.dtype.name in ("uint8", "int8") and v.rank > 1)
    need(x.array.size > 0)
    zero = np.array(grower.random.choice([0, 3]), x.array.dtype)
    kind = grower.random.choice([np.uint8, np.int8])
    if x.rank == 4 and grower.chance(0.6):
        w = grower.integers([2, x.shape[1], 1, min(2, x.shape[3])], 0, 9, np.uint8)
        return Node("ConvInteger", [x, w, zero])
    w = grower.integers([x.shape[-1], 3], 0, 9, kind)
    return Node("MatMulInteger", [x, w, zero, np.array(1, kind)])


def dynamic_quantization(grower: Grower) -> Node:
    """Add a node that quantises by the range of the data."""
    return Node("DynamicQuantizeLinear", [grower.pick(_float32)], results=3)


def quantize_axis(grower: Grower) -> Node:
    """Add a node that quantises exact numbers with a scale for each slice."""
    x = grower.pick(lambda v: _float32(v) and v.rank > 0 and v.is_exact)
    axis = grower.axis(x.rank)
    scale = np.array([grower.random.choice([0.125, 0.25, 1])] * x.shape[axis], np.float32)
    kind = grower.random.choice([np.uint8, np.int8])
    zeros = grower.numbers([x.shape[axis]], kind)
    return Node("QuantizeLinear", [x, scale, zeros], {"axis": axis})


def group_normalization(grower: Grower) -> Node:
    """Add a normalisation of groups of channels, or of chosen axes."""
    x = _images(grower, (3, 4))
    if grower.chance(0.4) or grower.opset < 21:
        return Node("MeanVarianceNormalization", [x], {"axes": [0, 2] if x.rank == 3 else [2, 3]})
    channels = x.shape[1]
    groups = grower.random.choice([each for each in (1, 2, 3, channels) if channels % each == 0])
    scale, bias = (grower.numbers([channels]) for _ in range(2))
    return Node("GroupNormalization", [x, scale, bias], {"num_groups": groups})


def determinant(grower: Grower) -> Node:
    """Add the determinants of small matrices."""
    x = grower.pick(lambda v: _float32(v) and v.rank >= 2 and v.shape[-1] == v.shape[-2] <= 4)
    return Node("Det", [x])


def rearranged_windows(grower: Grower) -> Node:
    """Add a node that crops or pads to a size around the centre, or puts columns into images."""
    need(grower.opset >= 18)
    if grower.chance(0.5):
        x = grower.pick(lambda v: _float32(v) and v.rank > 0)
        axes = some_axes(grower, x) or [0]
        return Node("CenterCropPad", [x, grower.integers([len(axes)], 1, 7)], {"axes": axes})
    x = grower.pick(lambda v: _float32(v) and v.rank == 3 and v.shape[1] % 4 == 0)
    need(x.shape[2] % 2 == 0)
    size, block = np.array([3, x.shape[2] // 2 + 1], np.int64), np.array([2, 2], np.int64)
    return Node("Col2Im", [x, size, block])


def region_align(grower: Grower) -> Node:
    """Add a pooling of regions of images, which lie between pixels."""
    need(grower.opset >= 16)
    x = _images(grower, (4,))
    boxes = np.array([[0.3, 0.2, 2.6, 1.7], [0.1, 0.4, 1.3, 2.9]], np.float32)
    images = grower.integers([2], 0, x.shape[0])
    attributes: dict[str, Any] = {
        "output_height": 2, "output_width": grower.random.randint(1, 3),
        "sampling_ratio": grower.random.randint(0, 2), "mode": grower.random.choice(["avg", "max"]),
    }  # fmt: skip
    if attributes["mode"] == "max":
        attributes["sampling_ratio"] = 1  # its definition differs from ONNX Runtime's otherwise
    return Node("RoiAlign", [x, boxes, images], attributes)


def max_unpool(grower: Grower) -> Node:
    """Add a node that puts maxima back to positions of a max pooling."""
    x = grower.pick(lambda v: _float32(v) and v.rank == 4)
    places = grower.pick(lambda v: v.array.dtype == np.int64 and v.shape == x.shape)
    size = int(np.prod(x.shape[:2])) * 4 * x.shape[2] * x.shape[3]
    inside = bool(np.all((places.array >= 0) & (places.array < size)))
    need(inside and len(np.unique(places.array)) == places.array.size)
    return Node("MaxUnpool", [x, places], {"kernel_shape": [2, 2], "strides": [2, 2]})


def loss(grower: Grower) -> Node:
    """Add the loss of a classification.

    The number of labels is fixed; ONNX Runtime does not check that the data has as many rows, but
    checks sizes of a reshape.
    """
    x = grower.pick(lambda v: _float32(v) and v.rank >= 2)
    grower.add(Node("Reshape", [x, np.array(x.shape, np.int64)]))
    x = grower.values[-1]
    labels = grower.integers([x.shape[0], *x.shape[2:]], 0, x.shape[1])
    weights: list[Array] = [np.abs(grower.numbers([x.shape[1]])) + 1] if grower.chance(0.4) else []
    op = grower.random.choice(["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
    reduction = grower.random.choice(["none", "mean", "sum"])
    return Node(op, [x, labels, *weights], {"reduction": reduction})


def fourier(grower: Grower) -> Node:
    """Add a Fourier transform of real numbers along an axis."""
    need(grower.opset >= 17)
    x = grower.pick(lambda v: _float32(v) and 2 <= v.rank <= 4)
    real = np.array([*x.shape, 1], np.int64)
    need(x.shape[-1] == 1)
    one_sided = grower.random.randint(0, 1)
    axis = grower.random.randrange(x.rank - 1)
    need(real[axis] > 0)
    if grower.opset >= 20:
        return Node("DFT", [x, None, np.array(axis, np.int64)], {"onesided": one_sided})
    need(axis > 0)
    return Node("DFT", [x], {"onesided": one_sided, "axis": axis})


def scatter_extremes(grower: Grower) -> Node:
    """Add a scatter that keeps the larger or smaller element."""
    need(grower.opset >= 18)
    x = grower.pick(lambda v: _float32(v) and v.rank > 0)
    kind = {"reduction": grower.random.choice(["max", "min"])}
    if grower.chance(0.5):
        indices = grower.integers([2, 1], 0, x.shape[0])
        return Node("ScatterND", [x, indices, grower.numbers([2, *x.shape[1:]])], kind)
    axis = grower.axis(x.rank)
    indices = grower.integers(x.shape, 0, x.shape[axis])
    return Node("ScatterElements", [x, indices, grower.numbers(x.shape)], {"axis": axis, **kind})


def boxes(grower: Grower) -> Node:
    """Add the selection of boxes whose overlaps are small; their number depends on data."""
    count = grower.random.randint(1, 6)
    corners = grower.random.sample([(y, x) for y in range(4) for x in range(4)], count)
    places = np.array([[[y, x, y + 1.6, x + 1.3] for y, x in corners]], np.float32)
    scores = grower.pick(lambda v: _float32(v) and v.rank == 3 and v.is_exact)
    need(scores.shape[0] == 1 and scores.shape[2] == count)
    limits = (np.array(2, np.int64), np.array(0.3, np.float32), np.array(0.1, np.float32))
    need(np.unique(scores.array).size == scores.array.size)  # the order of equal scores is open
    return Node("NonMaxSuppression", [places, scores, *limits])


RULES = (
    activation, activation, hard_max, power, power, tests_of_numbers, bitwise, integer_product,
    integer_product, dynamic_quantization, quantize_axis, group_normalization, determinant,
    rearranged_windows, region_align, max_unpool, max_unpool, loss, fourier, scatter_extremes,
    boxes,
)  # fmt: skip

"""Rules of layers of networks: convolutions, pooling, normalisation, resizing, recurrence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tools.fuzzing.onnx_graphs.arithmetic import need
from tools.fuzzing.onnx_graphs.grower import Array, Grower, Node, Value


def _images(grower: Grower, ranks: Sequence[int] = (3, 4, 4, 5)) -> Value:
    """Return a batch of images, lines or volumes."""
    rank = grower.random.choice(ranks)
    return grower.pick(
        lambda v: v.array.dtype == np.float32 and v.rank == rank and v.array.size > 0
    )


def _windows(grower: Grower, x: Value, *, dilated: bool) -> dict[str, Any]:
    """Return the attributes of windows that slide over the last axes."""
    spatial = x.rank - 2
    dilations = [grower.random.choice([1, 1, 2]) if dilated else 1 for _ in range(spatial)]
    kernel = [grower.random.randint(1, min(3, size)) for size in x.shape[2:]]
    found: dict[str, Any] = {"kernel_shape": kernel}
    if any(each > 1 for each in dilations):
        found["dilations"] = dilations
    if grower.chance(0.5):
        found["strides"] = [grower.random.randint(1, 2) for _ in range(spatial)]
    kind = grower.random.random()
    if kind < 0.4:
        found["pads"] = [grower.random.randint(0, size - 1) for size in (*kernel, *kernel)]
    elif kind < 0.6:
        found["auto_pad"] = grower.random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    return found


def convolution(grower: Grower) -> Node:
    """Add a convolution, which may be grouped."""
    x = _images(grower)
    windows = _windows(grower, x, dilated=True)
    channels = x.shape[1]
    groups = grower.random.choice([1, 1, channels, 2 if channels % 2 == 0 else 1])
    outputs = groups * grower.random.choice([1, 2, 4])
    w = grower.numbers([outputs, channels // groups, *windows["kernel_shape"]])
    bias = [grower.numbers([outputs])] if grower.chance(0.6) else []
    return Node("Conv", [x, w, *bias], {"group": groups, **windows})


def transposed_convolution(grower: Grower) -> Node:
    """Add a transposed convolution."""
    x = _images(grower, (3, 4))
    windows = _windows(grower, x, dilated=True)
    windows.pop("auto_pad", None)
    channels = x.shape[1]
    groups = grower.random.choice([1, 1, channels])
    w = grower.numbers([channels, grower.random.randint(1, 3), *windows["kernel_shape"]])
    if "strides" in windows and grower.chance(0.4):
        windows["output_padding"] = [each - 1 for each in windows["strides"]]
    bias = [grower.numbers([groups * w.shape[1]])] if grower.chance(0.6) else []
    return Node("ConvTranspose", [x, w, *bias], {"group": groups, **windows})


def pool(grower: Grower) -> Node:
    """Add a node that pools windows by maximum, average or norm."""
    x = _images(grower)
    op = grower.random.choice(["MaxPool", "AveragePool", "AveragePool", "LpPool"])
    windows = _windows(grower, x, dilated=op == "MaxPool")
    if "auto_pad" in windows:
        windows.pop("dilations", None)  # ONNX Runtime ignores them when it computes the padding
    if op == "AveragePool":
        windows["count_include_pad"] = grower.random.randint(0, 1)
    if op != "LpPool" and "auto_pad" not in windows and grower.chance(0.3):
        windows["ceil_mode"] = 1
    return Node(op, [x], windows)


def pool_with_places(grower: Grower) -> Node:
    """Add a max pooling that also returns the positions of the maxima."""
    x = _images(grower, (4,))
    need(x.is_exact)
    return Node("MaxPool", [x], _windows(grower, x, dilated=False), results=2)


def global_pool(grower: Grower) -> Node:
    """Add a node that pools whole images."""
    return Node(grower.random.choice(["GlobalAveragePool", "GlobalMaxPool"]), [_images(grower)])


def batch_normalization(grower: Grower) -> Node:
    """Add a node that normalises channels by constants."""
    x = _images(grower, (2, 3, 4))
    channels = [x.shape[1]]
    parameters = [grower.numbers(channels) for _ in range(3)]
    return Node("BatchNormalization", [x, *parameters, np.abs(grower.numbers(channels)) + 1])


def normalization(grower: Grower) -> Node:
    """Add a node that normalises by the statistics of the data."""
    op = grower.random.choice(
        ["LayerNormalization", "InstanceNormalization", "LRN", "LpNormalization"]
    )
    if op == "LayerNormalization":
        need(grower.opset >= 17)
        x = grower.pick(lambda v: v.array.dtype == np.float32 and v.rank > 0 and v.array.size > 0)
        axis = grower.axis(x.rank)
        scale, bias = (grower.numbers(x.shape[axis:]) for _ in range(2))
        return Node(op, [x, scale, bias], {"axis": axis, "epsilon": 0.01})
    if op == "LpNormalization":
        x = grower.pick(lambda v: v.array.dtype == np.float32 and v.rank > 0)
        norms = np.abs(x.array).sum(-1)
        need(float(np.min(norms, initial=9)) > 0.1)
        return Node(op, [x], {"axis": -1, "p": grower.random.choice([1, 2])})
    x = _images(grower, (3, 4) if op == "InstanceNormalization" else (4,))
    if op == "LRN":
        return Node(op, [x], {"size": grower.random.choice([1, 3, 5]), "alpha": 0.1, "bias": 1.0})
    parameters = [grower.numbers([x.shape[1]]) for _ in range(2)]
    return Node(op, [x, *parameters], {"epsilon": 0.01})


def resize(grower: Grower) -> Node:
    """Add a node that resizes images by factors, or to sizes."""
    x = _images(grower, (4,))
    mode = grower.random.choice(["nearest", "linear", "linear"])
    attributes: dict[str, Any] = {
        "mode": mode,
        "coordinate_transformation_mode": grower.random.choice(
            ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
        ),
    }
    if mode == "nearest":
        attributes["nearest_mode"] = grower.random.choice(["floor", "round_prefer_floor", "ceil"])
        attributes["coordinate_transformation_mode"] = "asymmetric"
    if grower.chance(0.5):
        factors = [1, 1, *(grower.random.choice([0.5, 1, 2]) for _ in range(2))]
        return Node("Resize", [x, None, np.array(factors, np.float32)], attributes)
    need(grower.opset >= 18)
    sizes = grower.integers([2], 1, 10)
    return Node("Resize", [x, None, None, sizes], {"axes": [2, 3], **attributes})


def grid_sample(grower: Grower) -> Node:
    """Add a node that samples images at points between pixels."""
    need(grower.opset >= 16)
    x = _images(grower, (4,))
    grid = grower.numbers([x.shape[0], 3, 2, 2]) * np.float32(0.45)
    attributes: dict[str, Any] = {
        "mode": "linear" if grower.opset >= 20 else "bilinear",
        "padding_mode": grower.random.choice(["zeros", "external", "reflection"]),
        "align_corners": grower.random.randint(0, 1),
    }
    return Node("GridSample", [x, grid.astype(np.float32)], attributes)


def recurrent(grower: Grower) -> Node:
    """Add an LSTM, a GRU or a plain recurrent layer over a sequence."""
    x = _images(grower, (3,))
    need(x.shape[0] < 20)
    op, gates = grower.random.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    direction = grower.random.choice(["forward", "reverse", "bidirectional"])
    count, hidden = (2 if direction == "bidirectional" else 1), 3
    weights: list[Array | None] = [
        (grower.numbers([count, gates * hidden, size]) / 4).astype(np.float32)
        for size in (x.shape[2], hidden)
    ]
    bias = (grower.numbers([count, 2 * gates * hidden]) / 4).astype(np.float32)
    weights.append(bias if grower.chance(0.7) else None)
    if grower.chance(0.4):
        weights.append(grower.integers([x.shape[1]], 1, x.shape[0] + 1, np.int32))
    attributes: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if op == "GRU":
        attributes["linear_before_reset"] = grower.random.randint(0, 1)
    return Node(op, [x, *weights], attributes, results=2)


RULES = (
    convolution, convolution, convolution, transposed_convolution, pool, pool, pool_with_places,
    global_pool, batch_normalization, normalization, normalization, resize, grid_sample, recurrent,
)  # fmt: skip

"""Make models of one operator each with TensorFlow's converter, and LiteRT's answers for them.

    python tools/tflite_models.py tests/frontend/tflite/operators.zip [NAME …]

With names, such as `add_int8`, models are added to the archive. It needs the packages tensorflow
and ai-edge-litert. Answers are those of LiteRT's reference kernels, `OpResolverType.BUILTIN_REF`,
but for those that are wrong in LiteRT 2.3, or missing. Every function below is one model; `INT8`
and `INT16` list those that are made once more with quantised numbers, whose ranges are those of
random inputs.
"""

# What TensorFlow gives has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none

import io
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

tf: Any = import_module("tensorflow")
litert: Any = import_module("ai_edge_litert.interpreter")

Shape = Sequence[int | None]
Inputs = Sequence[Any]
_RANDOM = np.random.default_rng(0)


def weight(*shape: int) -> Any:
    """Return a random constant."""
    return tf.constant(_RANDOM.standard_normal(shape).astype(np.float32))


def positive(name: str) -> Callable[[Any], Any]:
    """Return the named function of positive numbers, extended to all numbers."""
    return lambda x: getattr(tf.math, name)(tf.math.abs(x) + 0.1)


def reduced(name: str, **options: Any) -> Callable[[Any], Any]:
    """Return a reduction over axes."""
    return lambda x: getattr(tf.math, f"reduce_{name}")(x, **options)


def segments(name: str) -> Callable[[Any, Any], Any]:
    """Return a reduction over four segments."""
    return lambda x, ids: getattr(tf.math, f"unsorted_segment_{name}")(x, ids, 4)


IMAGE = (1, 7, 8, 4)
F, N, B = tf.float32, tf.int32, tf.bool
nn, math, image, raw = tf.nn, tf.math, tf.image, tf.raw_ops

W = {
    "conv": weight(3, 3, 4, 5), "deep": weight(3, 3, 4, 2), "dense": weight(6, 5),
    "back": weight(3, 3, 5, 4), "bias": weight(5), "cube": weight(2, 2, 2, 3, 4),
    "cube_back": weight(2, 2, 2, 4, 3), "square": weight(2, 6, 3), "slope": weight(4),
    "one": weight(1, 1, 4, 6), "table": weight(9, 4),
}  # fmt: skip


def open_batch(x: Any) -> Any:
    """Return the sum of tensors whose sizes are computed from those of another one."""
    count = tf.shape(x)[0]
    product = tf.matmul(tf.reshape(x, [count * 4, 6]), W["dense"])
    filled = tf.fill(tf.stack([count, 4, 2]), 1.5)
    joined = tf.concat([tf.reshape(product, [count, 4, 5]), filled], -1)
    return joined + tf.broadcast_to(W["bias"][:1], tf.stack([count, 1, 7]))


def sparse(shape: Sequence[int], block: Sequence[int]) -> Any:
    """Return a constant of which most blocks are zero."""
    marks = _RANDOM.random([size // of for size, of in zip(shape, block, strict=True)]) > 0.9
    values = _RANDOM.standard_normal(shape) * np.kron(marks, np.ones(block))
    return tf.constant(values.astype(np.float32))


SPARSE = {
    "dense": sparse((32, 48), (1, 1)), "blocks": sparse((48, 32), (1, 16)),
    "conv": sparse((1, 1, 32, 16), (1, 1, 1, 1)),
}  # fmt: skip
L = {"kernel": weight(3, 20), "recurrent": weight(5, 20), "bias": weight(20)}


def recurrent(
    *, time_major: bool = False, go_backwards: bool = False, is_fused: bool = True
) -> Callable[[Any], Any]:
    """Return an LSTM, which the converter knows by the attributes of its function."""
    axis = 0 if time_major else 1

    def lstm(x: Any, hidden: Any, cell: Any, kernel: Any, weights: Any, bias: Any) -> Any:
        shown: list[Any] = []
        for time in range(x.shape[axis]):
            at = x.shape[axis] - 1 - time if go_backwards else time
            share = tf.matmul(tf.gather(x, at, axis=axis), kernel)
            gates = share + tf.matmul(hidden, weights) + bias
            i, f, g, o = tf.split(gates, 4, axis=1)
            cell = math.sigmoid(f) * cell + math.sigmoid(i) * math.tanh(g)
            hidden = math.sigmoid(o) * math.tanh(cell)
            shown.append(hidden)
        return hidden, tf.stack(shown, axis=axis), hidden, cell, tf.constant(1.0)

    known = {
        "api_implements": "lstm_of_these_models", "api_preferred_device": "CPU",
        "time_major": time_major, "go_backwards": go_backwards,
    }  # fmt: skip
    attributes = known if is_fused else None
    function = tf.function(lstm, autograph=False, experimental_attributes=attributes)
    first = np.zeros((2, 5), np.float32)
    return lambda x: function(x, first, first, *L.values())[1]


STATE = tf.Module()
"""The owner of the variables, without which the converter does not write them."""
STATE.total = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3), name="total")
STATE.count = tf.Variable(np.float32(0), name="count")


def assigned(x: Any) -> Any:
    """Return a value of variables after they change."""
    STATE.total.assign_add(x * 2.0)
    STATE.count.assign_add(1.0)
    return STATE.total * STATE.count


def assigned_in_branch(x: Any) -> Any:
    """Return a value of variables, of which a branch changes one."""
    grown = lambda: tf.identity(STATE.total.assign_add(x)[0, 0])  # noqa: E731 - named in place
    counted = lambda: tf.identity(STATE.count.assign_add(2.0))  # noqa: E731 - named in place
    found = tf.cond(math.reduce_sum(x) > 0.0, grown, counted)
    return STATE.total + STATE.count + found


def assigned_in_loop(x: Any) -> Any:
    """Return a value of a variable that each step of a loop changes."""

    def step(i: Any) -> Sequence[Any]:
        STATE.total.assign_add(x * i)
        return [i + 1.0]

    tf.while_loop(lambda i: i < 3.0, step, [0.0])
    return STATE.total + x


MODELS: dict[str, tuple[Callable[..., Any], Inputs]] = {
    # elementwise
    **{name: (getattr(math, name), [(2, 9)]) for name in (
        "abs", "ceil", "cos", "exp", "floor", "negative", "sin", "square", "sign", "tanh",
        "sigmoid", "rint",
    )},
    **{name: (positive(name), [(2, 9)]) for name in ("log", "sqrt", "rsqrt")},
    **{name: (getattr(nn, name), [(2, 9)]) for name in (
        "relu", "relu6", "elu", "gelu", "softmax", "log_softmax", "leaky_relu", "swish",
    )},
    "gelu_tanh": (lambda x: nn.gelu(x, approximate=True), [(2, 9)]),
    "relu_n1_to_1": (lambda x: math.minimum(math.maximum(x, -1.0), 1.0), [(2, 9)]),
    "hard_swish": (lambda x: x * nn.relu6(x + 3.0) * (1.0 / 6.0), [IMAGE]),
    "prelu": (lambda x: nn.relu(x) - W["slope"] * nn.relu(-x), [IMAGE]),
    "leaky_relu_steep": (lambda x: nn.leaky_relu(x, 0.7), [IMAGE]),
    "softmax_wide": (lambda x: nn.softmax(x * 3.0), [(4, 200)]),
    "l2_normalize": (lambda x: math.l2_normalize(x, axis=-1), [(3, 8)]),
    "local_response": (lambda x: nn.local_response_normalization(x, 2, 1.0, 0.5, 0.6), [IMAGE]),
    "cast": (lambda x: tf.cast(x, tf.int32), [(2, 9)]),
    "cast_bool": (lambda x: tf.cast(x, tf.bool), [((2, 9), N)]),
    "logical_not": (math.logical_not, [((2, 9), B)]),
    "zeros_like": (tf.zeros_like, [(2, 9)]),
    # two tensors
    **{name: (getattr(math, name), [(2, 3, 4), (3, 1)]) for name in (
        "add", "subtract", "multiply", "maximum", "minimum", "squared_difference",
    )},
    **{f"{name}_same": (getattr(math, name), [IMAGE, IMAGE]) for name in (
        "add", "subtract", "multiply",
    )},
    **{name: (getattr(math, name), [(2, 3, 4), (3, 1)]) for name in (
        "less", "less_equal", "greater", "greater_equal",
    )},
    "equal": (math.equal, [((2, 3), N), ((3,), N)]),
    "not_equal": (math.not_equal, [((2, 3), N), ((3,), N)]),
    "divide": (lambda x, y: x / (math.abs(y) + 1.0), [(2, 3), (3,)]),
    "floordiv": (lambda x, y: math.floordiv(x, math.abs(y) + 1), [((2, 3), N), ((3,), N)]),
    "floormod": (lambda x, y: math.floormod(x, math.abs(y) + 1), [((2, 3), N), ((3,), N)]),
    "floormod_float": (lambda x, y: math.floormod(x, math.abs(y) + 1), [(2, 3), (3,)]),
    "atan2": (math.atan2, [(2, 3), (2, 3)]),
    "right_shift": (tf.bitwise.right_shift, [((2, 3), N), ((2, 3), N)]),
    "bitwise_xor": (tf.bitwise.bitwise_xor, [((2, 3), N), ((2, 3), N)]),
    "pow": (lambda x, y: math.pow(math.abs(x) + 0.1, y), [(2, 3), (3,)]),
    "logical_and": (math.logical_and, [((2, 3), B), ((3,), B)]),
    "logical_or": (math.logical_or, [((2, 3), B), ((3,), B)]),
    "add_relu": (lambda x, y: nn.relu(x + y), [IMAGE, IMAGE]),
    "subtract_relu6": (lambda x, y: nn.relu6(x - y), [IMAGE, IMAGE]),
    "add_n": (lambda x, y, z: math.add_n([x, y, z]), [(2, 3)] * 3),
    # convolutions and products
    "conv_2d": (lambda x: nn.conv2d(x, W["conv"], 1, "SAME") + W["bias"], [IMAGE]),
    "conv_2d_valid": (lambda x: nn.conv2d(x, W["conv"], 2, "VALID"), [IMAGE]),
    "conv_2d_stride": (lambda x: nn.relu6(nn.conv2d(x, W["conv"], 2, "SAME")), [IMAGE]),
    "conv_2d_dilated": (
        lambda x: nn.conv2d(x, W["conv"], 1, "SAME", dilations=2) + W["bias"], [IMAGE],
    ),
    "conv_2d_relu": (lambda x: nn.relu(nn.conv2d(x, W["one"], 1, "SAME")), [IMAGE]),
    "depthwise": (lambda x: nn.depthwise_conv2d(x, W["deep"], [1, 1, 1, 1], "SAME"), [IMAGE]),
    "depthwise_stride": (
        lambda x: nn.relu(nn.depthwise_conv2d(x, W["deep"], [1, 2, 2, 1], "VALID")), [IMAGE],
    ),
    "transpose_conv": (
        lambda x: nn.conv2d_transpose(x, W["back"], [1, 14, 16, 5], 2, "SAME"), [IMAGE],
    ),
    "transpose_conv_valid": (
        lambda x: nn.conv2d_transpose(x, W["back"], [1, 9, 10, 5], 1, "VALID") + W["bias"],
        [IMAGE],
    ),
    "conv_3d": (lambda x: nn.conv3d(x, W["cube"], [1] * 5, "SAME"), [(1, 4, 5, 6, 3)]),
    "conv_3d_transpose": (
        lambda x: nn.conv3d_transpose(x, W["cube_back"], [1, 6, 8, 4, 4], [1, 2, 2, 2, 1], "SAME"),
        [(1, 3, 4, 2, 3)],
    ),
    "dense": (lambda x: tf.matmul(x, W["dense"]) + W["bias"], [(3, 6)]),
    "dense_relu": (lambda x: nn.relu(tf.matmul(x, W["dense"]) + W["bias"]), [(3, 6)]),
    "dense_rank_3": (lambda x: tf.tensordot(x, W["dense"], 1), [(2, 3, 6)]),
    "batch_matmul": (tf.matmul, [(2, 4, 6), (2, 6, 3)]),
    "batch_matmul_turned": (
        lambda x, y: tf.matmul(x, y, transpose_b=True), [(2, 4, 6), (2, 3, 6)],
    ),
    "batch_matmul_heads": (
        lambda x, y: tf.matmul(x, y, transpose_b=True), [(1, 2, 4, 6), (1, 2, 4, 6)],
    ),
    "batch_matmul_constant": (lambda x: tf.matmul(x, W["square"]), [(2, 4, 6)]),
    # pooling and sizes of images
    "max_pool": (lambda x: nn.max_pool2d(x, 2, 2, "VALID"), [IMAGE]),
    "max_pool_same": (lambda x: nn.max_pool2d(x, 3, 2, "SAME"), [IMAGE]),
    "average_pool": (lambda x: nn.avg_pool2d(x, 2, 2, "VALID"), [IMAGE]),
    "average_pool_same": (lambda x: nn.avg_pool2d(x, 3, 1, "SAME"), [IMAGE]),
    "resize_bilinear": (lambda x: image.resize(x, [5, 13]), [IMAGE]),
    "resize_bilinear_corners": (
        lambda x: tf.compat.v1.image.resize_bilinear(x, [5, 13], align_corners=True), [IMAGE],
    ),
    "resize_bilinear_plain": (
        lambda x: tf.compat.v1.image.resize_bilinear(x, [14, 5]), [IMAGE],
    ),
    "resize_nearest": (lambda x: image.resize(x, [5, 13], method="nearest"), [IMAGE]),
    "resize_nearest_corners": (
        lambda x: tf.compat.v1.image.resize_nearest_neighbor(x, [5, 13], align_corners=True),
        [IMAGE],
    ),
    "depth_to_space": (lambda x: nn.depth_to_space(x, 2), [IMAGE]),
    "space_to_depth": (lambda x: nn.space_to_depth(x, 2), [(1, 6, 8, 3)]),
    "space_to_batch": (
        lambda x: tf.space_to_batch(x, [2, 2], [[0, 1], [1, 1]]), [(1, 7, 8, 2)],
    ),
    "batch_to_space": (lambda x: tf.batch_to_space(x, [2, 2], [[0, 1], [0, 0]]), [(4, 3, 4, 2)]),
    # reductions
    **{f"reduce_{name}": (reduced(name, axis=[1, 2], keepdims=True), [IMAGE]) for name in (
        "mean", "sum", "max", "min", "prod",
    )},
    **{f"reduce_{name}_last": (reduced(name, axis=-1), [(3, 4, 5)]) for name in (
        "mean", "sum", "max", "min", "prod",
    )},
    "reduce_any": (lambda x: math.reduce_any(x, axis=1), [((3, 4), B)]),
    "reduce_all": (lambda x: math.reduce_all(x, axis=1), [((3, 4), B)]),
    "argmax": (lambda x: math.argmax(x, axis=1), [(3, 7, 2)]),
    "argmin": (lambda x: math.argmin(x, axis=-1, output_type=tf.int32), [(3, 7)]),
    "cumsum": (lambda x: math.cumsum(x, axis=1), [(3, 7)]),
    "cumsum_turned": (
        lambda x: math.cumsum(x, axis=0, exclusive=True, reverse=True), [(3, 7)],
    ),
    # arrangement
    "reshape": (lambda x: tf.reshape(x, [-1, 6]), [(3, 4, 6)]),
    "squeeze": (lambda x: tf.squeeze(x, [1]), [(3, 1, 4)]),
    "expand_dims": (lambda x: tf.expand_dims(x, 1), [(3, 4)]),
    "transpose": (lambda x: tf.transpose(x, [2, 0, 1]), [(3, 4, 5)]),
    "concat": (lambda x, y: tf.concat([x, y], axis=-1), [(3, 4), (3, 2)]),
    "pack": (lambda x, y: tf.stack([x, y], axis=1), [(3, 4), (3, 4)]),
    "unpack": (lambda x: tf.unstack(x, axis=1), [(3, 2, 4)]),
    "split": (lambda x: tf.split(x, 2, axis=1), [(3, 4)]),
    "split_v": (lambda x: tf.split(x, [1, 3, 2], axis=1), [(3, 6)]),
    "tile": (lambda x: tf.tile(x, [2, 3]), [(3, 4)]),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, 3, 4]), [(3, 1)]),
    "pad": (lambda x: tf.pad(x, [[0, 0], [1, 2], [3, 0], [0, 1]]), [IMAGE]),
    "pad_value": (lambda x: tf.pad(x, [[1, 2], [0, 1]], constant_values=2.5), [(3, 4)]),
    "mirror_pad": (lambda x: tf.pad(x, [[1, 2], [2, 1]], "REFLECT"), [(4, 5)]),
    "mirror_pad_edge": (lambda x: tf.pad(x, [[1, 2], [2, 1]], "SYMMETRIC"), [(4, 5)]),
    "reverse": (lambda x: tf.reverse(x, [1]), [(3, 4)]),
    "reverse_sequence": (
        lambda x: tf.reverse_sequence(x, [1, 3, 2], seq_axis=1, batch_axis=0), [(3, 4, 2)],
    ),
    "slice": (lambda x: tf.slice(x, [1, 0], [2, 3]), [(4, 5)]),
    "slice_at_run_time": (lambda x, i: tf.slice(x, i, [2, 3]), [(4, 5), ((2,), N)]),
    "strided_slice": (lambda x: x[1:4:2, ::-1], [(5, 6)]),
    "strided_slice_drop": (lambda x: x[:, -2, 1:], [(4, 5, 6)]),
    "strided_slice_new": (lambda x: x[:, tf.newaxis, 1:3], [(4, 5)]),
    "shape": (tf.shape, [(3, 4, 5)]),
    "rank": (tf.rank, [(3, 4, 5)]),
    "open_batch": (open_batch, [(None, 4, 6)]),
    # indices
    "gather": (lambda x, i: tf.gather(x, i, axis=1), [(3, 7), ((2, 2), N)]),
    "gather_batch": (
        lambda x, i: tf.gather(x, i, axis=1, batch_dims=1), [(3, 7), ((3, 2), N)],
    ),
    "gather_nd": (tf.gather_nd, [(4, 4, 2), ((3, 2), N)]),
    "embedding": (lambda i: tf.gather(W["table"], i), [((2, 3), N)]),
    "scatter_nd": (lambda i, u: tf.scatter_nd(i, u, [5, 3]), [((4, 1), N), (4, 3)]),
    "one_hot": (lambda i: tf.one_hot(i, 5, 2.0, -1.0), [((2, 3), N)]),
    "where": (tf.where, [((3, 4), B), (3, 4), (3, 4)]),
    "where_broadcast": (tf.where, [((3, 1), B), (3, 4), (4,)]),
    "where_places": (tf.where, [((3, 4), B)]),
    "topk": (lambda x: math.top_k(x, 3), [(2, 9)]),
    "fill": (lambda x: tf.fill([2, 3], x), [()]),
    "range": (lambda n: tf.range(0, n, 2), [((), N)]),
    "matrix_of_shape": (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [(3, 4, 5)]),
    **{
        f"unsorted_segment_{name}": (segments(name), [(5, 3), ((5,), N)])
        for name in ("sum", "max", "min", "prod")
    },
    "segment_sum": (lambda x: math.segment_sum(x, [0, 0, 1, 2, 2]), [(5, 3)]),
    "bucketize": (lambda x: raw.Bucketize(input=x, boundaries=[-1.0, 0.0, 0.5]), [(2, 9)]),
    "sparse_to_dense": (
        lambda x: raw.SparseToDense(
            sparse_indices=[[0, 1], [2, 0]], output_shape=[3, 2], sparse_values=x,
            default_value=-1.0,
        ),
        [(2,)],
    ),
    "matrix_diag": (tf.linalg.diag, [(2, 3)]),
    "matrix_set_diag": (tf.linalg.set_diag, [(2, 3, 4), (2, 3)]),
    "sort": (tf.sort, [(2, 9)]),
    "boxes": (lambda x, y: image.non_max_suppression(abs(x), y, 4, 0.3), [(7, 4), (7,)]),
    "boxes_padded": (
        lambda x, y: raw.NonMaxSuppressionV4(
            boxes=x, scores=y, max_output_size=9, iou_threshold=0.5, score_threshold=-9.0,
            pad_to_max_output_size=True,
        ),
        [(7, 4), (7,)],
    ),
    "boxes_with_scores": (
        lambda x, y: raw.NonMaxSuppressionV5(
            boxes=x, scores=y, max_output_size=5, iou_threshold=0.4, score_threshold=0.1,
            soft_nms_sigma=0.0, pad_to_max_output_size=True,
        ),
        [(7, 4), (7,)],
    ),
    # recurrent layers
    "recurrent_lstm": (recurrent(), [(2, 6, 3)]),
    "recurrent_lstm_time_first": (recurrent(time_major=True), [(6, 2, 3)]),
    "recurrent_lstm_backwards": (recurrent(go_backwards=True), [(2, 6, 3)]),
    "recurrent_lstm_loop": (recurrent(is_fused=False), [(2, 6, 3)]),
    # control flow
    "cond": (lambda c, x: tf.cond(c, lambda: x * 2.0, lambda: x - 1.0), [((), B), (3, 4)]),
    "while": (
        lambda n, x: tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * 0.5 + 1.0), [0, x]),
        [((), N), (3, 4)],
    ),
    "unique": (lambda x: tf.unique(x)[0], [((12,), N)]),
    "unique_places": (lambda x: tf.unique(x, out_idx=tf.int64)[1], [((12,), N)]),
    # sparse weights
    "sparse_dense": (lambda x: tf.matmul(x, SPARSE["dense"]), [(2, 32)]),
    "sparse_blocks": (lambda x: tf.matmul(x, SPARSE["blocks"], transpose_b=True), [(2, 32)]),
    "sparse_conv": (lambda x: nn.conv2d(x, SPARSE["conv"], 1, "SAME"), [(1, 3, 3, 32)]),
    # complex numbers
    "rfft": (lambda x: tf.abs(tf.signal.rfft(x)), [(2, 16)]),
    "rfft_short": (lambda x: tf.abs(tf.signal.rfft(x, [8])), [(2, 11)]),
    "stft": (lambda x: tf.abs(tf.signal.stft(x, 16, 8)), [(40,)]),
    "rfft_product": (
        lambda x, y: tf.abs(tf.signal.rfft(x) * tf.signal.rfft(y)), [(2, 16), (2, 16)],
    ),
    "rfft2d_real": (lambda x: math.real(tf.signal.rfft2d(x)), [(3, 4, 8)]),
    "rfft2d_imag": (lambda x: math.imag(tf.signal.rfft2d(x)), [(3, 4, 8)]),
    # variables
    "variable": (assigned, [(2, 3)]),
    "variable_branch": (assigned_in_branch, [(2, 3)]),
    "variable_loop": (assigned_in_loop, [(2, 3)]),
}  # fmt: skip

INT8 = """
abs rsqrt sqrt exp log tanh sigmoid relu relu6 elu gelu gelu_tanh softmax softmax_wide leaky_relu
leaky_relu_steep hard_swish prelu relu_n1_to_1 add subtract multiply maximum minimum
squared_difference add_same subtract_same multiply_same less greater_equal add_relu
subtract_relu6 divide conv_2d conv_2d_valid conv_2d_stride conv_2d_dilated conv_2d_relu depthwise
depthwise_stride transpose_conv transpose_conv_valid dense dense_relu dense_rank_3
batch_matmul batch_matmul_turned batch_matmul_constant batch_matmul_heads
max_pool max_pool_same average_pool average_pool_same
resize_bilinear resize_bilinear_corners resize_bilinear_plain resize_nearest
depth_to_space space_to_batch reduce_mean reduce_sum reduce_max reduce_mean_last
reduce_sum_last reduce_min_last argmax reshape transpose concat pack unpack split pad
mirror_pad slice strided_slice gather topk recurrent_lstm
"""

INT16 = """
tanh sigmoid softmax softmax_wide leaky_relu relu relu6 add subtract multiply add_same
subtract_same multiply_same conv_2d conv_2d_valid conv_2d_stride depthwise transpose_conv
dense dense_relu batch_matmul max_pool average_pool reduce_mean reduce_sum concat reshape pad
gelu exp rsqrt
"""


WRONG_REFERENCE = ("local_response", "reduce_sum_int8", "reduce_sum_last_int8", "reduce_sum_int16")
"""Models that the default kernels answer: windows lack their last channel, sums overflow."""


def specs(inputs: Inputs) -> Iterator[tuple[Shape, Any]]:
    """Yield shapes and element types of inputs; those without a type are floats."""
    for each in inputs:
        yield each if len(each) == 2 and isinstance(each[1], tf.DType) else (each, F)


def sample(name: str, inputs: Inputs) -> list[Any]:
    """Return random inputs; integers are indices that fit everywhere."""
    found: list[Any] = []
    for sizes, of in specs(inputs):
        shape = [1 if size is None else size for size in sizes]  # where the batch is open
        if of is F:
            found.append(_RANDOM.standard_normal(shape).astype(np.float32))
        elif of is B:
            found.append(_RANDOM.random(shape) > 0.5)
        else:
            low, high = (-9, 9) if name.startswith(("floor", "cast", "bit")) else (0, 3)
            found.append(_RANDOM.integers(low, high, shape).astype(np.int32))
    return [np.asarray(each) for each in found]


def converted(name: str, kind: str) -> bytes:
    """Return a model as a file: of floats, or quantised."""
    function, inputs = MODELS[name]
    signature = [tf.TensorSpec(shape, of) for shape, of in specs(inputs)]
    concrete = tf.function(function).get_concrete_function(*signature)
    if name.startswith("recurrent"):
        return converted_layer(name, kind, signature)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete], STATE)
    if name.startswith("sparse_"):
        converter.optimizations = [tf.lite.Optimize.EXPERIMENTAL_SPARSITY]
    converter.experimental_enable_resource_variables = name.startswith("variable")
    quantise(converter, name, kind)
    return converter.convert()


def quantise(converter: Any, name: str, kind: str) -> None:
    """Let a converter write a model of quantised numbers, if its kind is such."""
    inputs = MODELS[name][1]
    if kind != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: (sample(name, inputs) for _ in range(20))
        sets = tf.lite.OpsSet
        of_16 = sets.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
        of_8 = sets.TFLITE_BUILTINS_INT8
        converter.target_spec.supported_ops = [of_16 if kind == "int16" else of_8]
        if kind == "int8":
            converter.inference_input_type = converter.inference_output_type = tf.int8


def converted_layer(name: str, kind: str, signature: Sequence[Any]) -> bytes:
    """Return a model whose functions stay whole until they are converted."""
    module = tf.Module()
    module.call = tf.function(MODELS[name][0], input_signature=signature)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=module.call)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        quantise(converter, name, kind)
        return converter.convert()


def interpreter(label: str, model: bytes) -> Any:
    """Return a LiteRT interpreter of a model: with the reference kernels if they support it."""
    kinds = litert.OpResolverType
    plain = kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    for kernels in (plain,) if label in WRONG_REFERENCE else (kinds.BUILTIN_REF, plain):
        try:
            engine = litert.Interpreter(model_content=model, experimental_op_resolver_type=kernels)
            engine.allocate_tensors()
        except (RuntimeError, ValueError):  # a kernel is missing
            continue
        return engine
    raise ValueError("LiteRT does not know it")


def answered(label: str, name: str, model: bytes) -> dict[str, Any]:
    """Return inputs and LiteRT's results, in order; `again` has those of a second call."""
    engine = interpreter(label, model)
    found: dict[str, Any] = {}
    given = sample(name, MODELS[name][1])
    for detail in engine.get_input_details():
        index, of = len(found), detail["dtype"]
        own = [each for each in given if each.shape == tuple(detail["shape"])]
        value = own[0] if own else given[index]
        given = [each for each in given if each is not value]
        if of in (np.int8, np.int16):
            info = np.iinfo(of)
            value = _RANDOM.integers(info.min, info.max + 1, value.shape)
        found[f"in{index}"] = value.astype(of)
        engine.set_tensor(detail["index"], found[f"in{index}"])
    has_state = name.startswith(("recurrent", "variable"))
    for key in ("out", "again") if has_state else ("out",):
        engine.invoke()
        for index, detail in enumerate(engine.get_output_details()):
            found[f"{key}{index}"] = engine.get_tensor(detail["index"])
    return found


def main(path: Path, chosen: Sequence[str]) -> None:
    """Write models, all or those chosen, with answers into an archive; say which cannot be made."""
    kinds = {"float": list(MODELS), "int8": INT8.split(), "int16": INT16.split()}
    jobs = [(name, kind) for kind, names in kinds.items() for name in names]
    with zipfile.ZipFile(path, "a" if chosen else "w", zipfile.ZIP_DEFLATED) as archive:
        for name, kind in jobs:
            label = name if kind == "float" else f"{name}_{kind}"
            if chosen and label not in chosen:
                continue
            try:
                model = converted(name, kind)
                answers = io.BytesIO()
                np.savez_compressed(answers, **answered(label, name, model))
            except Exception as error:  # noqa: BLE001 - the converter raises what it likes
                print(f"{label}: {str(error).splitlines()[0][:100] if str(error) else error!r}")
                continue
            for suffix, data in ((".tflite", model), (".npz", answers.getvalue())):
                entry = zipfile.ZipInfo(label + suffix)
                archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

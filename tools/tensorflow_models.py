"""Make frozen TensorFlow graphs of a few operators each, with TensorFlow's results.

    python tools/tensorflow_models.py tests/frontend/tensorflow/graphs.zip

Needs the package tensorflow. Every function in `GRAPHS` is one graph; those with control flow are
also written with loops as separate nodes, as in version 1.
"""

# What TensorFlow gives has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none

import io
import os
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf: Any = import_module("tensorflow")
frozen: Any = import_module("tensorflow.python.framework.convert_to_constants")
xla: Any = import_module("tensorflow.compiler.tf2xla.python.xla")

Inputs = Sequence[Any]
_RANDOM = np.random.default_rng(0)


def weight(*shape: int) -> Any:
    """Return a random constant."""
    return tf.constant(_RANDOM.standard_normal(shape).astype(np.float32))


nn, math, image, raw, v1 = tf.nn, tf.math, tf.image, tf.raw_ops, tf.compat.v1
N, B = tf.int32, tf.bool
IMAGE = (1, 7, 8, 4)
VOLUME = (1, 4, 5, 6, 3)
W = {
    "conv": weight(3, 3, 4, 6), "groups": weight(3, 3, 2, 6), "deep": weight(3, 3, 4, 2),
    "back": weight(3, 3, 5, 4), "bias": weight(4), "cube": weight(2, 2, 2, 3, 4),
    "cube_back": weight(2, 2, 2, 4, 3), "dense": weight(6, 5), "grey": weight(3, 3, 4),
    "scale": weight(4), "offset": weight(4), "mean": weight(4),
    "variance": tf.abs(weight(4)) + 0.5, "table": weight(9, 4), "heads": weight(6, 2, 3),
    "cell": weight(7, 12), "peep": weight(3), "gates": weight(12),
}  # fmt: skip


def after(change: Callable[[Any], Any], function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the composition of `function` after `change`."""
    return lambda x: function(change(x))


def with_options(function: Callable[..., Any], *options: Any) -> Callable[[Any], Any]:
    """Return a function of its first argument."""
    return lambda x: function(x, *options)


BOXES = tf.constant(np.sort(_RANDOM.random((6, 2, 2)), 1).reshape(6, 4).astype(np.float32))


def checked(x: Any) -> Any:
    """Return a tensor, with an assertion that its elements are not too large."""
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_max(x) < 1e6, ["too large", x])]):
        return x * 2.0


def norm(x: Any, data_format: str = "NHWC") -> Any:
    """Return images normalised by given statistics."""
    vectors = (W[name] for name in ("scale", "offset", "mean", "variance"))
    return raw.FusedBatchNormV3(
        x=x, **dict(zip(("scale", "offset", "mean", "variance"), vectors, strict=True)),
        epsilon=1e-3, data_format=data_format, is_training=False,
    ).y  # fmt: skip


def newton(x: Any) -> Any:
    """Return roots by Newton's iteration, whose loop ends when they are accurate."""
    return tf.while_loop(
        lambda y: tf.reduce_max(tf.abs(y * y - x)) > 1e-4,
        lambda y: [0.5 * (y + x / y)], [tf.ones_like(x)],
    )[0]  # fmt: skip


def collatz(n: Any) -> Any:
    """Return the number of steps to 1, with a conditional in a loop."""
    steps = tf.constant(0)
    while n > 1:
        n = tf.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1)  # noqa: B023 - called here
        steps += 1
    return steps


def squares(x: Any) -> Any:
    """Return rows that a loop writes to an array, one in each step."""
    array = tf.TensorArray(tf.float32, size=4)
    for index in tf.range(4):
        array = array.write(index, x * tf.cast(index, tf.float32))
    return array.stack()


def growing(x: Any) -> Any:
    """Return rows of an array that grows in a loop whose length depends on data."""
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    index = tf.constant(0)
    while tf.reduce_sum(x) < 100.0:
        array = array.write(index, x)
        x, index = x * 2.0 + 1.0, index + 1
    return array.stack()


def nested(x: Any, choose: Any) -> Any:
    """Return one of three values by nested conditionals."""
    return tf.cond(
        choose > 0, lambda: tf.cond(choose > 1, lambda: x * 2.0, lambda: x + 1.0), lambda: -x
    )


def pairs(x: Any) -> Any:
    """Return sums of products of all pairs of rows, by nested loops."""
    total = tf.zeros_like(x[0])
    for i in tf.range(tf.shape(x)[0]):
        for j in tf.range(i + 1):
            total += x[i] * x[j]
    return total


def switched(x: Any, index: Any) -> Any:
    """Return one of several functions of a tensor."""
    return tf.switch_case(index, [lambda: x + 1.0, lambda: x * 3.0, lambda: -x])


GRAPHS: dict[str, tuple[Callable[..., Any], Inputs]] = {
    # elementwise
    **{name: (getattr(math, name), [(2, 9)]) for name in (
        "abs", "asinh", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor",
        "is_finite", "negative", "rint", "round", "sigmoid", "sign", "sin", "sinh", "softplus",
        "softsign", "square", "tan", "tanh",
    )},
    **{name: (after(lambda x: tf.abs(x) + 1.1, getattr(math, name)), [(2, 9)]) for name in (
        "acosh", "log", "log1p", "reciprocal", "rsqrt", "sqrt",
    )},
    **{name: (after(lambda x: x / 9.0, getattr(math, name)), [(2, 9)]) for name in (
        "acos", "asin", "atanh",
    )},
    **{name: (getattr(nn, name), [(2, 9)]) for name in (
        "elu", "gelu", "leaky_relu", "log_softmax", "relu", "relu6", "selu", "softmax", "swish",
    )},
    "cast": (lambda x: tf.cast(x, tf.int32), [(2, 9)]),
    "bitcast": (lambda x: tf.bitcast(x, tf.int32), [(2, 9)]),
    "clip": (lambda x: tf.clip_by_value(x, -0.5, 0.5), [(2, 9)]),
    "logical_not": (math.logical_not, [((2, 9), B)]),
    "likes": (lambda x: tf.zeros_like(x) + 2.0 * tf.ones_like(x), [(2, 9)]),
    # two tensors
    **{name: (getattr(math, name), [(2, 3, 4), (3, 1)]) for name in (
        "add", "atan2", "divide", "divide_no_nan", "floordiv", "floormod", "greater",
        "greater_equal", "less", "less_equal", "maximum", "minimum", "multiply",
        "multiply_no_nan", "squared_difference", "subtract", "xdivy",
    )},
    "equal": (math.equal, [((2, 3), N), ((3,), N)]),
    "not_equal": (math.not_equal, [((2, 3), N), ((3,), N)]),
    "truncate": (lambda x: tf.truncatediv(x, 3) * tf.truncatemod(x, 4), [((2, 9), N)]),
    "floor_integers": (lambda x: x // 3 - x % 4, [((2, 9), N)]),
    "power": (lambda x: tf.pow(tf.abs(x) + 0.1, 2.5), [(2, 9)]),
    "xlogy": (lambda x: math.xlogy(x, tf.abs(x) + 1.0) + math.xlog1py(x, tf.abs(x)), [(2, 9)]),
    "logic": (lambda x, y: tf.logical_and(x, y) ^ tf.logical_or(x, y), [((2, 3), B), ((3,), B)]),
    "bits": (lambda x: tf.bitwise.bitwise_and(x, 6) | tf.bitwise.left_shift(x, 2), [((9,), N)]),
    "add_n": (lambda x, y: tf.add_n([x, y, x]), [(2, 3), (2, 3)]),
    "bias_add": (lambda x: nn.bias_add(x, W["bias"]), [IMAGE]),
    "reciprocal_no_nan": (math.reciprocal_no_nan, [(2, 3)]),
    # products
    "matmul": (lambda x: tf.matmul(x, W["dense"]), [(3, 6)]),
    "matmul_turned": (lambda x: tf.matmul(x, W["dense"], transpose_b=True), [(3, 5)]),
    "matmul_both": (lambda x, y: tf.matmul(x, y, True, True), [(6, 3), (5, 6)]),
    "batch_matmul": (tf.matmul, [(2, 1, 3, 4), (3, 4, 5)]),
    "batch_matmul_turned": (lambda x, y: tf.matmul(x, y, transpose_b=True), [(2, 3, 4), (2, 5, 4)]),
    "einsum": (lambda x: tf.einsum("abc,cde->abde", x, W["heads"]), [(2, 5, 6)]),
    # convolutions
    "conv_2d": (lambda x: nn.conv2d(x, W["conv"], 1, "SAME"), [IMAGE]),
    "conv_2d_strided": (lambda x: nn.conv2d(x, W["conv"], [1, 2, 3, 1], "SAME"), [IMAGE]),
    "conv_2d_explicit": (
        lambda x: nn.conv2d(x, W["conv"], 2, [[0, 0], [1, 2], [0, 1], [0, 0]]), [IMAGE],
    ),
    "conv_2d_dilated": (lambda x: nn.conv2d(x, W["conv"], 1, "VALID", dilations=2), [IMAGE]),
    "conv_2d_groups": (lambda x: nn.conv2d(x, W["groups"], 1, "SAME"), [IMAGE]),
    "depthwise": (lambda x: nn.depthwise_conv2d(x, W["deep"], [1, 2, 2, 1], "SAME"), [IMAGE]),
    "conv_3d": (lambda x: nn.conv3d(x, W["cube"], [1, 1, 2, 1, 1], "SAME"), [VOLUME]),
    "transposed": (
        lambda x: nn.conv2d_transpose(x, W["back"], [1, 14, 16, 5], 2, "SAME"), [IMAGE],
    ),
    "transposed_valid": (
        lambda x: nn.conv2d_transpose(x, W["back"], [1, 16, 17, 5], 2, "VALID"), [IMAGE],
    ),
    "transposed_3d": (
        lambda x: nn.conv3d_transpose(x, W["cube_back"], [1, 8, 10, 12, 4], 2, "SAME"), [VOLUME],
    ),
    "dilation": (
        lambda x: nn.dilation2d(x, W["grey"], [1, 2, 1, 1], "SAME", "NHWC", [1, 1, 2, 1]), [IMAGE],
    ),
    **{name: (with_options(getattr(nn, name), 3, 2, "SAME"), [IMAGE]) for name in (
        "avg_pool2d", "max_pool2d",
    )},
    **{name: (with_options(getattr(nn, name), 2, 2, "VALID"), [VOLUME]) for name in (
        "avg_pool3d", "max_pool3d",
    )},
    "max_pool_v2": (lambda x: raw.MaxPoolV2(
        input=x, ksize=[1, 2, 3, 1], strides=[1, 2, 1, 1], padding="VALID",
    ), [IMAGE]),
    "batch_norm": (norm, [IMAGE]),
    "local_response": (lambda x: nn.local_response_normalization(x, 2, 1.0, 0.5, 0.6), [IMAGE]),
    # reductions
    **{f"reduce_{name}": (with_options(getattr(math, f"reduce_{name}"), [0, -1]), [(2, 3, 4)])
       for name in ("sum", "mean", "max", "min", "prod", "euclidean_norm")},
    "reduce_kept": (lambda x: tf.reduce_sum(x, 1, keepdims=True), [(2, 3, 4)]),
    "reduce_all": (lambda x: tf.reduce_all(x, 1), [((2, 3), B)]),
    "reduce_any": (lambda x: tf.reduce_any(x, 0), [((2, 3), B)]),
    "argmax": (lambda x: tf.argmax(x, 1), [(3, 5)]),
    "argmin": (lambda x: tf.argmin(x, 0, tf.int32), [(3, 5)]),
    "cumsum": (lambda x: tf.cumsum(x, 1, exclusive=True, reverse=True), [(3, 5)]),
    "cumprod": (lambda x: math.cumprod(x, 0), [(3, 5)]),
    "l2_loss": (nn.l2_loss, [(3, 5)]),
    # shapes
    "reshape": (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [(2, 3, 4)]),
    "squeeze": (lambda x: tf.expand_dims(tf.squeeze(x, [1]), -1), [(2, 1, 4, 1)]),
    "sizes": (lambda x: tf.shape(x) + tf.size(x) + tf.rank(x), [(2, 3, 4)]),
    "transpose": (lambda x: tf.transpose(x, [2, 0, 1]), [(2, 3, 4)]),
    "concat": (lambda x, y: tf.concat([x, y], -1), [(2, 3), (2, 4)]),
    "stack": (lambda x, y: tf.stack([x, y], 1), [(2, 3), (2, 3)]),
    "unstack": (lambda x: tf.unstack(x, axis=1)[1:], [(2, 3)]),
    "split": (lambda x: tf.split(x, 3, 1), [(2, 6)]),
    "split_v": (lambda x: tf.split(x, [1, 3, -1], 1), [(2, 6)]),
    "tile": (lambda x: tf.tile(x, [2, 1, 3]), [(1, 2, 3)]),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, 3, 4]), [(3, 1)]),
    "pad": (lambda x: tf.pad(x, [[1, 0], [2, 1]], constant_values=3.0), [(2, 3)]),
    "mirror_pad": (lambda x: tf.pad(x, [[1, 0], [1, 1]], "SYMMETRIC"), [(2, 3)]),
    "mirror_pad_reflect": (lambda x: tf.pad(x, [[1, 0], [1, 1]], "REFLECT"), [(2, 3)]),
    "reverse": (lambda x: tf.reverse(x, [0, -1]), [(2, 3, 4)]),
    "reverse_sequence": (
        lambda x: tf.reverse_sequence(x, [1, 3], seq_axis=1, batch_axis=0), [(2, 4)],
    ),
    "depth_to_space": (lambda x: nn.depth_to_space(x, 2), [(1, 2, 3, 8)]),
    "space_to_depth": (lambda x: nn.space_to_depth(x, 2), [(1, 4, 6, 2)]),
    "space_to_batch": (lambda x: tf.space_to_batch(x, [2, 2], [[1, 0], [0, 1]]), [(1, 3, 5, 2)]),
    "batch_to_space": (lambda x: tf.batch_to_space(x, [2, 2], [[1, 0], [0, 1]]), [(4, 2, 3, 2)]),
    "roll": (lambda x: tf.roll(x, [1, -2], [0, 1]), [(3, 5)]),
    # slices
    "slice": (lambda x: tf.slice(x, [0, 1, 1], [-1, 2, 2]), [(2, 3, 4)]),
    "strided_slice": (lambda x: x[:, ::-2, tf.newaxis, ..., 1], [(2, 5, 3, 4)]),
    "strided_slice_open": (lambda x: x[1:, :-1, -1], [(2, 5, 3)]),
    "slice_at_run_time": (lambda x, i: x[i % 3 :, i % 3, tf.newaxis], [(4, 3), ((), N)]),
    "slice_of_sizes": (lambda x: x[: tf.shape(x)[0] - 1], [(4, 3)]),
    # indices
    "gather": (lambda x: tf.gather(W["table"], x), [((2, 3), N)]),
    "gather_batch": (lambda x, i: tf.gather(x, i, batch_dims=1, axis=2), [(2, 3, 5), ((2, 4), N)]),
    "gather_nd": (lambda i: tf.gather_nd(W["table"], i % 4), [((3, 2), N)]),
    "scatter_nd": (lambda u: tf.scatter_nd([[4], [3], [4]], u, [8, 2]), [(3, 2)]),
    "tensor_scatter_add": (
        lambda x, u: tf.tensor_scatter_nd_add(x, [[1], [0], [1]], u), [(4, 2), (3, 2)],
    ),
    "tensor_scatter_update": (
        lambda x, u: tf.tensor_scatter_nd_update(x, [[1, 1], [0, 0]], u), [(4, 2), (2,)],
    ),
    "one_hot": (lambda i: tf.one_hot(i, 5, 2.0, -1.0, axis=0), [((2, 3), N)]),
    "select": (lambda c, x, y: 2.0 * tf.where(c, x, y), [((2, 1), B), (2, 3), (3,)]),
    "select_rows": (
        lambda c, x, y: raw.Select(condition=c, x=x, y=y), [((2,), B), (2, 3), (2, 3)],
    ),
    "where": (lambda x: tf.where(x > 0.0), [(3, 4)]),
    "top_k": (lambda x: nn.top_k(x, 3), [(2, 7)]),
    "fill": (lambda x: tf.fill(tf.shape(x), 2.5), [(2, 3)]),
    "range": (lambda n: tf.range(1, n * n + 2, 2), [((), N)]),
    "linspace": (lambda x: tf.linspace(x, 3.0, 5), [()]),
    # images and boxes
    "resize_bilinear": (lambda x: image.resize(x, [5, 11]), [IMAGE]),
    "resize_corners": (
        lambda x: raw.ResizeBilinear(images=x, size=[5, 11], align_corners=True), [IMAGE],
    ),
    "resize_nearest": (lambda x: image.resize(x, [5, 11], "nearest"), [IMAGE]),
    "resize_bicubic": (lambda x: image.resize(x, [5, 11], "bicubic"), [IMAGE]),
    "crop": (lambda x: image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], [0], [3, 4]), [IMAGE]),
    "boxes": (lambda x: image.non_max_suppression(BOXES, x, 3, 0.4, -9.0), [(6,)]),
    "boxes_padded": (lambda x: image.non_max_suppression_padded(
        BOXES, x, 4, 0.4, 0.1, pad_to_max_output_size=True,
    ), [(6,)]),
    # matrices
    "band_part": (lambda x: tf.linalg.band_part(x, 1, 0), [(2, 4, 5)]),
    "diag": (tf.linalg.diag, [(2, 3)]),
    "diag_part": (tf.linalg.diag_part, [(2, 4, 3)]),
    "set_diag": (tf.linalg.set_diag, [(2, 3, 3), (2, 3)]),
    # segments, and others
    "unsorted_segments": (lambda x: math.unsorted_segment_sum(x, [2, 0, -1, 2], 4), [(4, 3)]),
    "segment_max": (lambda x, i: math.unsorted_segment_max(x, i, 5), [(4, 3), ((4,), N)]),
    "segments": (lambda x: math.segment_sum(x, [0, 0, 1, 3]), [(4, 3)]),
    "search": (lambda x: tf.searchsorted([[-1.0, 0.0, 0.5, 1.0]], x), [(1, 6)]),
    "fake_quantised": (lambda x: tf.quantization.fake_quant_with_min_max_args(x, -1, 2), [(9,)]),
    "patches": (
        lambda x: image.extract_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], "SAME"),
        [IMAGE],
    ),
    "unique": (tf.unique_with_counts, [((9,), N)]),
    "update": (
        lambda x, y, i: xla.dynamic_update_slice(x, y, tf.stack([1, i])),
        [(4, 5), (2, 3), ((), N)],
    ),
    "counted": (lambda x: math.bincount(x, minlength=7, maxlength=7, axis=-1), [((2, 6), N)]),
    "weighed": (
        lambda x, w: math.bincount(x, w, minlength=7, maxlength=7), [((6,), N), (6,)],
    ),
    "stitch": (lambda x, y: tf.dynamic_stitch([[0, 3], [2, 1]], [x, y]), [(2, 3), (2, 3)]),
    "channels_quantised": (
        lambda x: tf.quantization.fake_quant_with_min_max_vars_per_channel(
            x, [-1.0, -0.5, 0.0], [1.0, 2.0, 3.0], narrow_range=True
        ),
        [(4, 3)],
    ),
    "lstm_cell": (lambda x, c, h: raw.LSTMBlockCell(
        x=x, cs_prev=c, h_prev=h, w=W["cell"], wci=W["peep"], wcf=W["peep"], wco=W["peep"],
        b=W["gates"], use_peephole=True, cell_clip=0.4,
    ), [(2, 4), (2, 3), (2, 3)]),
    "checked": (checked, [(3,)]),
    # control flow
    "newton": (lambda x: newton(tf.abs(x) + 0.5), [(3,)]),
    "collatz": (lambda n: collatz(n * n + 7), [((), N)]),
    "squares": (squares, [(2, 3)]),
    "growing": (lambda x: growing(tf.abs(x)), [(3,)]),
    "nested": (nested, [(2, 3), ((), N)]),
    "pairs": (pairs, [(3, 2)]),
    "switched": (switched, [(2,), ((), N)]),
}  # fmt: skip


def sample(spec: Any) -> Any:
    """Return a random input for a shape, or for a shape and an element type."""
    shape, of = spec if len(spec) == 2 and isinstance(spec[0], tuple) else (spec, tf.float32)
    if of is B:
        return _RANDOM.integers(0, 2, shape).astype(bool)
    if of is N:
        return np.asarray(_RANDOM.integers(0, 5, shape), np.int32)
    return np.asarray(_RANDOM.standard_normal(shape), np.float32)


def graph_of(function: Callable[..., Any], given: Sequence[Any], *, lowers: bool) -> Any:
    """Return the frozen graph of a function, with loops as operators or lowered to nodes."""
    specs = [tf.TensorSpec(each.shape, each.dtype) for each in given]
    concrete = tf.function(function).get_concrete_function(*specs)
    whole = frozen.convert_variables_to_constants_v2(concrete, lower_control_flow=lowers)
    return whole.graph.as_graph_def()


LOWERED = ("newton", "collatz", "squares", "growing", "nested", "pairs")
"""Graphs that are also written with the control flow of version 1."""


def classic_loop() -> tuple[Any, Inputs]:
    """Return a graph of version 1 with a TensorArray in a loop, as `dynamic_rnn` builds it."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, (2, 5, 3), name="x")
        steps = tf.transpose(x, [1, 0, 2])
        source = tf.TensorArray(tf.float32, 5, element_shape=(2, 3)).unstack(steps)
        shown = tf.TensorArray(tf.float32, 5, element_shape=(2, 4))
        kernel = W["heads"].numpy().reshape(6, 6)[:3, :4]

        def step(time: Any, state: Any, written: Any) -> Any:
            new = tf.tanh(tf.matmul(source.read(time), kernel) + 0.5 * state)
            return time + 1, new, written.write(time, new)

        _, state, written = v1.while_loop(
            lambda time, *_: time < 5, step, (0, tf.zeros((2, 4)), shown)
        )
        rows = tf.transpose(written.stack(), [1, 0, 2])
        tf.identity(tf.concat([rows, state[:, tf.newaxis]], 1), name="y")
        given = [sample((2, 5, 3))]
        with v1.Session() as session:
            answer = session.run("y:0", {"x:0": given[0]})
    v1.enable_control_flow_v2()
    return graph.as_graph_def(), [given, [answer]]


def parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a function that have no default."""
    return [
        each.name for each in signature(function).parameters.values() if each.default is each.empty
    ]


def stored(arrays: dict[str, Any]) -> bytes:
    """Return arrays as the content of an npz file."""
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, **arrays)
    return data.getvalue()


def answers(given: dict[str, Any], found: Any) -> bytes:
    """Return inputs by name and results in order, as the content of an npz file."""
    listed = [*found.values()] if isinstance(found, dict) else found
    listed = [*listed] if isinstance(listed, list | tuple) else [listed]
    named = {f"in_{name}": each for name, each in given.items()}
    return stored(named | {f"out_{index}": np.asarray(each) for index, each in enumerate(listed)})


def small_graphs() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the frozen graphs, and their results."""
    for name, (function, specs) in GRAPHS.items():
        given = [sample(each) for each in specs]
        for lowers in (False, True) if name in LOWERED else (False,):
            label = f"{name}_v1" if lowers else name
            graph = graph_of(function, given, lowers=lowers)
            yield f"{label}.pb", graph.SerializeToString(deterministic=True)
            names = [each.name for each in graph.node if each.op == "Placeholder"]
            names = [each for each in names if not each.startswith("unused_control_flow")]
            named = dict(zip(parameters(function), given, strict=True))
            assert sorted(names) == sorted(named), (names, [*named])
            yield f"{label}.npz", answers(named, tf.function(function)(*given))
    graph, (given, found) = classic_loop()
    yield "classic_loop.pb", graph.SerializeToString(deterministic=True)
    yield "classic_loop.npz", answers({"x": given[0]}, found)


def main(path: Path) -> None:
    """Write all graphs and answers into one archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in small_graphs():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

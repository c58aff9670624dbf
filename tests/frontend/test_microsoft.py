"""The operators of optimised and quantised models (`com.microsoft`) against ONNX Runtime."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import relay
from relay.support.errors import RelayError

pytestmark = pytest.mark.onnx
RNG = np.random.default_rng(33)
Arrays = Sequence[np.ndarray | None]


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def bytes_(*shape: int, signed: bool = False) -> np.ndarray:
    low, high, kind = (-128, 128, np.int8) if signed else (0, 256, np.uint8)
    return RNG.integers(low, high, shape).astype(kind)


def number(value: float, kind: Any = np.float32) -> np.ndarray:
    return np.array(value, kind)


def model(
    op: str,
    given: Arrays,
    results: int,
    stored: Sequence[int] = (),
    symbols: str = "",
    **attributes: Any,
) -> Any:
    """Return a model of one node; absent inputs are None, `stored` ones are constants.

    `symbols` names the leading sizes of the inputs.
    """
    names = ["" if each is None else f"x{i}" for i, each in enumerate(given)]
    outputs = [f"y{i}" for i in range(results)]
    node = helper.make_node(op, names, outputs, domain="com.microsoft", **attributes)
    infos = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(a.dtype),
            a.shape if i in stored else [*symbols, *a.shape[len(symbols) :]],
        )
        for i, (name, a) in enumerate(zip(names, given, strict=True))
        if a is not None
    ]
    last = [helper.make_empty_tensor_value_info(name) for name in outputs]
    weights = [numpy_helper.from_array(np.asarray(given[i]), f"x{i}") for i in stored]
    graph = helper.make_graph([node], "g", infos, last, weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def check(
    op: str,
    given: Arrays,
    results: int = 1,
    tolerance: float = 1e-4,
    apart: Arrays | None = None,
    stored: Sequence[int] = (),
    **attributes: Any,
) -> None:
    """Compare the results of a node with ONNX Runtime's, which may get other inputs."""
    separate = given if apart is None else apart
    arrays = {f"x{i}": each for i, each in enumerate(separate) if each is not None}
    theirs = model(op, separate, results, stored, **attributes).SerializeToString()
    expected: Any = onnxruntime.InferenceSession(theirs).run(None, arrays)
    run = relay.compile(relay.load(model(op, given, results, stored, **attributes)), threads=1)
    found = run(*(each for i, each in enumerate(given) if each is not None and i not in stored))
    for one, other in zip(found if results > 1 else (found,), expected, strict=True):
        assert one.dtype == other.dtype
        exact = other.dtype.kind in "iu"
        bound = 1 if exact else tolerance  # another order of sums may round to the neighbour
        np.testing.assert_allclose(
            one.astype(float), other.astype(float), 0 if exact else bound, bound, strict=True
        )


@pytest.mark.parametrize("form", ["plain", "past", "masks", "causal"])
def test_multi_head_attention(form: str) -> None:
    batch, rows, keys, heads, size = 2, 3, 4, 2, 8
    wide = heads * size
    q, k, v = floats(batch, rows, wide), floats(batch, keys, wide), floats(batch, keys, wide)
    past = [floats(batch, heads, 2, size) for _ in range(2)]
    forms: dict[str, tuple[Arrays, int, dict[str, Any]]] = {
        "plain": ([q, k, v, floats(3 * wide)], 1, {"scale": 0.2}),
        "past": ([q, q, q, None, None, None, *past], 3, {}),
        "masks": ([q, k, v, None, np.array([[1, 1, 0, 1], [1, 1, 1, 0]], np.int32),
                   floats(1, heads, rows, keys)], 1, {}),
        "causal": ([q, q, q], 1, {"unidirectional": 1}),
    }  # fmt: skip
    given, results, attributes = forms[form]
    check("MultiHeadAttention", given, results, num_heads=heads, **attributes)


def test_queries_keys_and_values_side_by_side() -> None:
    q, k, v = (floats(2, 3, 2, 8) for _ in range(3))
    apart: Arrays = [each.reshape(2, 3, 16) for each in (q, k, v)]
    packed: Arrays = [np.stack([q, k, v], 3)]
    check("MultiHeadAttention", packed, apart=apart, num_heads=2)
    pairs: Arrays = [apart[0], np.stack([k, v], 3)]
    check("MultiHeadAttention", pairs, apart=apart, num_heads=2)


@pytest.mark.parametrize("form", ["lengths", "rows", "past", "causal"])
def test_attention(form: str) -> None:
    batch, rows, heads, size = 2, 4, 2, 8
    wide = heads * size
    x, weight, bias = floats(batch, rows, wide), floats(wide, 3 * wide), floats(3 * wide)
    forms: dict[str, tuple[Arrays, int, dict[str, Any]]] = {
        "lengths": ([np.array([2, 4], np.int32)], 1, {}),
        "rows": ([np.array([[1, 0, 1, 1], [1, 1, 0, 0]], np.int32)], 1, {}),
        "past": ([None, floats(2, batch, heads, 3, size)], 2, {}),
        "causal": ([], 1, {"unidirectional": 1}),
    }
    more, results, attributes = forms[form]
    check("Attention", [x, weight, bias, *more], results, num_heads=heads, **attributes)


@pytest.mark.parametrize(
    ("form", "packed", "rotary"),
    [
        ("prompt", False, True),
        ("prompt", True, False),
        ("decode", False, False),
        ("decode", True, True),
        ("window", False, False),
        ("cap", False, False),
        ("no cap", False, False),
    ],
)
def test_group_query_attention(form: str, packed: bool, rotary: bool) -> None:
    batch, heads, groups, size = 2, 4, 2, 16
    rows, past = (1, 5) if form == "decode" else (4, 0)
    q = floats(batch, rows, heads * size)
    k, v = (floats(batch, rows, groups * size) for _ in range(2))
    total = rows + past
    parts: Arrays = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
    caches = [floats(12, size // 2) for _ in range(2)] if rotary else []
    lengths = np.full(batch, total - 1, np.int32)
    old: Arrays = [floats(batch, groups, past, size) for _ in range(2)]
    given = [*parts, *old, lengths, np.array(total, np.int32), *caches]
    forms: dict[str, dict[str, Any]] = {
        "window": {"local_window_size": 2},
        "cap": {"softcap": 3.0},
        "no cap": {"softcap": -3.0},
    }
    check("GroupQueryAttention", given, 3, num_heads=heads, kv_num_heads=groups,
          do_rotary=int(rotary), **forms.get(form, {}))  # fmt: skip


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("rank", [3, 4])
def test_rotary_embedding(rank: int, interleaved: int) -> None:
    x = floats(2, 3, 16) if rank == 3 else floats(2, 2, 3, 8)
    for places in (np.array([2]), np.array([[0, 4, 1], [3, 3, 2]])):
        check("RotaryEmbedding", [x, places, floats(8, 4), floats(8, 4)], interleaved=interleaved)


def test_normalisations_of_sums() -> None:
    x, y, scale, bias = floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8)
    check("SkipSimplifiedLayerNormalization", [x, y, scale, bias], epsilon=1e-5)
    check("SkipLayerNormalization", [x, y, scale, bias, floats(8)], epsilon=1e-5)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zeros", ["none", "packed", "float"])
def test_products_with_weights_of_a_few_bits(bits: int, zeros: str) -> None:
    if (bits, zeros) == (8, "float"):
        pytest.skip("ONNX Runtime refuses it")
    inner, outer, size = 80, 6, 32
    blocks = -(-inner // size)
    weight = bytes_(outer, blocks, size * bits // 8)
    scales = np.abs(floats(outer * blocks)) + 0.1
    none: Arrays = [None]
    packed: Arrays = [bytes_(outer * -(-blocks * bits // 8))]
    real: Arrays = [floats(outer * blocks) + 5]
    given = [floats(2, 3, inner), weight, scales]
    more = {"none": none, "packed": packed, "float": real}[zeros]
    check("MatMulNBits", [*given, *more], K=inner, N=outer, bits=bits, block_size=size,
          tolerance=2e-3)  # fmt: skip


def test_quantised_products() -> None:
    a, b = bytes_(3, 8), bytes_(8, 4, signed=True)
    scales = (number(0.03), number(0.02))
    zeros = (number(120, np.uint8), number(-3, np.int8))
    bias = floats(4)
    check("MatMulIntegerToFloat", [a, b, *scales, *zeros, bias])
    check("DynamicQuantizeMatMul", [floats(3, 8), b, scales[1], zeros[1], bias])
    sides: Arrays = [a, scales[0], zeros[0], b, scales[1], zeros[1]]
    whole = np.arange(4, dtype=np.int32) * 100
    check("QGemm", [*sides, whole, number(0.1), number(9, np.uint8)])
    points = np.array([1, -2, 3, 4], np.int8)  # of the columns of a transposed square matrix
    columns: Arrays = [bytes_(3, 4), *sides[1:3], bytes_(4, 4, signed=True), floats(4), points]
    check("QGemm", columns, transB=1)
    x, weight = bytes_(2, 3, 8), bytes_(8, 24, signed=True)
    check("QAttention", [x, weight, floats(24), *scales, np.array([3, 2], np.int32), *zeros],
          num_heads=2)  # fmt: skip


def test_activations_behind_products() -> None:
    x, w, b = floats(1, 3, 6, 6), floats(4, 3, 3, 3), floats(4)
    pads: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    check("FusedConv", [x, w, b], activation="Relu", **pads)
    check("FusedConv", [x, w, b, floats(1, 4, 6, 6)], activation="Relu", **pads)
    limits: dict[str, Any] = {"activation_params": [0.1]}
    check("FusedConv", [x, w, b], activation="LeakyRelu", **limits, **pads)
    check("FusedGemm", [floats(2, 3), floats(3, 4), floats(4)], activation="Tanh", alpha=0.5)


def test_averages_of_bytes_divide_by_the_whole_window() -> None:
    zero = number(9, np.uint8)
    given: Arrays = [bytes_(1, 2, 5, 7), number(0.1), zero, number(0.05), zero]
    window: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2], "count_include_pad": 1}
    check("QLinearAveragePool", given, ceil_mode=1, stored=(1, 2, 3, 4), **window)


def test_inverses_and_distinct_elements() -> None:
    check("Inverse", [floats(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)])
    check("Unique", [np.array([3, 1, 3, 2, 1], np.float32)], results=3)


def test_attention_over_symbolic_sizes() -> None:
    x, weight, bias = floats(2, 3, 8), floats(8, 24), floats(24)
    form: dict[str, Any] = {"num_heads": 2, "symbols": "bs"}
    check("Attention", [x, weight, bias], stored=(1, 2), **form)
    check("MultiHeadAttention", [x, x, x, bias], stored=(3,), **form)
    parts = bytes_(2, 3, 8), bytes_(8, 24, signed=True), bias, number(0.03), number(0.02)
    zeros = None, number(9, np.uint8), number(0, np.int8)
    check("QAttention", [*parts, *zeros], stored=(1, 2, 3, 4, 6, 7), **form)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_distances(metric: str) -> None:
    check("CDist", [floats(4, 5), floats(3, 5)], metric=metric)


def test_an_unknown_activation_is_named() -> None:
    given: Arrays = [floats(1, 1, 1, 1)] * 2
    made = model("FusedConv", given, 1, kernel_shape=[1, 1], activation="Swoosh")
    with pytest.raises(RelayError, match="F040"):
        relay.load(made)


def test_products_of_moved_axes() -> None:
    a, b = floats(4, 2, 3), floats(2, 5, 3)
    check("FusedMatMul", [a, b], transBatchA=1, transB=1, alpha=0.5)
    check("FusedMatMul", [floats(3, 2, 4), floats(5, 2, 3)], transBatchA=1, transA=1,
          transBatchB=1, transB=1)  # fmt: skip


@pytest.mark.parametrize("with_mask", [False, True])
def test_embeddings_count_the_tokens_of_a_mask(with_mask: bool) -> None:
    ids, segments = (RNG.integers(0, n, (2, 5)).astype(np.int32) for n in (9, 2))
    tables = [floats(9, 8), floats(5, 8), floats(2, 8), floats(8), floats(8)]
    mask: Arrays = [np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)] if with_mask else []
    check("EmbedLayerNormalization", [ids, segments, *tables, *mask], 2)


@pytest.mark.parametrize("kind", [0, 1])
def test_products_with_four_bit_floats(kind: int) -> None:
    inner, outer, size = 64, 6, 32
    given = [floats(3, inner), bytes_(inner * outer // 2), np.abs(floats(inner * outer // size))]
    check("MatMulBnb4", given, K=inner, N=outer, block_size=size, quant_type=kind, tolerance=1e-3)


@pytest.mark.parametrize("zeros", [False, True])
def test_gathered_blocks_of_four_bits(zeros: bool) -> None:
    data, scales = bytes_(6, 32), np.abs(floats(6, 4))
    zero: Arrays = [bytes_(6, 2)] if zeros else []
    given = [data, np.array([[4, 0], [1, 4]]), scales, *zero]
    check("GatherBlockQuantized", given, block_size=16, bits=4)


def test_integers_of_sixteen_bits() -> None:
    a, b = (RNG.integers(-999, 999, shape).astype(np.int16) for shape in ((2, 3, 4), (4, 5)))
    check("MatMulInteger16", [a, b])


def test_images_whose_channels_come_last() -> None:
    x, scale, zero = bytes_(1, 6, 7, 3), number(0.1), number(7, np.uint8)
    check("NhwcMaxPool", [x], kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 1, 0])
    pool: dict[str, Any] = {"kernel_shape": [2, 2], "channels_last": 1}
    check("QLinearAveragePool", [x, scale, zero, scale, zero], **pool)
    check("QLinearGlobalAveragePool", [x, scale, zero, scale, zero], channels_last=1)


def test_a_choice_between_quantised_tensors() -> None:
    condition, x, y = RNG.random((3, 4)) < 0.5, bytes_(3, 4), bytes_(3, 4)
    sides = [x, number(0.1), number(3, np.uint8), y, number(0.2), number(9, np.uint8)]
    check("QLinearWhere", [condition, *sides, number(0.15), number(5, np.uint8)])


def test_crops_of_images() -> None:
    boxes = np.array([[0.1, 0.2, 0.8, 0.9], [0.7, 0.3, 0.2, 1.2]], np.float32)
    given = [floats(2, 3, 6, 7), boxes, np.array([1, 0], np.int32), np.array([3, 4], np.int32)]
    check("CropAndResize", given, stored=[3], extrapolation_value=0.5)


def test_operators_that_the_standard_has_too() -> None:
    check("Trilu", [floats(2, 4, 5), np.array(1)], upper=0)
    check("ExpandDims", [floats(2, 3), np.array(1, np.int32)], stored=[1])
    grid = RNG.uniform(-1.2, 1.2, (1, 4, 3, 2)).astype(np.float32)
    check("GridSample", [floats(1, 2, 5, 6), grid], mode="bilinear", padding_mode="border")


@pytest.mark.parametrize("op", ["GroupNorm", "SkipGroupNorm"])
def test_normalised_groups_of_channels(op: str) -> None:
    """The layers of diffusion models, which ONNX Runtime has for GPUs only: against NumPy."""
    x, scale, shift = floats(2, 4, 5, 8), floats(8), floats(8)
    more = [floats(2, 8), floats(8)] if op == "SkipGroupNorm" else []
    results = 2 if more else 1
    made = model(op, [x, scale, shift, *more], results, groups=2, activation=1, epsilon=1e-3)
    found: Any = relay.compile(relay.load(made), threads=1)(x, scale, shift, *more)
    total = x + more[0][:, None, None] + more[1] if more else x
    groups = total.reshape(2, 20, 2, 4)
    normal = groups - groups.mean((1, 3), keepdims=True)
    normal /= np.sqrt(groups.var((1, 3), keepdims=True) + 1e-3)
    wanted = normal.reshape(x.shape) * scale + shift
    wanted /= 1 + np.exp(-wanted)
    for one, other in zip(found if more else (found,), (wanted, total), strict=False):
        np.testing.assert_allclose(one, other, 1e-4, 1e-4)


def test_biases_of_diffusion_models() -> None:
    x, bias, other = floats(2, 3, 8), floats(8), floats(2, 3, 8)
    added: Any = relay.compile(relay.load(model("BiasAdd", [x, bias, other], 1)), threads=1)
    np.testing.assert_allclose(added(x, bias, other), x + bias + other, 1e-5, 1e-5)
    gated: Any = relay.compile(relay.load(model("BiasSplitGelu", [x, bias], 1)), threads=1)
    left, right = np.split(x + bias, 2, -1)
    erf = np.vectorize(math.erf)
    wanted = left * right * 0.5 * (1 + erf(right / np.sqrt(2)))
    np.testing.assert_allclose(gated(x, bias), wanted, 1e-4, 1e-4)


def test_an_attribute_that_nothing_reads_is_refused() -> None:
    made = model("QuickGelu", [floats(2)], 1, beta=2.0)
    with pytest.raises(RelayError, match=r"F052.*'beta' has the value 2\.0"):
        relay.load(made)

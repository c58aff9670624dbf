"""The operators of optimised and quantised models (`com.microsoft`) against ONNX Runtime."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper

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


def model(op: str, given: Arrays, results: int, **attributes: Any) -> Any:
    """Return a model of one node; absent inputs are None."""
    names = ["" if each is None else f"x{i}" for i, each in enumerate(given)]
    outputs = [f"y{i}" for i in range(results)]
    node = helper.make_node(op, names, outputs, domain="com.microsoft", **attributes)
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in zip(names, given, strict=True)
        if a is not None
    ]
    last = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph([node], "g", infos, last)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def check(
    op: str,
    given: Arrays,
    results: int = 1,
    tolerance: float = 1e-4,
    apart: Arrays | None = None,
    **attributes: Any,
) -> None:
    """Compare the results of a node with ONNX Runtime's, which may get other inputs."""
    separate = given if apart is None else apart
    arrays = {f"x{i}": each for i, each in enumerate(separate) if each is not None}
    theirs = model(op, separate, results, **attributes).SerializeToString()
    expected: Any = onnxruntime.InferenceSession(theirs).run(None, arrays)
    run = relay.compile(relay.load(model(op, given, results, **attributes)), threads=1)
    found = run(*(each for each in given if each is not None))
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


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_distances(metric: str) -> None:
    check("CDist", [floats(4, 5), floats(3, 5)], metric=metric)


def test_an_unknown_activation_is_named() -> None:
    given: Arrays = [floats(1, 1, 1, 1)] * 2
    made = model("FusedConv", given, 1, kernel_shape=[1, 1], activation="Swoosh")
    with pytest.raises(RelayError, match="F040"):
        relay.load(made)

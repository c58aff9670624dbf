"""Decoders, experts and packed batches (`com.microsoft`) against ONNX Runtime or NumPy."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from frontend.test_microsoft import Arrays, bytes_, check, floats, model, number
from onnx import TensorProto, helper, numpy_helper

import relay

pytestmark = pytest.mark.onnx
RNG = np.random.default_rng(34)


@pytest.mark.parametrize("form", ["self", "cross"])
def test_a_decoder_attends_with_one_token(form: str) -> None:
    heads, size = 2, 8
    query = floats(2, 1, heads * size)
    past = [floats(2, heads, 3, size) for _ in range(2)]
    mask = np.array([[1, 1, 0], [1, 1, 1]], np.int32)
    if form == "cross":
        check("DecoderMaskedMultiHeadAttention", [query, *past, mask], num_heads=heads)
    else:
        count = np.array([2], np.int32)
        given: Arrays = [query, query, query, None, None, *past, count]
        attributes: dict[str, Any] = {"num_heads": heads, "past_present_share_buffer": 1}
        check("DecoderMaskedMultiHeadAttention", given, 3, **attributes)


def test_packed_sequences_attend_like_padded_ones() -> None:
    """The operators for GPUs: against ONNX Runtime's attention of the padded batch."""
    batch, longest, heads, wide = 2, 4, 2, 16
    lengths = np.array([2, 4], np.int32)
    q, k, v = (floats(batch, longest, wide) for _ in range(3))
    theirs: Any = model("MultiHeadAttention", [q, k, v, None, lengths], 1, num_heads=heads)
    session: Any = onnxruntime.InferenceSession(theirs.SerializeToString())
    (expected,) = session.run(None, {"x0": q, "x1": k, "x2": v, "x4": lengths})
    removed = run("RemovePadding", [q, lengths], 4)
    rows, places, ends, most = removed
    there = np.arange(longest) < lengths[:, None]
    np.testing.assert_array_equal(rows, q[there])
    np.testing.assert_array_equal(places.ravel()[:6], np.flatnonzero(there))
    np.testing.assert_array_equal(ends, [0, 2, 6])
    assert most.tolist() == [4]
    packed = [rows, k[there], v[there], None, places, ends]
    found = run("PackedMultiHeadAttention", packed, 1, num_heads=heads)
    np.testing.assert_allclose(found, expected[there], 1e-4, 1e-5)
    restored = run("RestorePadding", [found, places], 1)
    np.testing.assert_allclose(restored, np.where(there[..., None], expected, 0), 1e-4, 1e-5)


def test_packed_sequences_are_projected() -> None:
    x, weight, bias = floats(2, 3, 16), floats(16, 48), floats(48)
    lengths = np.array([3, 1], np.int32)
    theirs: Any = model("Attention", [x, weight, bias, lengths], 1, num_heads=2)
    session: Any = onnxruntime.InferenceSession(theirs.SerializeToString())
    (expected,) = session.run(None, {"x0": x, "x1": weight, "x2": bias, "x3": lengths})
    there = np.arange(3) < lengths[:, None]
    places = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    given = [x[there], weight, bias, places, np.array([0, 3, 4], np.int32)]
    found = run("PackedAttention", given, 1, num_heads=2)
    np.testing.assert_allclose(found, expected[there], 1e-4, 1e-5)


def run(op: str, given: Arrays, results: int, **attributes: Any) -> Any:
    program: Any = relay.compile(relay.load(model(op, given, results, **attributes)), threads=1)
    return program(*(each for each in given if each is not None))


def test_embeddings_from_quantised_tables() -> None:
    ids, segments = (RNG.integers(0, n, (2, 5)).astype(np.int32) for n in (9, 2))
    tables: Arrays = [bytes_(9, 8), bytes_(5, 8), bytes_(2, 8), bytes_(8), bytes_(8)]
    scales: Arrays = [number(each) for each in (0.1, 0.2, 0.3, 0.01, 0.02)]
    zeros: Arrays = [number(each, np.uint8) for each in (120, 130, 128, 10, 20)]
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    given = [ids, segments, *tables, mask, *scales, *zeros]
    check("QEmbedLayerNormalization", given, 2)


@pytest.mark.parametrize("channels", [False, True])
def test_an_lstm_with_quantised_weights(channels: bool) -> None:
    """ONNX Runtime also rounds the states to 8 bits, so that results differ a little."""
    rows, batch, wide, hidden = 4, 2, 6, 5
    weights = [bytes_(1, size, 4 * hidden, signed=True) for size in (wide, hidden)]
    shape = (1, 4 * hidden) if channels else (1,)
    scales = [np.full(shape, 0.004, np.float32) for _ in range(2)]
    zeros = [np.zeros(shape, np.int8) for _ in range(2)]
    given: Arrays = [floats(rows, batch, wide), *weights, floats(1, 8 * hidden)]
    given = [*given, *[None] * 4, scales[0], zeros[0], scales[1], zeros[1]]
    check("DynamicQuantizeLSTM", given, 3, 2e-2, stored=[1, 2], hidden_size=hidden)


def test_quantised_images_whose_channels_come_last() -> None:
    sides = [bytes_(1, 5, 6, 3), number(0.1), number(7, np.uint8)]
    weight = [bytes_(4, 3, 3, 3), number(0.02), number(120, np.uint8)]
    bias = np.arange(4, dtype=np.int32) * 50
    given = [*sides, *weight, number(0.3), number(100, np.uint8), bias]
    check("QLinearConv", given, channels_last=1, pads=[1, 0, 1, 0], stored=[3])


def test_sums_and_products_of_bytes() -> None:
    sides = [bytes_(2, 3, 4), number(0.1), number(7, np.uint8)]
    mean = run("QLinearReduceMean", [*sides, number(0.2), number(3, np.uint8)], 1, axes=[1])
    real = ((sides[0].astype(float) - 7) * 0.1).mean(1, keepdims=True)
    np.testing.assert_array_equal(mean, np.clip(np.rint(real / 0.2) + 3, 0, 255))
    x, y = bytes_(3, 4), bytes_(4)
    product = run("MulInteger", [x, number(3, np.uint8), y, number(9, np.uint8)], 1)
    np.testing.assert_array_equal(product, (x.astype(np.int32) - 3) * (y.astype(np.int32) - 9))
    total = run("ReduceSumInteger", [x], 1, axes=[0], keepdims=1)
    np.testing.assert_array_equal(total, x.sum(0, dtype=np.int32, keepdims=True))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_sequences_of_tokens_are_not_repeated(size: int) -> None:
    tokens = np.array([[1, 2, 3, 1, 2], [4, 4, 4, 4, 4]])
    check("NGramRepeatBlock", [tokens, floats(2, 7)], ngram_size=size)
    check("NGramRepeatBlock", [tokens[:, :1], floats(2, 7)], ngram_size=size)


@pytest.mark.parametrize(
    ("activation", "fusion"), [("relu", 0), ("gelu", 0), ("silu", 0), ("swiglu", 1)]
)
@pytest.mark.parametrize("normalised", [0, 1])
def test_mixtures_of_experts(activation: str, fusion: int, normalised: int) -> None:
    experts, wide, inner = 4, 6, 8
    rows = 2 * inner if fusion else inner
    x, scores = floats(5, wide), floats(5, experts)
    layers = [floats(experts, rows, wide), floats(experts, rows)]
    layers += [floats(experts, wide, inner), floats(experts, wide)]
    attributes: dict[str, Any] = {
        "k": 2,
        "activation_type": activation,
        "normalize_routing_weights": normalised,
    }
    check("MoE", [x, scores, *layers], swiglu_fusion=fusion, tolerance=1e-3, **attributes)
    if fusion:  # gates and linear parts one behind the other, which ONNX Runtime has for GPUs only
        apart = [each.reshape(experts, inner, 2, -1).swapaxes(1, 2) for each in layers[:2]]
        moved = [each.reshape(old.shape) for each, old in zip(apart, layers, strict=False)]
        one = run("MoE", [x, scores, *layers], 1, swiglu_fusion=1, **attributes)
        other = run("MoE", [x, scores, *moved, *layers[2:]], 1, swiglu_fusion=2, **attributes)
        np.testing.assert_allclose(one, other, 1e-4, 1e-4)


def test_biases_before_softmax_and_dropout() -> None:
    x, bias = floats(2, 3, 4, 5), floats(2, 1, 1, 5)
    found = run("BiasSoftmax", [x, bias], 1, axis=3, is_inner_broadcast=1)
    power = np.exp(x + bias - (x + bias).max(-1, keepdims=True))
    np.testing.assert_allclose(found, power / power.sum(-1, keepdims=True), 1e-4, 1e-6)
    dropped, mask = run("BiasDropout", [x, floats(5) * 0 + 2, bias * 0 + 1], 2)
    np.testing.assert_allclose(dropped, x + 3, 1e-5, 1e-5)
    assert mask.all()


_LAYERS, _HEADS, _SIZE, _WORDS = 2, 2, 4, 11


def decoder() -> Any:
    """Return a decoder like that of GPT-2, with random weights."""
    wide = _HEADS * _SIZE
    shapes = {"words": (_WORDS, wide), "places": (16, wide)}
    for layer in range(_LAYERS):
        shapes |= {f"w{layer}": (wide, 3 * wide), f"b{layer}": (3 * wide,)}
    weights = [numpy_helper.from_array(floats(*shape), name) for name, shape in shapes.items()]
    weights.append(numpy_helper.from_array(floats(wide, _WORDS) * 3, "head"))
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["word"]),
        helper.make_node("Gather", ["places", "position_ids"], ["place"]),
        helper.make_node("Add", ["word", "place"], ["h0"]),
    ]
    for layer in range(_LAYERS):
        given = [f"h{layer}", f"w{layer}", f"b{layer}", "attention_mask", f"past_{layer}"]
        nodes.append(
            helper.make_node("Attention", given, [f"a{layer}", f"present_{layer}"],
                             domain="com.microsoft", num_heads=_HEADS, unidirectional=1)
        )  # fmt: skip
        nodes.append(helper.make_node("Add", [f"h{layer}", f"a{layer}"], [f"h{layer + 1}"]))
    nodes.append(helper.make_node("MatMul", [f"h{_LAYERS}", "head"], ["logits"]))
    ids = [
        helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", length])
        for name, length in (("input_ids", "n"), ("position_ids", "n"), ("attention_mask", "all"))
    ]
    past, present = (
        [
            helper.make_tensor_value_info(
                f"{word}_{layer}", TensorProto.FLOAT, [2, "batch", _HEADS, length, _SIZE]
            )
            for layer in range(_LAYERS)
        ]
        for word, length in (("past", "old"), ("present", "all"))
    )
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "n", _WORDS])
    return helper.make_graph(nodes, "decoder", [*ids, *past], [logits, *present], weights)


@pytest.mark.parametrize("form", ["plain", "penalties", "padding"])
def test_texts_are_continued_greedily(form: str) -> None:
    tokens = np.array([[3, 5, 2], [7, 1, 4]], np.int32)
    more: Arrays = []
    if form == "penalties":
        allowed = (np.arange(_WORDS) != 6).astype(np.int32)
        more = [np.array([9], np.int32), number(1.4)[None], allowed]
    if form == "padding":
        tokens[0, 0] = 0
    given: Arrays = [tokens, np.array([12], np.int32), *more]
    check("GreedySearch", given, stored=[1], decoder=decoder(), eos_token_id=9, pad_token_id=0,
          model_type=0)  # fmt: skip

"""Transformer encoders over token ids: BERT-base, BERT-small, and a small one of 6 layers."""

from typing import NamedTuple

from benchmarks.networks.layers import Array, Layers, V, Weights

EPSILON = 1e-12  # what BERT uses


class Encoder(NamedTuple):
    """The sizes of an encoder; every sequence has exactly `length` tokens."""

    layers: int
    width: int
    heads: int
    hidden: int
    length: int
    vocabulary: int = 30522


BERT_BASE = Encoder(layers=12, width=768, heads=12, hidden=3072, length=128)
BERT_SMALL = Encoder(layers=4, width=512, heads=8, hidden=2048, length=128)
SMALL = Encoder(layers=6, width=384, heads=12, hidden=1536, length=64)


def encoder(net: Layers[V], weights: Weights, sizes: Encoder) -> None:
    """Build the encoder: ids, mask and segments to the last states and the pooled first state."""
    length, width = sizes.length, sizes.width
    ids = net.input("input_ids", (1, length), "int64")
    mask = net.input("attention_mask", (1, length), "int64")
    segments = net.input("token_type_ids", (1, length), "int64")
    x = _embeddings(net, weights, ids, segments, sizes)
    scores = net.additive_mask(mask)
    for _ in range(sizes.layers):
        x = _layer(net, weights, x, scores, sizes)
    net.output("last_hidden_state", x, (1, length, width))
    first = net.linear(net.first_token(x), *weights.dense(width, width, _spread(sizes)))
    net.output("pooler_output", net.tanh(first), (1, width))


def _spread(sizes: Encoder) -> float:
    return sizes.width**-0.5  # keeps a projection of unit states at unit size


def _embeddings(net: Layers[V], weights: Weights, ids: V, segments: V, sizes: Encoder) -> V:
    words = net.embed(ids, weights.normal(sizes.vocabulary, sizes.width))
    kinds = net.embed(segments, weights.normal(2, sizes.width))
    positions = weights.normal(1, sizes.length, sizes.width)
    x = net.add_constant(net.add(words, kinds), positions)
    return _normalise(net, weights, x, sizes)


def _layer(net: Layers[V], weights: Weights, x: V, scores: V, sizes: Encoder) -> V:
    shape, spread = (sizes.length, sizes.width), _spread(sizes)
    heads = weights.attention(sizes.width, sizes.heads, spread)
    x = _normalise(net, weights, net.add(net.self_attention(x, scores, shape, heads), x), sizes)
    hidden = net.gelu(net.project(x, *weights.dense(sizes.width, sizes.hidden, spread)))
    out = net.project(hidden, *weights.dense(sizes.hidden, sizes.width))
    return _normalise(net, weights, net.add(out, x), sizes)


def _normalise(net: Layers[V], weights: Weights, x: V, sizes: Encoder) -> V:
    scale: Array = weights.norm(sizes.width).scale
    return net.layer_norm(x, scale, weights.normal(sizes.width, deviation=0.1), EPSILON)

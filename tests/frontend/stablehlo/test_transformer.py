"""A language model in the style of Flax, whose layers are scanned over, against JAX."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.jax import from_jax
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
export: Any = import_module("jax.export")

WORDS, PLACES, WIDTH, HEADS, LAYERS = 50, 16, 24, 3, 4


def parameters() -> Any:
    """Return parameters as Flax names them; those of all layers are stacked."""
    random = np.random.default_rng(0)

    def floats(*shape: int) -> Any:
        return random.normal(0, 0.3, shape).astype(np.float32)

    def norm(*stack: int) -> Any:
        return {"scale": 1 + floats(*stack, WIDTH), "bias": floats(*stack, WIDTH)}

    heads = (LAYERS, WIDTH, HEADS, WIDTH // HEADS)
    layers = {
        **{name: {"kernel": floats(*heads), "bias": floats(LAYERS, *heads[2:])} for name in "qkv"},
        "out": {"kernel": floats(LAYERS, *heads[2:], WIDTH), "bias": floats(LAYERS, WIDTH)},
        "up": {"kernel": floats(LAYERS, WIDTH, 32), "bias": floats(LAYERS, 32)},
        "down": {"kernel": floats(LAYERS, 32, WIDTH), "bias": floats(LAYERS, WIDTH)},
        "norm_1": norm(LAYERS),
        "norm_2": norm(LAYERS),
    }
    return {
        "words": {"embedding": floats(WORDS, WIDTH)},
        "places": {"embedding": floats(PLACES, WIDTH)},
        "layers": layers,
        "norm": norm(),
    }


def normal(p: Any, x: Any) -> Any:
    middle = x - x.mean(-1, keepdims=True)
    variance = (middle**2).mean(-1, keepdims=True)
    return middle * jax.lax.rsqrt(variance + 1e-6) * p["scale"] + p["bias"]


def dense(p: Any, x: Any, form: str) -> Any:
    return jnp.einsum(form, x, p["kernel"]) + p["bias"]


def attention(p: Any, x: Any, mask: Any) -> Any:
    q, k, v = (dense(p[name], x, "btd,dhe->bthe") for name in "qkv")
    scores = jnp.einsum("bqhe,bkhe->bhqk", q, k) / np.sqrt(WIDTH // HEADS)
    shares = jax.nn.softmax(jnp.where(mask, scores, jnp.finfo(np.float32).min))
    return dense(p["out"], jnp.einsum("bhqk,bkhe->bqhe", shares, v), "bqhe,hed->bqd")


def decoder(params: Any, ids: Any) -> Any:
    """Return the scores of the next word at each place."""
    length = ids.shape[1]
    mask = jnp.tril(jnp.ones((length, length), bool))

    def layer(x: Any, p: Any) -> Any:
        x = x + attention(p, normal(p["norm_1"], x), mask)
        hidden = jax.nn.gelu(dense(p["up"], normal(p["norm_2"], x), "btd,de->bte"))
        return x + dense(p["down"], hidden, "bte,ed->btd"), None

    words = params["words"]["embedding"]
    x = words[ids] + params["places"]["embedding"][:length]
    x, _ = jax.lax.scan(layer, x, params["layers"])
    return normal(params["norm"], x) @ words.T


def loss(params: Any, ids: Any) -> Any:
    """Return the mean surprise of each next word."""
    scores = jax.nn.log_softmax(decoder(params, ids[:, :-1]))
    return -jnp.take_along_axis(scores, ids[:, 1:, None], 2).mean()


PARAMETERS = parameters()
LEAVES = [np.asarray(each) for each in jax.tree_util.tree_leaves(PARAMETERS)]


def text(batch: int, length: int) -> Any:
    return np.random.default_rng(length).integers(0, WORDS, (batch, length)).astype(np.int32)


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=2e-4, atol=2e-5)


def test_the_decoder_gives_what_jax_gives():
    ids = text(2, 7)
    module = from_jax(decoder, PARAMETERS, ids)
    wanted = jax.jit(decoder)(PARAMETERS, ids)
    same(evaluate(module, *LEAVES, ids), wanted)
    same(relay.compile(module, threads=1)(*LEAVES, ids), wanted)


def test_a_decoder_of_open_sizes():
    sizes = export.symbolic_shape("batch, length", constraints=[f"length <= {PLACES}"])
    open_ids = jax.ShapeDtypeStruct(sizes, np.int32)
    fast = relay.compile(export.export(jax.jit(decoder))(PARAMETERS, open_ids), threads=1)
    for shape in ((1, 3), (3, 9)):
        ids = text(*shape)
        same(fast(*LEAVES, ids), jax.jit(decoder)(PARAMETERS, ids))
    with pytest.raises(RelayError) as caught:
        fast(*LEAVES, text(1, PLACES + 1))
    assert "length" in caught.value.message


def test_the_gradient_of_the_decoder_is_that_of_jax():
    ids = text(2, 6)
    slope = jax.value_and_grad(loss)
    module = from_jax(slope, PARAMETERS, ids)
    found = relay.compile(module, threads=1)(*LEAVES, ids)
    for mine, theirs in zip(found, jax.tree_util.tree_leaves(slope(PARAMETERS, ids)), strict=True):
        same(mine, theirs)

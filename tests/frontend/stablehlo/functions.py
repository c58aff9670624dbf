"""Functions of JAX with arguments, by name: each family of operations is in one at least."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
lax = jax.lax

_RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return _RANDOM.standard_normal(shape).astype(np.float32)


def places(most: int, *shape: int) -> Any:
    return _RANDOM.integers(0, most, shape).astype(np.int32)


def network(params, x):
    for w, b in params:
        x = jax.nn.relu(x @ w + b)
    return jax.nn.log_softmax(x)


def recurrent(w, u, xs):
    def step(h, x):
        h = jnp.tanh(h @ w + x @ u)
        return h, h.sum()

    return lax.scan(step, jnp.zeros(5), xs)


def newton(a):
    def step(state):
        return 0.5 * (state[0] + a / state[0]), state[1] + 1

    return lax.while_loop(lambda s: jnp.abs(s[0] * s[0] - a) > 1e-4, step, (a, 0))


def convolved(x, w, strides=(2, 1), padding: Any = "SAME", **options):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=numbers, **options)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)


def transformer(params, x):
    def normal(x):
        return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)

    q, k, v = (normal(x) @ params[name] for name in "qkv")
    heads = [each.reshape(*x.shape[:2], 2, 4) for each in (q, k, v)]
    x = x + attention(*heads).reshape(x.shape)
    return x + jax.nn.gelu(normal(x) @ params["up"]) @ params["down"]


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def mean_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 6, 1), (1, 1, 1, 1), "SAME") / 18


def squares(f: Callable[..., Any], *of: int) -> Callable[..., Any]:
    """Return the gradient of the sum of squares of what a function gives."""
    return jax.grad(lambda *args: (f(*args) ** 2).sum(), of or 0)


def arithmetic(x):
    y = jnp.abs(x)
    return (
        jnp.expm1(x), jnp.log1p(y), jnp.arctan2(x, x[::-1]), jnp.cbrt(x), jnp.sinh(x), y**1.5,
        jax.scipy.special.erf(x), jnp.floor(x), jnp.round(x), jnp.sign(x), lax.rsqrt(y),
        jax.nn.sigmoid(x), jnp.mod(x, 0.7), jnp.arcsin(x / 10), jnp.isfinite(x), jnp.tan(x),
        jnp.clip(x, -0.5, 0.5), jnp.where(x > 0, x, jnp.exp(x)), jnp.maximum(x, 0.1), -x / 3,
    )  # fmt: skip


def of_integers(x):
    three = jnp.int32(3)
    return (
        x // 3, x % 3, x << 2, x >> 1, x & 5, x | 2, x ^ 3, ~x, jnp.abs(x), x > 4,
        lax.shift_right_logical(x, three), lax.shift_left(x, jnp.int32(40)), x.astype(jnp.float32),
        lax.bitcast_convert_type(x, jnp.float32) * 0, lax.bitcast_convert_type(x, jnp.uint32),
    )  # fmt: skip


IMAGE, KERNEL = floats(1, 8, 9, 3), floats(3, 3, 3, 4)
LAYERS = [(floats(6, 8), floats(8)), (floats(8, 4), floats(4))]
CELL = floats(5, 5), floats(3, 5), floats(7, 3)
WEIGHTS = {name: floats(8, 8) for name in ("q", "k", "v")} | {
    "up": floats(8, 12),
    "down": floats(12, 8),
}

FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "bit counts": (
        lambda x, y: (lax.population_count(x), lax.clz(x), lax.population_count(y), lax.clz(y)),
        np.array([0, 1, -1, 100, -128, 127], np.int8),
        np.array([0, 1, 2**32 - 1, 2**31, 715827882], np.uint32),
    ),
    "network": (network, LAYERS, floats(3, 6)),
    "gradient of a network": (jax.grad(lambda p, x: network(p, x).sum()), LAYERS, floats(3, 6)),
    "recurrent": (recurrent, *CELL),
    "gradient of a recurrent": (squares(lambda *args: recurrent(*args)[0], 0, 1), *CELL),
    "newton": (newton, np.float32(7)),
    "newton for many": (jax.vmap(newton), np.abs(floats(4)) + 1),
    "transformer": (transformer, WEIGHTS, floats(2, 5, 8)),
    "attention": (attention, floats(2, 5, 2, 4), floats(2, 6, 2, 4), floats(2, 6, 2, 4)),
    "cond": (lambda c, x: lax.cond(c, lambda x: x * 2, lambda x: x - 1, x), np.bool_(1), floats(3)),
    "switch": (
        lambda i, x: lax.switch(i, [lambda x: x, lambda x: x * 2, lambda x: -x], x),
        np.int32(2), floats(3),
    ),
    "fori_loop": (lambda x: lax.fori_loop(0, 5, lambda i, y: y * 0.5 + i, x), floats(3)),
    "a loop in a scan": (
        lambda xs: lax.scan(
            lambda c, x: (lax.while_loop(lambda v: v < 9, lambda v: v + x * x + 1, c) * 0.1, c),
            jnp.float32(0), xs,
        ),
        floats(5),
    ),
    "convolution": (convolved, IMAGE, KERNEL),
    "gradient of a convolution": (squares(convolved, 0, 1), IMAGE, KERNEL),
    "grouped": (lambda x, w: convolved(x, w, feature_group_count=4), floats(1, 6, 6, 4),
                floats(3, 3, 1, 8)),
    "gradient of a grouped": (
        squares(lambda x, w: convolved(x, w, feature_group_count=4), 0, 1),
        floats(1, 6, 6, 4), floats(3, 3, 1, 8),
    ),
    "transposed": (
        lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), floats(1, 5, 5, 3),
        floats(3, 3, 3, 4),
    ),
    "one axis": (
        lambda x, w: lax.conv_general_dilated(x, w, (1,), [(2, 0)], rhs_dilation=(2,)),
        floats(2, 3, 9), floats(4, 3, 3),
    ),
    "cropped": (lambda x, w: convolved(x, w, (1, 1), [(-1, 2), (1, -1)]), IMAGE, KERNEL),
    "max pool": (max_pool, floats(1, 9, 8, 2)),
    "mean pool": (mean_pool, floats(1, 9, 8, 2)),
    "gradient of a max pool": (squares(max_pool), floats(1, 9, 8, 2)),
    "gradient of a mean pool": (squares(mean_pool), floats(1, 9, 8, 2)),
    "rows for many": (jax.vmap(lambda x, y: jnp.sort(x)[y]), floats(4, 6), places(6, 4)),
    "argmax": (lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), floats(4, 5)),
    "argsort": (lambda x: jnp.argsort(x, axis=0), floats(6, 3)),
    "downwards": (lambda x: jnp.sort(x, axis=0, descending=True), floats(6, 3)),
    "two keys": (lambda x, y: lax.sort((x, y), num_keys=2), places(3, 20), floats(20)),
    "top_k": (lambda x: lax.top_k(x, 3), floats(2, 9)),
    "approximate top_k": (
        lambda x: (lax.approx_max_k(x, 3), lax.approx_min_k(x, 2, reduction_dimension=0)),
        floats(4, 9),
    ),
    "running": (lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1)), floats(3, 5)),
    "rows": (lambda x, i: x[i], floats(6, 3), places(6, 2, 2)),
    "two indices": (lambda x, i, j: x[i, :, j], floats(6, 3, 4), places(6, 5), places(4, 5)),
    "along an axis": (lambda x, i: jnp.take_along_axis(x, i, 1), floats(6, 3), places(3, 6, 2)),
    "part": (lambda x, i: lax.dynamic_slice(x, (i, 1), (3, 2)), floats(7, 4), np.int32(5)),
    "written part": (
        lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 1)), floats(7, 4), floats(3, 2),
        np.int32(5),
    ),
    "written rows": (lambda x, i, v: x.at[i].set(v), floats(6, 3), np.array([1, 9], np.int32),
                     floats(2, 3)),
    "added rows": (lambda x, i, v: x.at[i].add(v), floats(6, 3), places(8, 5), floats(5, 3)),
    "added elements": (
        lambda x, i, j, v: x.at[i, j].max(v), floats(6, 3), places(6, 5), places(3, 5), floats(5),
    ),
    "segments": (lambda x, i: jax.ops.segment_sum(x, i, 4), floats(6, 3), places(4, 6)),
    "gradient of rows": (squares(lambda x, i: x[i]), floats(6, 3), places(6, 7)),
    "padded": (
        lambda x: (jnp.pad(x, 1, mode="reflect"), lax.pad(x, 0.0, ((1, -1, 2), (0, 0, 1)))),
        floats(3, 4),
    ),
    "arithmetic": (arithmetic, floats(3, 4)),
    "integers": (of_integers, places(99, 12) - 50),
    "normal": (lambda s: jax.random.normal(jax.random.PRNGKey(s), (3, 4)), np.int32(3)),
    "permutation": (lambda s: jax.random.permutation(jax.random.PRNGKey(s), 10), np.int32(3)),
    "einsum": (lambda a, b: jnp.einsum("ijk,lkj->il", a, b), floats(3, 4, 5), floats(6, 5, 4)),
    "joined": (
        lambda x, y: (jnp.concatenate([x, y], 1), jnp.flip(x, 0), x.T, jnp.tile(x, (2, 1)),
                      x + jnp.arange(4.0) + jnp.eye(3, 4)),
        floats(3, 4), floats(3, 2),
    ),
    "reductions": (
        lambda x: (jnp.any(x > 1), jnp.all(x > -9, 0), x.prod(), x.min(1), x.max(), x.sum((0, 1))),
        floats(3, 4),
    ),
    "associative scan": (lambda x: lax.associative_scan(jnp.add, x), floats(9)),
    "hessian": (jax.hessian(lambda x: (jnp.sin(x) * x**2).sum()), floats(3)),
    "forward mode": (
        lambda x, t: jax.jvp(lambda x: jnp.tanh(x @ x.T), (x,), (t,)), floats(3, 4), floats(3, 4),
    ),
    "running logarithms of sums": (
        lambda x: (lax.cumlogsumexp(x, 1), lax.cumlogsumexp(x, 0, reverse=True)), floats(3, 5),
    ),
    "windows by any function": (
        lambda x: (
            lax.reduce_window(
                (x, x), (0.0, 0.0), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (2, 3),
                (1, 2), "SAME", window_dilation=(2, 1),
            ),
            lax.reduce_window(x, 1.0, lambda a, b: a * b * 1.0, (3, 2), (1, 1), "VALID"),
        ),
        np.abs(floats(5, 6)),
    ),
    "gradient of a min pool": (
        squares(lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 2), (2, 2), "VALID")),
        floats(6, 6),
    ),
    "subtracted rows": (lambda x, i, v: x.at[i].subtract(v), floats(6, 3), places(6, 5),
                        floats(5, 3)),
    "precision": (
        lambda x: (lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7)),
        np.array([1.2345, -1e-6, 1e6, np.nan, np.inf, 0.1], np.float32),
    ),
    "bits of other widths": (
        lambda x: (lax.bitcast_convert_type(x, jnp.int16), lax.bitcast_convert_type(
            lax.bitcast_convert_type(x, jnp.uint8), jnp.float32)),
        floats(3, 4),
    ),
    "convolution of matrices": (
        lambda x, w: lax.conv_general_dilated(x, w, (), [], dimension_numbers=("CN", "OI", "NC")),
        floats(3, 2), floats(4, 3),
    ),
    "erfc": (jax.scipy.special.erfc, np.linspace(-3, 3, 13).astype(np.float32)),
    "an argument that nothing reads": (lambda _, y: y * 2, floats(3), floats(4)),
}  # fmt: skip

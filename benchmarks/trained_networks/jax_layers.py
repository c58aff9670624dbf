"""The layers of the networks in JAX."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.trained_networks.networks import Shape


class JaxLayers:
    """The layers on JAX's arrays."""

    relu = staticmethod(jax.nn.relu)
    matmul = staticmethod(jnp.matmul)

    def dense(self, x: Any, weight: Any, bias: Any) -> Any:
        return x @ weight.T + bias

    def conv(self, x: Any, weight: Any, strides: int) -> Any:
        pad = weight.shape[2] // 2
        return lax.conv_general_dilated(x, weight, (strides, strides), [(pad, pad)] * 2)

    def batch_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        axes = (0, 2, 3)
        mean = x.mean(axes, keepdims=True)
        variance = ((x - mean) ** 2).mean(axes, keepdims=True)
        factor = lax.rsqrt(variance + 1e-5) * scale[:, None, None]
        return (x - mean) * factor + shift[:, None, None]

    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift

    def gelu(self, x: Any) -> Any:
        return jax.nn.gelu(x, approximate=False)

    def softmax(self, x: Any) -> Any:
        return jax.nn.softmax(x, -1)

    def max_pool(self, x: Any, size: int, strides: int) -> Any:
        pads = [(0, 0), (0, 0), (size // 2, size // 2), (size // 2, size // 2)]
        return lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 1, size, size), (1, 1, strides, strides), pads
        )

    def mean(self, x: Any, axes: Shape) -> Any:
        return x.mean(axes)

    def reshape(self, x: Any, shape: Shape) -> Any:
        return x.reshape(shape)

    def transpose(self, x: Any, axes: Shape) -> Any:
        return x.transpose(axes)

    def embedding(self, table: Any, ids: Any) -> Any:
        return table[ids]

    def lstm(self, x: Any, by_input: Any, by_hidden: Any, bias: Any) -> Any:
        seen = x @ by_input.T + bias

        def step(state: Any, now: Any) -> Any:
            h, c = state
            entry, forget, content, exit_ = jnp.split(now + h @ by_hidden.T, 4, -1)
            c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(entry) * jnp.tanh(content)
            h = jax.nn.sigmoid(exit_) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((x.shape[1], by_hidden.shape[1]), x.dtype)
        return lax.scan(step, (zero, zero), seen)[1]

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
        return -chosen.mean()

"""The encoder of a transformer, as in BERT (Vaswani et al., 2017; Devlin et al., 2018)."""

from math import sqrt

from relay.ir.expr import Expr
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import var
from relay.testing.zoo.layers import dense
from relay.testing.zoo.network import Network, Weights, with_weights


def network(
    layers: int = 6, batch: int = 1, length: int = 128, width: int = 512, heads: int = 8
) -> Network:
    """Return the encoder: layers of self-attention and a feed-forward network.

    Each has a residual connection and layer normalisation.
    """
    weights, data = Weights(), var("data", shape=(batch, length, width))
    x = data
    for _ in range(layers):
        x = _normalised(weights, x + _attention(weights, x, heads))
        inner = nn.gelu(dense(weights, x, 4 * width))
        x = _normalised(weights, x + dense(weights, inner, width))
    return weights.network([data], x)


def _attention(weights: Weights, x: Expr, heads: int) -> Expr:
    batch, length, width = x.tensor_type.static_shape
    query, key, value = (_split(dense(weights, x, width), heads) for _ in range(3))
    scores = nn.batch_matmul(query, key) / sqrt(width // heads)
    mixed = nn.batch_matmul(nn.softmax(scores), value, transpose_b=False)
    joined = core.reshape(mixed, (batch, heads, length, width // heads))
    return dense(
        weights, core.reshape(core.transpose(joined, (0, 2, 1, 3)), (batch, length, width)), width
    )


def _split(x: Expr, heads: int) -> Expr:
    """Move attention heads to the batch axis: `(batch * heads, length, width / heads)`."""
    batch, length, width = x.tensor_type.static_shape
    parts = core.reshape(x, (batch, length, heads, width // heads))
    rows = core.transpose(parts, (0, 2, 1, 3))
    return core.reshape(rows, (batch * heads, length, width // heads))


def _normalised(weights: Weights, x: Expr) -> Expr:
    width = x.tensor_type.static_shape[-1]
    return nn.layer_norm(x, weights.around("gamma", width, 1.0), weights.around("beta", width, 0.0))


workload = with_weights(network)

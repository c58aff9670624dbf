"""Batch normalisation and dropout, in the form that they have in inference."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr, Tuple
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply, opposite
from relay.ops.creation import OnesLike, number
from relay.ops.families import FLOATS
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.bias_add import broadcast_along, require_vector_along_axis, vectors_from_data
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.transcendental import Rsqrt
from relay.support.node import set_field

_VECTORS = ("f32[3]",) * 4


@operator("nn.batch_norm")
class BatchNorm(OperatorDef):
    """Normalise by given statistics: `(x - mean) / sqrt(var + epsilon) · gamma + beta`.

    The other arguments are vectors along `axis`. Without `scale`, gamma is ignored, and without
    `center`, beta. The result is the tuple of the normalised data and both statistics, unchanged.
    Takes floats.
    """

    axis: int = 1
    epsilon: float = 1e-5
    center: bool = True
    scale: bool = True

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 4, 5]", *_VECTORS, domain=(0.5, 2.0)),
        Example("f32[2, 4, 3]", *_VECTORS, domain=(0.5, 2.0), axis=-1, epsilon=1e-3, center=False),
        Example("f32[2, 3]", *_VECTORS, domain=(0.5, 2.0), scale=False),
    )

    def __post_init__(self) -> None:
        set_field(self, "epsilon", float(self.epsilon))

    def infer(
        self,
        data: TensorType,
        gamma: TensorType,
        beta: TensorType,
        moving_mean: TensorType,
        moving_var: TensorType,
    ) -> TupleType:
        """Return the type of the tuple; raises `T102` for non-floats, `T105` for wrong sizes."""
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, gamma, beta, moving_mean, moving_var)
        for name, ty in (
            ("gamma", gamma),
            ("beta", beta),
            ("moving_mean", moving_mean),
            ("moving_var", moving_var),
        ):
            require_vector_along_axis(self.name, name, data, ty, self.axis)
        return TupleType((data, moving_mean, moving_var))

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the types of the vectors, inferred from the type of the data."""
        return vectors_from_data(self.name, types, self.axis)

    def decompose(
        self, data: Expr, gamma: Expr, beta: Expr, moving_mean: Expr, moving_var: Expr
    ) -> Expr:
        """Return `x · factor + shift`; both vectors are computed first, so constants are folded."""
        factor: Expr = Call(Rsqrt(), (add(moving_var, number(self.epsilon, moving_var)),))
        if self.scale:
            factor = multiply(factor, gamma)
        shift = opposite(multiply(moving_mean, factor))
        if self.center:
            shift = add(shift, beta)
        normal = add(multiply(data, self._spread(factor, data)), self._spread(shift, data))
        return Tuple((normal, moving_mean, moving_var))

    def _spread(self, vector: Expr, data: Expr) -> Expr:
        """Return a vector with trailing axes of size 1, so that it broadcasts along `axis`."""
        rank = data.tensor_type.rank
        behind = rank - 1 - self.axis % rank
        return Call(ExpandDims(1, behind), (vector,)) if behind else vector

    def reference(
        self, data: Array, gamma: Array, beta: Array, moving_mean: Array, moving_var: Array
    ) -> tuple[Array, ...]:
        """Return the result by NumPy, computed in a wider type."""

        def vector(of: Array) -> Array:
            return broadcast_along(widen(of), self.axis, data.ndim)

        centred = widen(data) - vector(moving_mean)
        normal = centred / np.sqrt(vector(moving_var) + self.epsilon)
        scaled = normal * vector(gamma) if self.scale else normal
        shifted = scaled + vector(beta) if self.center else scaled
        return narrow(shifted, data.dtype), moving_mean, moving_var


@operator("nn.dropout")
class Dropout(OperatorDef):
    """Return the data and a mask of ones, because inference drops no elements."""

    rate: float = 0.5

    precision = Precision.FOLLOW
    examples = (Example("f32[3, 4]"),)

    def __post_init__(self) -> None:
        set_field(self, "rate", float(self.rate))
        checks.attribute(
            self.name, 0 <= self.rate <= 1, f"rate must be from 0 to 1, not {self.rate}"
        )

    def infer(self, data: TensorType) -> TupleType:
        """Return the type of the pair, which has the data's type twice."""
        return TupleType((data, data))

    def decompose(self, data: Expr) -> Expr:
        """Return the pair of the data and a tensor of ones."""
        return Tuple((data, Call(OnesLike(), (data,))))

    def reference(self, data: Array) -> tuple[Array, ...]:
        """Return the pair of the data and an array of ones."""
        return data, np.ones_like(data)

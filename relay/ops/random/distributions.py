"""Operators for random numbers of several distributions: uniform, normal, multinomial."""

from math import pi
from typing import ClassVar

from relay.ir.dims import Shape
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, scaled, subtract
from relay.ops.cast import Cast, Reinterpret, cast_like
from relay.ops.creation import number
from relay.ops.families import FLOATS
from relay.ops.logical import BitwiseOr, RightShift
from relay.ops.random.generator import KEY, KEYS, ThreefryGenerate, require_key
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.dim_arithmetic import dims
from relay.ops.tensor.position_tensors import length
from relay.ops.tensor.reshape import Squeeze
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.ops.transcendental import Log, Sin, Sqrt
from relay.support.dtype import DType, dtype, float32, int32, uint32
from relay.support.node import set_field, value

_BITS = {"float32": (9, 0x3F800000), "float64": (12, 0x3FF0000000000000)}
"""For each float type, the number of random bits that are not used, and the bits of 1.0."""

_EXAMPLES = (
    Example(
        *("u64[10]", "f32[]", "f32[]"),
        out_shape=(2, 5),
        values={0: KEYS["first"]},
    ),
    Example(
        *("u64[10]", "f64[]", "f64[]"),
        out_shape=(3,),
        out_dtype="float64",
        values={0: KEYS["used"]},
    ),
)


@value
class Distribution(OperatorDef):
    """The base of operators for random numbers of shape `out_shape` and type `out_dtype`.

    The result is a new key and the numbers. Both parameters of the distribution are of rank 0 and
    of the numbers' element type.
    """

    out_shape: Shape
    out_dtype: DType | None = None

    precision: ClassVar[Precision] = Precision.KEEP
    names: ClassVar[tuple[str, str]]

    def __post_init__(self) -> None:
        set_field(self, "out_shape", dims(self.out_shape))
        checks.natural(self.name, "a size", *self.out_shape)
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else float32)
        fits = str(self.out_dtype) in _BITS
        checks.attribute(
            self.name, fits, (f"out_dtype must be float32 or float64, not {self.out_dtype}")
        )

    def typed(self, key: TensorType, *parameters: TensorType) -> TupleType:
        """Return the type of the result: the new key and the numbers."""
        require_key(self.name, key)
        result = TensorType(self.out_shape, self.out_dtype or float32)
        for name, ty in zip(self.names, parameters, strict=True):
            checks.rank(self.name, name, ty, 0)
            checks.same_dtype(self.name, result, ty)
        return TupleType((KEY, result))


def fractions(key: Expr, shape: Shape, of: DType) -> tuple[Expr, Expr]:
    """Return a new key, and random floats in [0, 1), made of random bits."""
    found = Call(ThreefryGenerate(shape), (key,))
    bits: Expr = TupleGetItem(found, 1)
    spare, one = _BITS[str(of)]
    bits = Call(Cast(uint32), (bits,)) if of is float32 else bits
    places = Call(RightShift(), (bits, number(spare, bits)))
    above = Call(Reinterpret(of), (Call(BitwiseOr(), (places, number(one, bits))),))
    return TupleGetItem(found, 0), subtract(above, number(1, above))


@operator("random.uniform")
class Uniform(Distribution):
    """Random numbers distributed uniformly in [`low`, `high`).

    The result is a new key and the numbers, of shape `out_shape` and type `out_dtype`, float32 or
    float64.
    """

    names = ("low", "high")
    examples = _EXAMPLES

    def infer(self, key: TensorType, low: TensorType, high: TensorType) -> TupleType:
        return self.typed(key, low, high)

    def decompose(self, key: Expr, low: Expr, high: Expr) -> Expr:
        new, unit = fractions(key, self.out_shape, self.out_dtype or float32)
        return Tuple((new, add(multiply(unit, subtract(high, low)), low)))


@operator("random.normal")
class Normal(Distribution):
    """Random numbers distributed normally, with mean `mean` and standard deviation `scale`.

    They are computed by the Box–Muller transform. The result is a new key and the numbers, of shape
    `out_shape` and type `out_dtype`, float32 or float64.
    """

    names = ("mean", "scale")
    examples = _EXAMPLES

    def infer(self, key: TensorType, mean: TensorType, scale: TensorType) -> TupleType:
        return self.typed(key, mean, scale)

    def decompose(self, key: Expr, mean: Expr, scale: Expr) -> Expr:
        new, both = fractions(key, (2, *self.out_shape), self.out_dtype or float32)
        halves = Call(Split(2, 0), (both,))
        first, second = (Call(Squeeze((0,)), (TupleGetItem(halves, k),)) for k in range(2))
        logarithm = Call(Log(), (subtract(number(1, first), first),))
        radius = Call(Sqrt(), (scaled(logarithm, -2.0),))
        standard = multiply(radius, Call(Sin(), (scaled(second, 2.0 * pi),)))
        return Tuple((new, add(multiply(standard, scale), mean)))


@operator("random.multinomial")
class Multinomial(OperatorDef):
    """Draw `num_samples` indices at random; their probabilities are along the last axis of `probs`.

    Negative probabilities count as 0, and their sum may differ from 1. The result is a new key and
    the indices, int32, along its last axis.
    """

    num_samples: int = 1

    examples = (
        Example(
            "u64[10]", "f32[4]", num_samples=6,
            values={0: KEYS["first"], 1: [0.2, -1.0, 3.0, 0.5]},
        ),
        Example("u64[10]", "f64[2, 3]", num_samples=2, values={0: KEYS["used"]}, domain=(0, 1)),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "num_samples", int(self.num_samples))
        checks.natural(self.name, "a number of samples", self.num_samples)

    def infer(self, key: TensorType, probs: TensorType) -> TupleType:
        require_key(self.name, key)
        checks.kind(self.name, "probs", probs, *FLOATS)
        checks.attribute(
            self.name,
            probs.rank > 0,
            "probs must have at least one axis, along which the probabilities add up to 1",
        )
        checks.enough(
            self.name,
            probs.shape[-1],
            1,
            "probs has {size} probabilities, but at least one is needed",
        )
        return TupleType((KEY, TensorType((*probs.shape[:-1], self.num_samples), int32)))

    def decompose(self, key: Expr, probs: Expr) -> Expr:
        """Return an expression that counts cumulative sums that are below a uniform number."""
        shape = probs.tensor_type.shape
        weights = Call(Maximum(), (probs, number(0, probs)))
        share = divide(weights, Call(Sum((-1,), keepdims=True), (weights,)))
        sums = Call(Cumsum(-1), (share,))
        new, unit = fractions(key, (*shape[:-1], self.num_samples), float32)
        found = Call(SearchSorted(right=True), (sums, cast_like(unit, probs)))
        last = Call(Cast(int32), (length(probs, len(shape) - 1),))
        return Tuple((new, Call(Minimum(), (found, subtract(last, number(1, last))))))

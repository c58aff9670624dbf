"""The functions of `relay.random`: random numbers as functions of an explicit key.

Functions not defined here are generated from the operator `random.…` of that name.

>>> key = threefry_key(42)
>>> numbers = uniform(key, (2, 3))
>>> numbers.type.fields[1]
Tensor[(2, 3), float32]
"""

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr, operands
from relay.ir.field_validation import require_index
from relay.opdef import checks
from relay.ops.functions.generated_members import namespace
from relay.ops.functions.variables_and_constants import const
from relay.ops.random.distributions import Distribution, Normal, Uniform
from relay.ops.random.generator import ThreefryGenerate
from relay.ops.random.threefry import key_of
from relay.support.dtype import DType


def threefry_generate(key: Expr, shape: "Dim | tuple[Dim, ...]") -> Call:
    """Return a new key, and random 64-bit integers of a shape."""
    return Call(ThreefryGenerate.made({"out_shape": shape}), operands((key,)))


def threefry_key(seed: int) -> Constant:
    """Return the key with the given `seed`, a nonnegative integer of up to 256 bits."""
    number = require_index("a seed", seed)
    fits = 0 <= number < 2**256
    said, help_ = f"{seed!r} is not a seed", "a seed is an integer from 0 to 2**256 - 1"
    checks.attribute("threefry_key", fits, said, help_)
    return Constant(np.array(key_of(number), np.uint64))


def uniform(
    key: Expr,
    shape: "Dim | tuple[Dim, ...]",
    dtype: "DType | str" = "float32",
    low: Expr | float = 0.0,
    high: Expr | float = 1.0,
) -> Call:
    """Return a new key, and random numbers distributed uniformly in [`low`, `high`)."""
    return _drawn(Uniform, key, shape, dtype, low, high)


def normal(
    key: Expr,
    shape: "Dim | tuple[Dim, ...]",
    dtype: "DType | str" = "float32",
    mean: Expr | float = 0.0,
    scale: Expr | float = 1.0,
) -> Call:
    """Return a new key, and normally distributed numbers: `scale` is the standard deviation."""
    return _drawn(Normal, key, shape, dtype, mean, scale)


def _drawn(
    cls: type[Distribution],
    key: Expr,
    shape: object,
    dtype: "DType | str",
    first: Expr | float,
    second: Expr | float,
) -> Call:
    op = cls.made({"out_shape": shape, "out_dtype": dtype})
    parameters = [
        each if isinstance(each, Expr) else const(each, op.out_dtype) for each in (first, second)
    ]
    return Call(op, operands((key, *parameters)))


__getattr__, __dir__ = namespace("random.", globals())

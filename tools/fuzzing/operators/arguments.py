"""Random arrays for the arguments of calls: as examples say, or wild, with odd elements."""

import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.ops.families import Pointwise
from relay.support.dtype import DType, dtype
from relay.testing.example_arguments import draw
from relay.testing.example_types import fields_of
from tools.fuzzing.operators.sketch import Argument, Sketch

_ODD_FLOATS = (-0.0, 1e-40, np.nan, np.inf, -np.inf)
_SPREADING = (
    *("affine", "conv", "crop", "dense", "dft", "einsum", "grid", "image", "matmul", "roi"),
    *("sparse", "stft", "upsampling"),
    *("multibox", "proposal", "suppression"),
)
"""Parts of the names of operators that may multiply numbers that are not finite by 0.

Or that sort such numbers, of which any order is right.
"""

_GIVEN = ("sparse", "qnn.", "dyn.ranges", "fixed_point")
"""Parts of the names of operators whose integers must fit: zero points, sizes, shifts."""

_WILD = (-3.0, 8.0)
"""The range of random integers in place of those that an example gives."""


def random_arguments(
    sketch: Sketch, types: Sequence[Argument], random: Random
) -> tuple[Array, ...]:
    """Return arrays for the arguments of these types and their fields, some with odd elements."""
    rng = np.random.default_rng(random.getrandbits(32))
    found = list[Array]()
    for position, ty in enumerate(types):
        given: Any = sketch.example.values.get(position)
        for place, field in enumerate(fields_of(ty)):
            part = given[place % len(given)] if isinstance(ty, TupleType) and given else given
            array = _array(field, part, sketch, random, rng)
            may_be_odd = not found or issubclass(sketch.cls, Pointwise)
            if may_be_odd and random.random() < 0.2 and not _would_overflow(field.dtype, sketch):
                array[rng.random(array.shape) < 0.2] = _odd(field.dtype, _spreads(sketch), random)
            found.append(array)
    return tuple(found)


def _array(
    ty: TensorType, given: Any, sketch: Sketch, random: Random, rng: np.random.Generator
) -> Array:
    if given is None:
        return np.array(draw(ty.static_shape, ty.dtype, sketch.example.domain, rng))
    is_free = not any(part in sketch.cls.name for part in _GIVEN)
    if ty.dtype.is_integer and is_free and random.random() < 0.3:
        return np.array(draw(ty.static_shape, ty.dtype, _WILD, rng))
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        values = np.asarray(given).astype(ty.dtype.numpy)
    return np.resize(values, ty.static_shape) if values.size else _zeros(ty)


def _would_overflow(kind: DType, sketch: Sketch) -> bool:
    """Whether ends of the range would overflow: sums of quantised numbers in 32 bits do.

    Sums of floats would lose all other elements.
    """
    result = sketch.attributes.get("out_dtype")
    adds_floats = result is not None and dtype(result).is_float
    is_wide = kind.is_integer and kind.bits >= 32
    return is_wide and (adds_floats or "qnn." in sketch.cls.name)


def _spreads(sketch: Sketch) -> bool:
    is_linear_algebra = sketch.cls.__module__.startswith("relay.ops.linalg.")
    return is_linear_algebra or any(part in sketch.cls.name for part in _SPREADING)


def _zeros(ty: TensorType) -> Array:
    return np.zeros(ty.static_shape, ty.dtype.numpy)


def _odd(kind: DType, spreads: bool, random: Random) -> Any:
    """Return one special number of a type, so that the order of sums does not matter."""
    if kind.is_integer:
        low, high = kind.limits
        return np.asarray(random.choice((low, high, low + 1, high - 1))).astype(kind.numpy)
    odd = random.choice(_ODD_FLOATS[: 2 if spreads else None] if kind.is_float else (0.0, 1.0))
    return np.asarray(odd).astype(kind.numpy)

"""Random calls of operators: sketches that type rules accept, with arrays for the arguments."""

import warnings
from collections.abc import Sequence
from random import Random
from typing import Any, cast

import numpy as np

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares operators
from relay.ir.expr import Array, Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.ops.families import Pointwise
from relay.semantics.infer import infer
from relay.support.dtype import DType
from relay.support.errors import RelayError
from relay.support.node import node, replace
from relay.testing.argument_values import draw, fields_of
from tools.fuzzing.operators.sketch import Argument, Sketch, random_sketch
from tools.fuzzing.sizes.opened import KINDS, NOT_SWEPT, open_types

_NOT_DRAWN = NOT_SWEPT | {"arange"}
"""Operators whose arguments cannot be random; attributes of `arange` repeat their values."""

CLASSES = [
    cls
    for name, cls in sorted(OPERATORS.items())
    if issubclass(cls, OperatorDef) and not cls.stateful and name not in _NOT_DRAWN
    if cls.__module__.startswith("relay.ops.")  # not those of tests: draws follow from numbers
]

_TRIES = 12  # sketches of one operator before another one is drawn
_MOST = 1 << 13  # elements of all arguments and results
_MOST_WORK = 1 << 21  # operations of a call, which NumPy may need a microsecond for
_ODD_FLOATS = (-0.0, 1e-40, np.nan, np.inf, -np.inf)
_SPREADING = (
    *("affine", "conv", "crop", "dense", "dft", "einsum", "grid", "image", "matmul", "roi"),
    *("sparse", "stft", "upsampling"),
)
"""Parts of the names of operators that may multiply numbers that are not finite by 0."""

_WILD = (-3.0, 8.0)
"""The range of random integers in place of those that an example gives."""


@node
class RandomCall:
    """An operator with its arguments: their types, in which sizes may be open, and arrays."""

    op: OperatorDef
    types: tuple[Argument, ...]
    arrays: tuple[Array, ...]
    tolerance: float

    @property
    def tensor_types(self) -> tuple[TensorType, ...]:
        """Return the types of the arrays: those of all arguments and of their fields."""
        return tuple(field for ty in self.types for field in fields_of(ty))

    def __str__(self) -> str:
        shapes = ", ".join(f"{each.dtype}{[*each.shape]}" for each in self.arrays)
        return f"{self.op!r} of {', '.join(map(repr, self.types))} for {shapes}"

    def applied(self, params: Sequence[Var]) -> list[Expr]:
        """Return the results of the operator on variables, of which it has one for each array."""
        rest = iter(params)
        args = [
            Tuple(tuple(next(rest) for _ in ty.fields)) if isinstance(ty, TupleType) else next(rest)
            for ty in self.types
        ]
        call, result = Call(self.op, tuple(args)), self.op.result_type(self.types)
        if isinstance(result, TupleType):
            return [TupleGetItem(call, place) for place in range(len(result.fields))]
        return [call]


def random_call(random: Random, prefix: str, *, is_open: bool) -> RandomCall:
    """Return a call of a random operator; names of open sizes begin with `prefix`."""
    while True:
        cls = random.choice(CLASSES)
        for _ in range(_TRIES):
            sketch = random_sketch(cls, random)
            op = _fitting(sketch)
            if op is not None:
                rng = np.random.default_rng(random.getrandbits(32))
                arrays = _arrays(sketch, random, rng)
                call = RandomCall(op, sketch.types, arrays, sketch.example.tolerance)
                return _opened(call, prefix, random) if is_open else call


def _fitting(sketch: Sketch) -> OperatorDef | None:
    """Return the operator of a sketch; None if it refuses the types, or they are large."""
    fields = [field for ty in sketch.types for field in fields_of(ty)]
    if any(_elements(field) > _MOST for field in fields) or not _is_well_formed(sketch):
        return None
    try:
        op: OperatorDef = sketch.cls.made(sketch.attributes)
        result = op.result_type(sketch.types)
    except RelayError:
        return None
    if result is None or sum(map(_elements, fields_of(result))) > _MOST:
        return None
    work = op.flops(*cast("Any", sketch.types))
    return op if isinstance(work, int) and work <= _MOST_WORK else None


def _is_well_formed(sketch: Sketch) -> bool:
    """Whether arguments that must fit together, those of sparse matrices, are as in the example."""
    pairs = zip(sketch.types, sketch.example.types, strict=False)
    changed = [place for place, (new, old) in enumerate(pairs) if new is not old]
    return "sparse" not in sketch.cls.name or not {*changed} & {*sketch.example.values}


def _elements(ty: TensorType) -> int:
    """Return the number of elements; a size that data decide counts as 1."""
    count = 1
    for size in ty.shape:
        count *= size if isinstance(size, int) else 1
    return count


def _opened(call: RandomCall, prefix: str, random: Random) -> RandomCall:
    """Return the call with open sizes; the same call if type inference refuses them."""
    fields = call.tensor_types
    places = [(tensor, axis) for tensor, ty in enumerate(fields) for axis in range(ty.rank)]
    kind = random.choice(KINDS)
    if kind == "single" and places:
        places = [random.choice(places)]
    rest = iter(open_types(fields, kind, frozenset(places), prefix))
    types: tuple[Argument, ...] = tuple(
        TupleType(tuple(next(rest) for _ in ty.fields)) if isinstance(ty, TupleType) else next(rest)
        for ty in call.types
    )
    opened = replace(call, types=types)
    try:
        program([opened])
    except RelayError:
        return call
    return opened


def program(calls: Sequence[RandomCall]) -> Module:
    """Return a typed program that returns the results of all calls."""
    params, results = list[Var](), list[Expr]()
    for call in calls:
        own = [Var(f"p{len(params) + k}", ty) for k, ty in enumerate(call.tensor_types)]
        params += own
        results += call.applied(own)
    return infer(Module.of(Function(tuple(params), Tuple(tuple(results)))))


def _arrays(sketch: Sketch, random: Random, rng: np.random.Generator) -> tuple[Array, ...]:
    """Return arrays for the arguments and their fields, in some of them odd elements."""
    found = list[Array]()
    for position, ty in enumerate(sketch.types):
        given: Any = sketch.example.values.get(position)
        for place, field in enumerate(fields_of(ty)):
            part = given[place % len(given)] if isinstance(ty, TupleType) and given else given
            is_free = "sparse" not in sketch.cls.name
            array = _array(field, part, sketch.example.domain, is_free, random, rng)
            if (not found or issubclass(sketch.cls, Pointwise)) and random.random() < 0.2:
                spreads = any(part in sketch.cls.name for part in _SPREADING)
                array[rng.random(array.shape) < 0.2] = _odd(field.dtype, spreads, random)
            found.append(array)
    return tuple(found)


def _array(
    ty: TensorType,
    given: Any,
    domain: tuple[float, float],
    is_free: bool,
    random: Random,
    rng: np.random.Generator,
) -> Array:
    if given is None:
        array = np.array(draw(ty.static_shape, ty.dtype, domain, rng))
    elif ty.dtype.is_integer and is_free and random.random() < 0.3:
        array = np.array(draw(ty.static_shape, ty.dtype, _WILD, rng))
    else:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            values = np.asarray(given).astype(ty.dtype.numpy)
        array = np.resize(values, ty.static_shape) if values.size else _zeros(ty)
    return array


def _zeros(ty: TensorType) -> Array:
    return np.zeros(ty.static_shape, ty.dtype.numpy)


def _odd(kind: DType, spreads: bool, random: Random) -> Any:
    """Return one special number of a type, so that the order of sums does not matter."""
    if kind.is_integer:
        low, high = kind.limits
        return np.asarray(random.choice((low, high, low + 1, high - 1))).astype(kind.numpy)
    odd = random.choice(_ODD_FLOATS[: 2 if spreads else None] if kind.is_float else (0.0, 1.0))
    return np.asarray(odd).astype(kind.numpy)

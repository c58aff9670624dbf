"""Sketches of calls: attributes and types derived from an operator's example by random changes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias, cast

from relay.ir.dims import Dim
from relay.ir.types import TensorType, TupleType
from relay.opdef.example import Example
from relay.support.dtype import DType, dtype
from relay.support.node import node, replace
from tools.fuzzing.operators.attributes import with_another_attribute

SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65)
"""Zero, one, primes, and vector widths with their neighbours."""

_COMMON = ("float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "uint8", "bool")
_RARE = (
    *("int16", "uint16", "uint32", "uint64", "int4", "uint4", "int2", "uint2"),
    *("complex64", "complex128"),
)
_MINIFLOATS = (
    *("float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"),
    *("float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"),
)
ELEMENTS = tuple(map(dtype, 3 * _COMMON + _RARE + _MINIFLOATS))

MOST_AXES = 12

Argument: TypeAlias = "TensorType | TupleType"
Change: TypeAlias = "Callable[[Sketch, Random], Sketch]"


@node
class Sketch:
    """The attributes of an operator and the types of its arguments, which may not match."""

    cls: type[Any]
    example: Example
    attributes: Mapping[str, Any]
    types: tuple[Argument, ...]


def random_sketch(cls: type[Any], random: Random) -> Sketch:
    """Return an example of an operator with up to four random changes."""
    example = random.choice(cls.examples)
    sketch = Sketch(cls, example, example.attributes, example.types)
    for change in random.choices(_CHANGES, _WEIGHTS, k=random.choice((0, 1, 1, 2, 2, 3, 4))):
        sketch = change(sketch, random)
    return sketch


def _other_sizes(sketch: Sketch, random: Random) -> Sketch:
    """Replace some sizes, equal ones by equal ones, also where attributes repeat them."""
    new = {old: _other(old, random) for old in sorted({*_sizes(sketch)})}

    def renamed(ty: TensorType) -> TensorType:
        return TensorType(tuple(new[size] for size in ty.static_shape), ty.dtype)

    attributes = sketch.attributes
    if random.random() < 0.8:
        attributes = {name: _renamed(value, new) for name, value in attributes.items()}
    return replace(sketch, types=_each(sketch.types, renamed), attributes=attributes)


def _other(old: int, random: Random) -> int:
    return random.choice(SIZES) if random.random() < 0.6 else old


def _renamed(attribute: Any, new: Mapping[int, int]) -> Any:
    """Replace integers above 1 in an attribute that are sizes; recursion follows its nesting."""
    if isinstance(attribute, list | tuple):
        return tuple(_renamed(each, new) for each in cast("Sequence[Any]", attribute))
    is_size = isinstance(attribute, int) and not isinstance(attribute, bool) and attribute > 1
    return new.get(attribute, attribute) if is_size else attribute


def _sizes(sketch: Sketch) -> Iterator[int]:
    for ty in sketch.types:
        for field in ty.fields if isinstance(ty, TupleType) else (ty,):
            yield from cast("TensorType", field).static_shape


def _one_size(sketch: Sketch, random: Random) -> Sketch:
    """Replace one size of one argument."""

    def changed(ty: TensorType) -> TensorType:
        if not ty.rank:
            return ty
        axis = random.randrange(ty.rank)
        shape = list(ty.static_shape)
        shape[axis] = random.choice((*SIZES, shape[axis] + 1, max(shape[axis] - 1, 0)))
        return TensorType(tuple(shape), ty.dtype)

    return _at_one(sketch, random, changed)


def _other_rank(sketch: Sketch, random: Random) -> Sketch:
    """Insert axes in all arguments or in one, or delete an axis."""
    count = random.choice((1, 1, 1, 2, 3, MOST_AXES - 4))
    where, sizes = random.random(), [random.choice((1, 2, 3, 0, 5)) for _ in range(count)]
    if count > 2:
        sizes = [min(size, 2) for size in sizes]
    drops = random.random() < 0.35

    def changed(ty: TensorType) -> TensorType:
        shape: tuple[Dim, ...] = ty.shape
        place = round(where * len(shape))
        if drops:
            return TensorType((*shape[:place], *shape[place + 1 :]), ty.dtype)
        return TensorType((*shape[:place], *sizes, *shape[place:])[:MOST_AXES], ty.dtype)

    if random.random() < 0.4:
        return _at_one(sketch, random, changed)
    return replace(sketch, types=_each(sketch.types, changed))


def _other_elements(sketch: Sketch, random: Random) -> Sketch:
    """Replace one element type in all arguments, and in attributes or not."""
    found = [field.dtype for ty in sketch.types for field in _fields(ty)]
    if not found:
        return sketch
    old, new = random.choice(found), random.choice(ELEMENTS)

    def changed(ty: TensorType) -> TensorType:
        return TensorType(ty.shape, new if ty.dtype is old else ty.dtype)

    attributes = sketch.attributes
    if random.random() < 0.5:
        attributes = {name: str(new) if _is(value, old) else value
                      for name, value in attributes.items()}  # fmt: skip
    return replace(sketch, types=_each(sketch.types, changed), attributes=attributes)


def _is(attribute: object, kind: DType) -> bool:
    return isinstance(attribute, str | DType) and attribute == kind


def _one_element_type(sketch: Sketch, random: Random) -> Sketch:
    """Replace the element type of one argument."""
    new = random.choice(ELEMENTS)
    return _at_one(sketch, random, lambda ty: TensorType(ty.shape, new))


def _other_fields(sketch: Sketch, random: Random) -> Sketch:
    """Repeat or drop fields of arguments that are tuples."""
    count = random.choice((1, 1, 2, 3, 5, 9))

    def changed(ty: Argument) -> Argument:
        if not isinstance(ty, TupleType) or not ty.fields:
            return ty
        return TupleType(tuple(random.choice(ty.fields) for _ in range(count)))

    return replace(sketch, types=tuple(map(changed, sketch.types)))


def _one_attribute(sketch: Sketch, random: Random) -> Sketch:
    """Replace one attribute."""
    ranks = [field.rank for ty in sketch.types for field in _fields(ty)]
    rank = max(ranks, default=1)
    attributes = with_another_attribute(sketch.cls, sketch.attributes, rank, random)
    return replace(sketch, attributes=attributes)


def _at_one(sketch: Sketch, random: Random, change: Callable[[TensorType], TensorType]) -> Sketch:
    """Change one argument; of a tuple all fields."""
    if not sketch.types:
        return sketch
    place = random.randrange(len(sketch.types))
    (new,) = _each((sketch.types[place],), change)
    return replace(sketch, types=(*sketch.types[:place], new, *sketch.types[place + 1 :]))


def _each(
    types: Sequence[Argument], change: Callable[[TensorType], TensorType]
) -> tuple[Argument, ...]:
    return tuple(
        TupleType(tuple(map(change, _fields(ty)))) if isinstance(ty, TupleType) else change(ty)
        for ty in types
    )


def _fields(ty: Argument) -> tuple[TensorType, ...]:
    return cast("tuple[TensorType, ...]", ty.fields if isinstance(ty, TupleType) else (ty,))


_CHANGES: tuple[Change, ...] = (
    _other_sizes, _one_size, _other_rank, _other_elements, _one_element_type, _other_fields,
    _one_attribute,
)  # fmt: skip
_WEIGHTS = (8, 2, 3, 5, 1, 1, 7)

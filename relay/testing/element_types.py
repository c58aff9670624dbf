"""Find the element types that an operator accepts, by trying its examples with each type."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache

from relay.ir.types import TensorType, TupleType
from relay.opdef.definition import OperatorDef
from relay.support.dtype import MINIFLOATS, DType, bool_, dtype
from relay.support.errors import RelayError
from relay.testing.example_types import fields_of

ELEMENT_TYPES: tuple[DType, ...] = tuple(
    dtype(name)
    for name in (
        "bool",
        *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (2, 4, 8, 16, 32, 64)),
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
        *(kind.value for kind in MINIFLOATS),
    )
)
"""All element types, without vectors of elements."""


_FAMILIES: tuple[tuple[str, Callable[[DType], bool]], ...] = (
    ("bool", lambda kind: kind is bool_),
    ("integers", lambda kind: kind.is_integer),
    ("floats", lambda kind: kind.is_float),
    ("complex numbers", lambda kind: kind.is_complex),
    ("floats of 8 and 4 bits", lambda kind: kind.is_minifloat),
)


def in_words(types: Collection[DType]) -> str:
    """Return element types as a short text, in which `floats` names all float types together.

    >>> in_words([bool_, *map(dtype, ("float16", "bfloat16", "float32", "float64", "int8"))])
    'bool, int8, floats'
    """
    found: list[str] = []
    for name, belongs in _FAMILIES:
        family = [each for each in ELEMENT_TYPES if belongs(each)]
        some = [str(each) for each in family if each in types]
        found += [name] if len(some) == len(family) else some
    return ", ".join(found)


@cache
def accepted_types(cls: type[OperatorDef]) -> Mapping[tuple[str, ...], tuple[DType, ...]]:
    """Return the element types that the arguments of an operator accept.

    Arguments that have the same element type in an example are tried together, and are one key of
    the result.

    >>> from relay.ops.nn.activations import Relu
    >>> [str(each) for each in accepted_types(Relu)["data",]][:3]
    ['int2', 'int4', 'int8']
    """
    found: dict[tuple[str, ...], set[DType]] = {}
    for example in cls.examples:
        for places in _groups(example.types):
            names = tuple(cls.arguments()[place] for place in places)
            accepted = found.setdefault(names, set())
            accepted.update(
                each
                for each in ELEMENT_TYPES
                if each not in accepted
                and _accepts(cls, example.attributes, _retyped(example.types, places, each))
            )
    return {
        names: tuple(each for each in ELEMENT_TYPES if each in accepted)
        for names, accepted in found.items()
    }


def _groups(types: Sequence[TensorType | TupleType]) -> Iterator[tuple[int, ...]]:
    """Yield the indices of arguments that have the same element type."""
    kinds: dict[frozenset[DType], list[int]] = {}
    for place, ty in enumerate(types):
        kinds.setdefault(frozenset(field.dtype for field in fields_of(ty)), []).append(place)
    yield from map(tuple, kinds.values())


def _retyped(
    types: Sequence[TensorType | TupleType], places: Sequence[int], new: DType
) -> list[TensorType | TupleType]:
    """Return the types with the element type `new` in the arguments at these indices."""
    found = list(types)
    for place in places:
        fields = tuple(TensorType(field.shape, new) for field in fields_of(types[place]))
        found[place] = TupleType(fields) if isinstance(types[place], TupleType) else fields[0]
    return found


def _accepts(
    cls: type[OperatorDef],
    attributes: Mapping[str, object],
    types: Sequence[TensorType | TupleType],
) -> bool:
    try:
        return cls.made(attributes).result_type(types) is not None
    except RelayError:
        return False

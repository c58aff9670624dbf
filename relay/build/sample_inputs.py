"""Random inputs of programs: tensors, tuples, references and values of data types."""

from collections.abc import Container, Iterator, Sequence
from functools import partial
from itertools import count, cycle
from math import prod
from typing import TypeAlias, cast

import numpy as np

from relay.build.verification_samples import Sample
from relay.ir.constructor_field_types import field_types
from relay.ir.dims import ANY, Dim, DimVar, in_order, static, substitute
from relay.ir.expr import Array, Constructor
from relay.ir.module import ENTRY, Module
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    all_parts,
    children,
    dim_variables,
)
from relay.semantics.evaluator_values import Data, Reference, Value
from relay.support.dtype import Kind
from relay.support.node import node

_MOST_DATA = 40
"""The limit of data values in a value: those that branch often are nested less deeply."""


def can_sample(module: Module, name: str) -> bool:
    """Whether random inputs of a function can be generated.

    They are tensors, tuples, references and finite values of data types that hold such values.
    """
    return can_sample_types([param.type for param in module[name].params], module)


def can_sample_types(types: Sequence[Type], module: Module) -> bool:
    """Whether random values of the types can be generated."""
    held = held_data(types, module)
    return held is not None and len(ending_constructors(held, module)) == len(held)


DataType = GlobalTypeVar | TypeCall

_Alternative: TypeAlias = tuple[Constructor, Sequence[Type]]
"""A constructor of a data type, with the types of its fields."""


def held_data(
    roots: Sequence[Type], module: Module, *, in_functions: bool = False
) -> list[DataType] | None:
    """Return the data types of which values of the types consist; None for too many or others.

    Functions are others, unless data types `in_functions` are also wanted: those of their results.
    """
    stack, seen = [*roots], list[DataType]()
    while stack:
        match stack.pop():
            case TensorType():
                pass
            case TupleType(fields):
                stack += fields
            case RefType(content):
                stack.append(content)
            case FuncType(result=result, type_params=()) if in_functions:
                stack.append(result)
            case GlobalTypeVar() | TypeCall() as ty:
                if ty not in seen:
                    seen.append(ty)
                    stack += [part for each in alternatives(ty, module) for part in each[1]]
                    if len(seen) > _MOST_TYPES:
                        return None
            case _:
                return None
    return seen


_MOST_TYPES = 20
"""The limit of data types in a type: a recursive type may contain others without an end."""


def alternatives(ty: DataType, module: Module) -> list[_Alternative]:
    """Return the constructors of a data type, with the types of their fields."""
    head = ty.head if isinstance(ty, TypeCall) else ty
    return [(each, field_types(each, ty)) for each in module.alternatives(head)]


def ending_constructors(
    types: Sequence[DataType], module: Module
) -> dict[DataType, list[Constructor]]:
    """Return the constructors that end nested values of each data type soonest.

    The first round finds the constructors without data types in their fields, such as that of the
    empty list; each further round those whose fields only have data types of the rounds before. A
    data type without finite values is not in the result.
    """
    found = dict[DataType, list[Constructor]]()
    while True:
        ending = {
            ty: [each for each, parts in alternatives(ty, module) if _all_in(parts, found)]
            for ty in types
            if ty not in found
        }
        new = {ty: constructors for ty, constructors in ending.items() if constructors}
        if not new:
            return found
        found |= new


def _all_in(parts: Sequence[Type], known: Container[Type]) -> bool:
    """Whether all data types in the types of fields are known, also in tuples and results."""
    held = all_parts(*parts, inner=_made_parts)
    return all(each in known for each in held if isinstance(each, DataType))


def _made_parts(ty: Type) -> Sequence[Type]:
    """Return the types of values that a value of a type needs, except in data types."""
    match ty:
        case GlobalTypeVar() | TypeCall():
            return ()
        case FuncType(result=result):
            return (result,)
        case _:
            return children(ty)


def random_inputs(
    module: Module, sample: Sample, sizes: Sequence[int] | None = None, *, name: str = ENTRY
) -> list[Value]:
    """Return a random value for each parameter of a function.

    The `sizes` replace those of the sample. Values of data types, such as lists, are nested up to
    the depth of the sample, and have at most about `_MOST_DATA` constructors.
    """
    types = [param.type for param in module[name].params]
    sampler = _Sampler(module, sample, cycle(sizes or sample.sizes), types)
    return [sampler.value(ty, _Room(sample.nesting, _MOST_DATA)) for ty in types]


def sample_count(module: Module, name: str) -> int:
    """Return the number of samples of the parameters that show the effect of a function.

    A sample has one number for each scalar, and one combination of truth values and outermost
    constructors.
    """
    types = [param.type for param in module[name].params]
    held = all_parts(*types, inner=partial(_outermost_parts, module))
    return max(SCALARS if any(map(_is_number, held)) else 1, prod(_choice_counts(types, module)))


def _choice_counts(types: Sequence[Type], module: Module) -> list[int]:
    """Return how many alternatives each truth value and outermost constructor in types has."""
    counts = list[int]()
    for ty in types:
        counts += [2] if _is_truth_value(ty) else []
        if isinstance(ty, DataType) and not _is_record(ty, module):
            counts.append(len(alternatives(ty, module)))
        counts += _choice_counts(_outermost_parts(module, ty), module)
    return counts


def _outermost_parts(module: Module, ty: Type) -> Sequence[Type]:
    """Return the types of the parts of a tuple, a reference, or a record."""
    match ty:
        case TupleType() | RefType():
            return children(ty)
        case GlobalTypeVar() | TypeCall() if _is_record(ty, module):
            return alternatives(ty, module)[0][1]
        case _:
            return ()


def _is_record(ty: DataType, module: Module) -> bool:
    """Whether a data type has one constructor only."""
    return len(alternatives(ty, module)) == 1


def _is_truth_value(ty: Type) -> bool:
    return isinstance(ty, TensorType) and not ty.shape and ty.dtype.kind is Kind.BOOL


def _is_number(ty: Type) -> bool:
    return isinstance(ty, TensorType) and not ty.shape and ty.dtype.kind is not Kind.BOOL


SCALARS = 10
"""The number of samples of functions that take a scalar."""


class _Sampler:
    """Generates values; dimension variables have the same size in all of them."""

    def __init__(
        self, module: Module, sample: Sample, sizes: Iterator[int], types: list[Type]
    ) -> None:
        self._module = module
        self._sample = sample
        self._random = np.random.default_rng(sample.number)
        self._choices = iter(sample.choices(_choice_counts(types, module)))
        self._places = count()
        self._numbers = count()
        self._sizes = sizes
        names = in_order(dim_variables(*types))
        self._known: dict[DimVar, Dim] = dict(zip(names, sizes, strict=False))
        self._last = ending_constructors(held_data(types, module) or (), module)

    def value(self, ty: Type, room: "_Room") -> Value:
        """Return a random value; the depth of types and of data is limited."""
        match ty:
            case TupleType(fields):
                return tuple(self.value(each, room) for each in fields)
            case RefType(content):
                return Reference(self.value(content, room))
            case GlobalTypeVar() | TypeCall():
                return self._data(ty, room)
            case _:
                return self._tensor(cast("TensorType", ty), room)

    def _data(self, ty: DataType, room: "_Room") -> Data:
        every = alternatives(ty, self._module)
        every.sort(key=lambda each: not each[1])  # the first sample has no empty data
        constructor, parts = every[0] if len(every) == 1 else self._chosen(ty, every, room)
        inner = room.inside(parts, deeper=len(every) > 1)
        return Data(constructor, tuple(self.value(part, inner) for part in parts))

    def _chosen(self, ty: DataType, every: list[_Alternative], room: "_Room") -> _Alternative:
        """Return an alternative of data with several constructors."""
        if room.nesting == self._sample.nesting:
            return every[next(self._choices)]
        full = [each for each in every if each[1]] or every
        some = every if self._sample.number else full
        if room.nesting <= 0 or room.size <= 0:
            some = [each for each in every if each[0] in self._last[ty]]
        return some[self._random.integers(len(some))]

    def _tensor(self, ty: TensorType, room: "_Room") -> Array:
        shape = tuple(map(self._size, ty.shape))
        if not shape and ty.dtype.kind is not Kind.BOOL:
            return self._sample.scalar(self._random, ty.dtype, next(self._numbers))
        if ty.dtype.is_integer:
            return self._sample.integers(self._random, shape, ty.dtype)
        if ty.dtype.kind is not Kind.BOOL:
            return self._sample.floats(self._random, shape, ty.dtype)
        if shape:
            return self._random.integers(0, 2, shape).astype(np.bool_)
        if room.nesting == self._sample.nesting:
            return np.array(next(self._choices) == 1)
        return np.array(self._sample.choice(next(self._places), 2) == 1)

    def _size(self, dim: Dim) -> int:
        known = next(self._sizes) if dim is ANY else substitute(dim, self._known)
        (found,) = static((known,))
        return max(found, 0)


@node
class _Room:
    """The room for data inside of a value: how deep it is, and how many values it has."""

    nesting: int
    size: int

    def inside(self, parts: Sequence[Type], *, deeper: bool) -> "_Room":
        """Return the room of each field of a data value: parts that may hold data share it."""
        sharing = sum(not isinstance(each, TensorType) for each in parts)
        return _Room(self.nesting - deeper, (self.size - 1) // max(sharing, 1))

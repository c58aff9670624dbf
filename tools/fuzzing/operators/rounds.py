"""The rounds of a random call: arguments of random shapes, and what the reference says of them."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Array
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayTypeError
from relay.testing.compare_values import flat
from relay.testing.example_types import fields_of
from tools.fuzzing.joined.subject import Round, Subject
from tools.fuzzing.operators.arguments import random_arguments
from tools.fuzzing.operators.calls import RandomCall, is_large, random_call
from tools.fuzzing.operators.promises import invariants_of
from tools.fuzzing.operators.sketch import SIZES, Argument
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.sizes.sweep import outcome

_DRAWS = 3  # of arguments of fixed sizes, to find some with a value
_KEPT = 0.15  # of calls that always trap, each of which is a program of its own
_MOST_SIZE = 140  # of an axis, but for few
_MOST_TRAPS = 0.2  # of the rounds of a call
_TRUNCATING = ("resize", "upsampling")
"""Parts of the names of operators that compute integers as floats."""


def random_subject(random: Random, prefix: str, *, is_open: bool, rounds: int) -> Subject:
    """Return a random call with its rounds; names of parameters and sizes begin with `prefix`."""
    while True:
        call = random_call(random, prefix, is_open=is_open)
        module = call.module(prefix)
        if is_open:
            found = _open_rounds(call, module, random, rounds)
        else:
            found = _fixed_rounds(call, module, random)
        if any(each.has_value for each in found) or random.random() < _KEPT:
            tolerance = call.sketch.example.tolerance
            return Subject(
                call.op.name,
                str(call),
                module,
                tuple(found),
                tolerance,
                truncates=any(part in call.op.name for part in _TRUNCATING),
                invariants=invariants_of(type(call.op)),
            )


def _fixed_rounds(call: RandomCall, module: Module, random: Random) -> list[Round]:
    """Return rounds up to the first that has a value."""
    found = list[Round]()
    for _ in range(_DRAWS):
        found.append(_round(module, random_arguments(call.sketch, call.types, random)))
        if found[-1].has_value:
            break
    return found


def _open_rounds(call: RandomCall, module: Module, random: Random, count: int) -> list[Round]:
    """Return rounds of different shapes, in most of which the call has a value."""
    values, traps = list[Round](), list[Round]()
    for types in _other_types(call, random, 2 * count):
        made = _round(module, random_arguments(call.sketch, types, random))
        (values if made.has_value else traps).append(made)
        if len(values) + len(traps[: int(_MOST_TRAPS * count)]) >= count:
            break
    return values + traps[: int(_MOST_TRAPS * count)]


def _round(module: Module, arrays: tuple[Array, ...]) -> Round:
    return Round(arrays, _expected(module, arrays))


def _expected(module: Module, arrays: Sequence[Array]) -> tuple[Array, ...] | Trapped:
    """Return the results by the reference, a trap, or the name of an exception, a failure."""
    with warnings.catch_warnings(action="ignore"):
        try:
            found = outcome(lambda: evaluate(module, *arrays))
        except Exception as error:  # noqa: BLE001 - our own failure
            return Trapped(type(error).__name__, str(error))
    return found if isinstance(found, Trapped) else flat(found)


Key: TypeAlias = "DimVar | tuple[int, int]"
"""An open size: its name, or its tensor and axis if it has none."""

Sizes: TypeAlias = Mapping[Key, int]


def _other_types(call: RandomCall, random: Random, tries: int) -> Iterator[tuple[Argument, ...]]:
    """Yield different static types of arguments that differ in the open sizes."""
    sizes, seen = _open_sizes(call), set[tuple[Argument, ...]]()
    frozen = "sparse" in call.op.name  # arguments that must fit together
    for number in range(tries):
        chosen = sizes if number == 0 or frozen else _other_sizes(sizes, random)
        try:
            types = _with_sizes(call, chosen)
        except RelayTypeError:  # a tensor with more elements than 64 bits can count
            continue
        if types not in seen and not is_large(call.op, types):
            yield types
        seen.add(types)


def _open_sizes(call: RandomCall) -> dict[Key, int]:
    """Return what the open sizes are in the sketch, by name or place."""
    static = [field for ty in call.sketch.types for field in fields_of(ty)]
    return {
        dim if isinstance(dim, DimVar) else (tensor, axis): size
        for tensor, (ty, own) in enumerate(zip(call.tensor_types, static, strict=True))
        for axis, (dim, size) in enumerate(zip(ty.shape, own.static_shape, strict=True))
        if not isinstance(dim, int)
    }


def _other_sizes(sizes: Sizes, random: Random) -> Sizes:
    """Return other sizes; in most cases equal ones stay equal, because they have to fit."""
    match random.randrange(8):
        case 0 | 1 | 2 | 3:
            new = {old: _other(old, random) for old in sorted({*sizes.values()})}
            return {key: new[old] for key, old in sizes.items()}
        case 4 | 5:
            chosen = random.choice([*sizes])
            return {**sizes, chosen: _near(sizes[chosen], random)}
        case 6:
            chosen = random.choice(sorted({*sizes.values()}))
            size = _near(chosen, random)
            return {key: size if old == chosen else old for key, old in sizes.items()}
        case _:
            return {key: _any(random) for key in sizes}


def _other(old: int, random: Random) -> int:
    return _any(random) if random.random() < 0.6 else old


def _near(size: int, random: Random) -> int:
    return max(random.choice((size - 1, size + 1, 2 * size, *(_any(random) for _ in range(4)))), 0)


def _any(random: Random) -> int:
    return random.choice((random.choice(SIZES), random.randrange(_MOST_SIZE)))


def _with_sizes(call: RandomCall, sizes: Sizes) -> tuple[Argument, ...]:
    tensors = (
        TensorType(
            tuple(
                dim if isinstance(dim, int) else sizes[_key(dim, tensor, axis)]
                for axis, dim in enumerate(ty.shape)
            ),
            ty.dtype,
        )
        for tensor, ty in enumerate(call.tensor_types)
    )
    return tuple(
        TupleType(tuple(next(tensors) for _ in ty.fields))
        if isinstance(ty, TupleType)
        else next(tensors)
        for ty in call.types
    )


def _key(dim: object, tensor: int, axis: int) -> Key:
    return dim if isinstance(dim, DimVar) else (tensor, axis)

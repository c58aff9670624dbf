"""Convert program code to JSON and back; instructions and kinds are named by class.

The encoding is derived from the fields of a class and their types, so a new instruction needs no
change here. For example, `[ "RunKernel", 0, [1, 2], [3] ]` is an instruction, and `[ "Tensor", [2,
3], "float32" ]` a kind.
"""

import types
from enum import Enum, EnumType
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from relay.runtime.code.function import Block, CodeFunction, KernelUse, ProgramCode, Task
from relay.runtime.code.instructions import Instruction, Terminator
from relay.runtime.code.register_kinds import Kind
from relay.runtime.json_fields import LARGEST, Record, malformed
from relay.runtime.program import Program
from relay.support.dtype import DType, dtype
from relay.support.errors import RelayTypeError
from relay.support.node import Value

Json = Any


def code_to_json(code: ProgramCode) -> dict[str, Json]:
    """Return functions, kernels and tasks as JSON; constants and traps are stored elsewhere."""
    return {
        "functions": [_function_to_json(function) for function in code.functions],
        "kernels": [encoded(use) for use in code.kernels],
        "tasks": [encoded(task) for task in code.tasks],
    }


def code_from_json(record: Record, program: Program) -> ProgramCode:
    """Return the code that `code_to_json` encoded; raises `A006` for malformed JSON.

    Only the structure is checked; `check_code` checks that the code is valid.
    """
    return ProgramCode(
        tuple(_function_from_json(each) for each in record.records("functions")),
        tuple(decoded(KernelUse, each) for each in record.items("kernels")),
        program.constants,
        program.traps,
        tuple(decoded(Task, each) for each in record.items("tasks")),
    )


def _function_to_json(function: CodeFunction) -> dict[str, Json]:
    return {
        "name": function.name,
        "kinds": encoded(function.kinds),
        "parameters": function.parameters,
        "results": encoded(function.results),
        "blocks": [[*map(encoded, block.body), encoded(block.end)] for block in function.blocks],
        "frame": sorted(function.frame),
        "exhausted": function.exhausted,
    }


def _function_from_json(record: Record) -> CodeFunction:
    kinds, results = (
        tuple(decoded(Kind, each) for each in record.items(name)) for name in ("kinds", "results")
    )
    return CodeFunction(
        record.text("name"),
        kinds,
        record.number("parameters", len(kinds) + 1),
        results,
        tuple(map(_block_from_json, record.items("blocks"))),
        frozenset(record.numbers("frame")),
        record.number("exhausted"),
    )


def _block_from_json(listed: Json) -> Block:
    if not isinstance(listed, list) or not listed:
        raise malformed("a block is not a list of instructions")
    *body, end = (decoded(Instruction, each) for each in cast("list[Json]", listed))
    if not isinstance(end, Terminator) or any(isinstance(each, Terminator) for each in body):
        raise malformed("a block does not end with a terminating instruction")
    return Block(tuple(body), end)


def encoded(given: object) -> Json:
    """Return an instruction, kind or other value as JSON: its class name and its fields."""
    match given:
        case DType():
            return str(given)
        case Enum():
            return given.value
        case Value():
            return [type(given).__name__, *(encoded(getattr(given, f)) for f in _fields(given))]
        case frozenset():
            return sorted(cast("frozenset[int]", given))
        case tuple():
            return [encoded(each) for each in cast("tuple[object, ...]", given)]
        case _:
            return given


def _fields(given: Value) -> tuple[str, ...]:
    return given.__match_args__


def decoded(hint: Any, given: Json) -> Any:
    """Decode JSON to a value of type `hint`; raises `A006` if it does not have that type."""
    if hint in (int, str, bool):
        return _plain(hint, given)
    if hint == int | None:
        return None if given is None else _plain(int, given)
    if hint is DType:
        return _element_type(given)
    if hint == frozenset[int]:
        return frozenset(_tuple((int, ...), given))
    if get_origin(hint) is tuple:
        return _tuple(get_args(hint), given)
    if isinstance(hint, EnumType):
        return _member(hint, given)
    return _value(_classes(hint), given)


def _plain(hint: type, given: Json) -> Any:
    if type(given) is not hint or (hint is int and not 0 <= given < LARGEST):
        raise malformed(f"{given!r:.60} is not a valid {hint.__name__}")
    return given


def _member(hint: EnumType, given: Json) -> Any:
    try:
        return hint(given)
    except ValueError as error:
        raise malformed(str(error)) from error


def _element_type(given: Json) -> DType:
    try:
        return dtype(_plain(str, given))
    except RelayTypeError as error:
        raise malformed(error.message) from error


def _tuple(hints: tuple[Any, ...], given: Json) -> tuple[Any, ...]:
    if not isinstance(given, list):
        raise malformed(f"{given!r:.60} is not a list")
    items = cast("list[Json]", given)
    expected = [hints[0]] * len(items) if hints[-1] is Ellipsis else list(hints)
    if len(expected) != len(items):
        raise malformed(f"{given!r:.60} does not have {len(expected)} parts")
    return tuple(decoded(hint, each) for hint, each in zip(expected, items, strict=True))


def _value(classes: dict[str, type[Value]], given: Json) -> Any:
    items = cast("list[Json]", given) if isinstance(given, list) else [None]
    cls = classes.get(items[0]) if items and isinstance(items[0], str) else None
    hints = () if cls is None else _hints(cls)
    if cls is None or len(hints) != len(items) - 1:
        raise malformed(f"{given!r:.60} is not a {' or '.join(sorted(classes)[:3])}")
    return cls(*(decoded(hint, each) for hint, each in zip(hints, items[1:], strict=True)))


@cache
def _classes(hint: Any) -> dict[str, type[Value]]:
    """Return the concrete classes of a type hint, by class name."""
    if get_origin(hint) in (Union, types.UnionType):
        return {name: c for each in get_args(hint) for name, c in _classes(each).items()}
    found: dict[str, type[Value]] = {}
    pending: list[type[Value]] = [hint]
    while pending:
        cls = pending.pop()
        pending += cls.__subclasses__()
        if cls.__dict__.keys() >= {"__match_args__", "__slots__"}:  # a dataclass with slots
            found[cls.__name__] = cls
    return found


@cache
def _hints(cls: type[Value]) -> tuple[Any, ...]:
    known = get_type_hints(cls)
    return tuple(known[name] for name in cls.__match_args__)

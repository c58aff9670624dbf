"""Donation: results that take over the memory of inputs that a caller gives up.

1. A kernel writes the result over the input if every other kernel that reads the input can run
   before it; kernels are reordered for that. The kernel may read the input itself, element by
   element.
2. Otherwise, the result is copied to the input's memory at the end of the program.
3. An input that is also another result keeps its memory: the result for which it was donated gets
   its own memory, as do results without a donated input.
4. A tensor without axes has no memory to give up: it is passed to the program as a number.

This applies to programs without control flow; others allocate results on a heap and copy them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from reprlib import repr as short

from relay.build.kernel_order import StepOrder
from relay.build.straight_line_program import Storage, StraightLine
from relay.ir.expr import Function, Var
from relay.ir.field_validation import require_index
from relay.ir.types import TensorType, TupleType, is_static
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def donations(main: Function, donate: Mapping[str, int]) -> dict[int, int]:
    """Return a map from each result that takes over an input's memory to that input, by number.

    `donate` maps input names to result numbers. Raises `C121` if it is not a mapping, for unknown
    inputs or results, and for an input and a result of different types.
    """
    if not isinstance(donate, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - users err
        raise not_donated(f"donate must be a mapping, not {short(donate)}")
    numbers = {param.name: number for number, param in enumerate(main.params)}
    result = main.body.type
    types = result.fields if isinstance(result, TupleType) else (result,)
    found: dict[int, int] = {}
    for name, number in donate.items():
        index = require_index(f"the number of the result for the input '{name}'", number)
        if name not in numbers:
            raise not_donated(f"the program has no input '{name}'", _known("inputs", numbers))
        if not 0 <= index < len(types) or index in found:
            what = (
                "already reuses the memory of another input" if index in found else "does not exist"
            )
            raise not_donated(
                f"the result number {index} cannot reuse the memory of the input '{name}': it "
                f"{what}"
            )
        given = main.params[numbers[name]].type
        if given is not types[index]:
            message = (
                f"the input '{name}' has type {given!r}, but the result number {index} has type "
                f"{types[index]!r}"
            )
            raise not_donated(message)
        if not (isinstance(given, TensorType) and is_static(given.shape)):
            raise not_donated(
                f"donate names the input '{name}', but its type, {given!r}, is not a tensor type "
                "whose sizes are known at compile time"
            )
        found[index] = numbers[name]
    return {index: number for index, number in found.items() if _has_memory(main.params[number])}


def _has_memory(param: Var) -> bool:
    """Whether a donated input is passed as an address, not as a number (case 4)."""
    return param.tensor_type.rank > 0


def not_donated(message: str, note: str = "") -> CompileError:
    """Return the error `C121` for an invalid donation."""
    help_ = "pass donate={name of an input: number of a result of the same type}, or omit donate"
    return CompileError(ErrorCode.C121, message, notes=[note] if note else [], help=help_)


def _known(what: str, names: Iterable[str]) -> str:
    return f"{what}: {', '.join(names) or 'none'}"


def with_donated(line: StraightLine, donated: Mapping[int, int]) -> StraightLine:
    """Return a program whose results take over the inputs' memory, if possible: {result: input}."""
    inputs = [Storage(0) for _ in line.params]
    for storage in _storages(line):
        if storage.input_index is not None:
            inputs[storage.input_index] = storage
    order = StepOrder(line.steps)
    in_place: dict[int, int] = {}
    written: set[int] = set()
    for result, number in donated.items():
        given, storage = inputs[number], line.results[result]
        if any(other is given for i, other in enumerate(line.results) if i != result):
            continue  # case 3
        in_place[result] = number
        is_first = all(storage is not line.results[other] for other in written)
        if storage is given or (is_first and order.overwrite(storage, given)):
            written.add(result)
    steps = order.sorted()
    return replace(line, steps=steps, in_place=in_place, written=frozenset(written))


def _storages(line: StraightLine) -> Iterable[Storage]:
    for step in line.steps:
        yield from step.reads
    yield from line.results

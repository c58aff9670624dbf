"""Print results as JSON, for the option `--json` of several commands."""

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from relay.runtime.code.interface_types import Data
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError
from relay.support.trampoline import Task, run


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option `--json` to a command."""
    parser.add_argument("--json", action="store_true", help="print results and errors as JSON")


def print_json(fields: object) -> None:
    """Print an object as JSON; raises `U015` for one that is nested too deeply.

    Floats that JSON does not support become strings.
    """
    try:
        print(json.dumps(run(_supported(fields)), indent=2, ensure_ascii=False, allow_nan=False))
    except RecursionError:
        message = "the results are nested too deeply for JSON"
        raise UsageError(
            ErrorCode.U015, message, help="call the program from Python instead of the command line"
        ) from None


def _supported(fields: object) -> Task[object]:
    """Return an object in which infinities and NaN are strings.

    >>> run(_supported({"error": float("inf"), "times": (0.5, float("nan"))}))
    {'error': 'inf', 'times': [0.5, 'nan']}
    """
    match fields:
        case float() if not math.isfinite(fields):
            return str(fields)
        case dict():
            named = cast("dict[object, object]", fields)
            return dict(zip(named, (yield from _each(named.values())), strict=True))
        case list() | tuple():
            return (yield from _each(cast("Sequence[object]", fields)))
        case _:
            return fields


def _each(items: Iterable[object]) -> Task[list[object]]:
    found: list[object] = []
    for each in items:
        found.append((yield _supported(each)))  # noqa: PERF401 - a generator waits
    return found


def error_fields(error: RelayError) -> list[dict[str, Any]]:
    """Return the JSON objects of an error and of those that are reported together with it."""
    return [
        {
            "code": each.code,
            "message": each.message,
            "place": None if each.span is None else str(each.span),
            "notes": each.notes,
            "help": each.help,
        }
        for each in (error, *error.others)
    ]


def json_value(given: object) -> Any:
    """Return a result as a JSON value, in the form that `--input` reads.

    Numbers that JSON does not support (infinity, NaN) become strings.

    >>> json_value((np.float32([1, np.inf]), Data("Node", (Data("Leaf"), np.array(3)))))
    [[1.0, 'inf'], {'Node': [{'Leaf': []}, 3]}]
    """
    return run(_value(given))


def _value(given: object) -> Task[Any]:
    plain = given.plain() if isinstance(given, Data) else given
    if isinstance(plain, np.ndarray | np.generic):
        return _numbers(cast("Any", plain))
    if not isinstance(plain, Data | list | tuple):
        return plain
    items: list[Any] = []
    for each in plain.fields if isinstance(plain, Data) else cast("list[Any]", plain):
        items.append((yield _value(each)))  # noqa: PERF401 - a generator waits
    if not isinstance(plain, Data):
        return items
    return {plain.constructor: items}


def _numbers(array: Any) -> Any:
    """Return a tensor as nested lists of numbers; a complex number is a list of its parts."""
    kind = dtype(array.dtype)
    if kind.is_complex:
        return _numbers(np.stack([array.real, array.imag], axis=-1))
    if not kind.is_float and not kind.is_minifloat:
        return array.tolist()
    numbers = np.asarray(array).astype(np.float64)
    if np.isfinite(numbers).all():
        return numbers.tolist()
    return np.where(np.isfinite(numbers), numbers.astype(object), numbers.astype(str)).tolist()

"""Pattern matching on values in the evaluator: finding the first clause that matches."""

from typing import cast

import numpy as np

from relay.ir.expr import Var
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.trap import FAILED
from relay.semantics.evaluator_values import Data, Value
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError


def first_match(expr: Match, data: Value) -> tuple[Clause, list[tuple[Var, Value]]]:
    """Return the first clause of a match that fits a value, and the values of its variables.

    Raises `R040` if no clause fits.
    """
    for clause in expr.clauses:
        bound: list[tuple[Var, Value]] = []
        if _fits(clause.pattern, data, bound):
            return clause, bound
    if not expr.clauses:
        raise RunError(ErrorCode.R040, FAILED, span=expr.span)
    message = f"the match has no clause for the value {value_text(data)}"
    raise RunError(
        ErrorCode.R040, message, span=expr.span, help="add a clause for this value, or one for `_`"
    )


def _fits(pattern: Pattern, value: Value, bound: list[tuple[Var, Value]]) -> bool:
    """Whether a pattern matches a value; if so, its bindings are appended to `bound`."""
    match pattern:
        case PatternVar(var):
            bound.append((var, value))
            return True
        case PatternTuple(patterns):
            fields = cast("tuple[Value, ...]", value)
            return all(_fits(p, v, bound) for p, v in zip(patterns, fields, strict=True))
        case PatternConstructor(constructor, patterns):
            data = cast("Data", value)
            same = data.constructor.name == constructor.name  # names are unique in a module
            pairs = zip(patterns, data.fields, strict=False)
            return same and all(_fits(p, v, bound) for p, v in pairs)
        case _:
            return True


def value_text(value: Value) -> str:
    """Return a value as short text for an error message."""
    match value:
        case Data(constructor, fields):
            return constructor.name + (f"({', '.join('…' for _ in fields)})" if fields else "")
        case np.ndarray() if value.size <= _MOST_SHOWN:
            return f"{value.tolist()} ({value.dtype})"
        case np.ndarray():
            return f"{value.dtype} of shape {value.shape}"
        case tuple():
            return f"a tuple of {len(value)}"
        case _:
            return type(value).__name__.lower()


_MOST_SHOWN = 8  # elements of an array that a message shows

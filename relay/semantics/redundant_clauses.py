"""Warnings about unreachable clauses of matches."""

from collections.abc import Iterator

from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.semantics.exhaustiveness import pattern_text, unreachable
from relay.support.error_codes import ErrorCode
from relay.support.errors import TypeWarning


def warnings_of(module: Module, text: str) -> list[TypeWarning]:
    """Return a warning `T042` for each clause that earlier clauses make unreachable.

    Only functions that were read from `text` are examined.
    """
    matches = [
        expr
        for function in module.functions.values()
        if function.span is not None and function.span.source.text == text
        for expr in post_order(function)
        if isinstance(expr, Match)
    ]
    return [warning for match in matches for warning in _of(match, module)]


def _of(match: Match, module: Module) -> Iterator[TypeWarning]:
    patterns = [clause.pattern for clause in match.clauses]
    for index in unreachable(patterns, module.alternatives):
        message = f"the clause {pattern_text(patterns[index])} => … is never used"
        help_ = "move it up, or remove it: the clauses above it match all its values"
        yield TypeWarning(
            ErrorCode.T042, message, span=patterns[index].span or match.span, help=help_
        )

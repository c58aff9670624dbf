"""Checks of match clauses: exhaustiveness (all values are covered) and redundancy.

The algorithm is Maranget's usefulness check: the patterns are a matrix with one row for each
clause. It searches for values that match a *query* row but no row of the matrix. For the query `_`
these are the missing cases; for a clause and the matrix of earlier clauses, they are the values
that reach it. Columns are removed one at a time, by specialisation for each constructor in the
column. The specialised matrix of a constructor is memoised, and rows that are added later are added
to it, too. Rows are linked lists and the recursion uses the heap, so patterns may be as wide and as
deep as memory allows.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from relay.ir.expr import Constructor
from relay.ir.match_patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternWildcard,
)
from relay.ir.module import Module
from relay.ir.types import GlobalTypeVar, Type, TypeCall
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError
from relay.support.trampoline import Task, run

Alternatives: TypeAlias = Callable[[GlobalTypeVar], Sequence[Constructor]]
"""A function from a data type to its constructors, in order."""

_Row: TypeAlias = "tuple[Pattern, _Row, bool] | None"
"""A row: its first pattern, the rest of the row, and whether all its patterns are wildcards."""

_Head: TypeAlias = Constructor | int
"""The outermost part of a value: a constructor, or for a tuple, its number of fields."""

_WILD = PatternWildcard()
_MOST_CASES = 4  # the number of missing cases that a message lists
_MOST_STEPS = 1_000_000  # rows visited, some seconds: the problem is NP-complete
_STEPS_OF_WARNINGS = 100_000


def check_complete(match: Match, module: Module, ty: Type) -> None:
    """Require that a match covers every value of type `ty`; raises `T025` otherwise.

    The patterns must be well typed.
    """
    if isinstance(ty, TypeCall) and not module.alternatives(ty.head):
        return  # the type has no values
    patterns = [clause.pattern for clause in match.clauses]
    try:
        missing = missing_cases(patterns, module.alternatives)
    except RelayError as error:
        raise error.at(match.span) from None
    if missing:
        cases = ", ".join(map(pattern_text, missing))
        more = " and maybe more" if len(missing) == _MOST_CASES else ""
        raise RelayTypeError(
            ErrorCode.T025,
            f"the match has no clause for the values {cases}{more}",
            span=match.span,
            help=(
                f"add a clause `{pattern_text(missing[0])} => …`, or `_ => …` for all others; "
                "or write `match?`, which fails at run time for missing cases"
            ),
        )


def missing_cases(patterns: Sequence[Pattern], alternatives: Alternatives) -> list[Pattern]:
    """Return up to four patterns that describe values which none of `patterns` matches.

    The patterns must be well typed. Raises `T029` if there are too many combinations to check.

    >>> some = Constructor("Some", (), GlobalTypeVar("Opt"), (), 0)
    >>> none = Constructor("None", (), GlobalTypeVar("Opt"), (), 1)
    >>> cases = [PatternTuple((PatternConstructor(some), _WILD))]
    >>> [pattern_text(each) for each in missing_cases(cases, lambda _: (some, none))]
    ['(None, _)']
    """
    matrix = _Matrix()
    for pattern in patterns:
        matrix.add(_row(pattern))
    found = run(_Search(alternatives).uncovered(matrix, _row(_WILD)))
    return [row[0] for row in found if row is not None]


def unreachable(patterns: Sequence[Pattern], alternatives: Alternatives) -> list[int]:
    """Return the indices of patterns that never match, because earlier ones match their values.

    Patterns for which the check would take too long are not included.
    """
    search, before = _Search(alternatives, _STEPS_OF_WARNINGS), _Matrix()
    found: list[int] = []
    for index, pattern in enumerate(patterns):
        row = _row(pattern)
        try:
            is_reached = run(search.uncovered(before, row))
        except RelayError:
            break
        if not is_reached:
            found.append(index)
        before.add(row)
    return found


def pattern_text(pattern: Pattern, *, without_fields: str = "") -> str:
    """Return a pattern as text, in which variables are written as `_`.

    `without_fields` is appended to constructors without fields; Python's syntax needs `()` there.
    """
    match pattern:
        case PatternConstructor(constructor, patterns):
            fields = [pattern_text(each, without_fields=without_fields) for each in patterns]
            return constructor.name + (f"({', '.join(fields)})" if fields else without_fields)
        case PatternTuple(patterns):
            fields = [pattern_text(each, without_fields=without_fields) for each in patterns]
            return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
        case _:
            return "_"


def _row(first: Pattern, rest: _Row = None) -> _Row:
    return (first, rest, _head(first) is None and (rest is None or rest[2]))


class _Search:
    """The search for values that match a row of patterns (the query) but no row of a matrix."""

    def __init__(self, alternatives: Alternatives, limit: int = _MOST_STEPS) -> None:
        self._alternatives = alternatives
        self._limit = limit
        self._steps = 0

    def uncovered(self, matrix: "_Matrix", query: _Row) -> Task[list[_Row]]:
        """Return rows of patterns for values that match the row `query`, but no row of `matrix`."""
        self._steps += 1 + matrix.new_rows()
        if self._steps > self._limit:
            raise RelayTypeError(
                ErrorCode.T029,
                "the patterns of this match have too many combinations to check that they "
                "cover all values",
                help="write several matches with simpler patterns, or end with a clause for `_`",
            )
        if not matrix.count:
            return [query]
        if query is None or matrix.is_full:
            return []
        head = _head(query[0])
        if head is not None:
            return (yield self._uncovered_with_head(head, matrix, query))
        heads = matrix.heads
        every = self._all_heads(heads)
        if heads and every.keys() <= heads.keys():
            return (yield self._one_by_one(every, matrix, query))
        rest = yield self.uncovered(matrix.specialised(None), query[1])
        absent = [each for each in every if each not in heads]
        firsts = [_pattern(each) for each in absent] or [_WILD]
        found = [_row(first, row) for row in rest for first in firsts]
        if found:
            found += yield self._one_by_one(heads, matrix, query)
        return found[:_MOST_CASES]

    def _all_heads(self, heads: Iterable[_Head]) -> dict[_Head, None]:
        """Return all constructors of the data type of `heads`, or the tuple arity."""
        for head in heads:
            if isinstance(head, Constructor):
                return dict.fromkeys(self._alternatives(head.belongs_to))
            return {head: None}
        return {}

    def _one_by_one(
        self, heads: Iterable[_Head], matrix: "_Matrix", query: _Row
    ) -> Task[list[_Row]]:
        found: list[_Row] = []
        for head in heads:
            if len(found) < _MOST_CASES:
                found += yield self._uncovered_with_head(head, matrix, query)
        return found[:_MOST_CASES]

    def _uncovered_with_head(self, head: _Head, matrix: "_Matrix", query: _Row) -> Task[list[_Row]]:
        """Return the uncovered values whose first part has a certain constructor or tuple arity."""
        found = yield self.uncovered(matrix.specialised(head), _opened(head, query))
        return [_closed(head, row) for row in found]


class _Matrix:
    """Rows of patterns, grouped by head: the constructor or tuple arity of their first pattern.

    The specialised matrix of each head is memoised.
    """

    def __init__(self) -> None:
        self.count = 0
        self.is_full = False
        self.heads: dict[_Head, list[_Row]] = {}
        self._wild: list[_Row] = []
        self._matrices: dict[_Head | None, tuple[_Matrix, int, int]] = {}
        self._asked = 0

    def add(self, row: _Row) -> None:
        """Add a row; memoised specialised matrices are updated when they are next used."""
        self.count += 1
        self.is_full |= row is None or row[2]
        if row is not None:
            head = _head(row[0])
            (self._wild if head is None else self.heads.setdefault(head, [])).append(row)

    def new_rows(self) -> int:
        """Return the number of rows that were added since the last call of this method."""
        news = self.count - self._asked
        self._asked = self.count
        return news

    def specialised(self, head: _Head | None) -> "_Matrix":
        """Return the matrix specialised for a head (a constructor or tuple arity).

        Its rows begin with the fields of the first pattern. For None, it consists of the rows whose
        first pattern is a wildcard, without that pattern.
        """
        matrix, own, wild = self._matrices.get(head) or (_Matrix(), 0, 0)
        rows = self.heads.get(head, []) if head is not None else []
        for row in (*rows[own:], *self._wild[wild:]):
            matrix.add(_opened(head, row))
        self._matrices[head] = matrix, len(rows), len(self._wild)
        return matrix


def _head(pattern: Pattern) -> _Head | None:
    match pattern:
        case PatternConstructor(constructor):
            return constructor
        case PatternTuple(patterns):
            return len(patterns)
        case _:
            return None


def _arity(head: _Head) -> int:
    return head if isinstance(head, int) else len(head.inputs)


def _pattern(head: _Head, fields: Sequence[Pattern] | None = None) -> Pattern:
    inner = tuple(fields) if fields is not None else (_WILD,) * _arity(head)
    return PatternTuple(inner) if isinstance(head, int) else PatternConstructor(head, inner)


def _opened(head: _Head | None, row: _Row) -> _Row:
    """Return a row of patterns with the first one replaced by its fields.

    `head` is its constructor or tuple arity; for None, the first pattern is removed.
    """
    assert row is not None, "rows are as long as the query"
    first, rest, _ = row
    if head is None:
        return rest
    fields = (_WILD,) * _arity(head) if _head(first) is None else _fields(first)
    for field in reversed(fields):
        rest = _row(field, rest)
    return rest


def _fields(pattern: Pattern) -> Sequence[Pattern]:
    return pattern.patterns if isinstance(pattern, PatternConstructor | PatternTuple) else ()


def _closed(head: _Head, row: _Row) -> _Row:
    """Return a row in which the first patterns, as fields of `head`, are combined into one.

    `head` is a constructor or a tuple arity. This is the inverse of `_opened`.
    """
    fields: list[Pattern] = []
    for _ in range(_arity(head)):
        assert row is not None, "a row has all fields of its head"
        fields.append(row[0])
        row = row[1]
    return _row(_pattern(head, fields), row)

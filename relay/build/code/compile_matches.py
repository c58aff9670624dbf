"""Compiles matches to switches that test each value at most once on every path.

Luc Maranget: Compiling Pattern Matching to Good Decision Trees (2008). A match is a matrix with a
row for each clause and a column for each tested value; a switch on one column splits it. Paths with
the same remaining matrix are merged, so that the tree becomes a graph: trees can be exponential.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from relay.build.code.function_builder import FunctionBuilder
from relay.build.code.register_kinds import kinds_of, layout_of
from relay.build.code.size_registers import Sizes
from relay.ir.constructor_field_types import field_types
from relay.ir.expr import Constructor, Var
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import TupleType, Type
from relay.ir.walk import bound_by
from relay.runtime.code.instructions import LoadField, Registers, Switch, Trap
from relay.support.node import node, replace
from relay.support.trampoline import Task, run

_ANYTHING = PatternWildcard()


@node
class _Column:
    """A column of the pattern matrix: a value that patterns test, with its registers and type."""

    registers: Registers
    ty: Type


@node
class _Row:
    """A row of the pattern matrix: a clause, its remaining patterns, and its bound variables."""

    patterns: tuple[Pattern, ...]
    clause: int
    bound: tuple[tuple[Var, Registers], ...] = ()


_Left: TypeAlias = tuple[object, ...]
"""The key of a pattern matrix: its rows, and the registers of its columns."""


class MatchCompiler:
    """The compiler of one match to switches; `trap` is raised if no clause matches."""

    def __init__(self, builder: FunctionBuilder, sizes: Sizes, trap: int) -> None:
        self._builder = builder
        self._sizes = sizes
        self._trap = trap
        self._bodies: list[tuple[int, dict[Var, Registers]]] = []
        self._decided: dict[_Left, int] = {}

    def compile(
        self, match: Match, data: Registers
    ) -> Iterator[tuple[Clause, int, dict[Var, Registers]]]:
        """Yield each clause with the block of its body and the registers of its variables."""
        for clause in match.clauses:
            variables = bound_by(clause.pattern)
            registers = {var: self._builder.fresh(kinds_of(var.type)) for var in variables}
            self._bodies.append((self._builder.block(), registers))
        rows = [_Row((clause.pattern,), number) for number, clause in enumerate(match.clauses)]
        run(self._decide(rows, [_Column(data, match.data.type)]))
        for clause, (block, registers) in zip(match.clauses, self._bodies, strict=True):
            yield clause, block, registers

    def _decide(self, rows: Sequence[_Row], columns: Sequence[_Column]) -> Task[None]:
        if not rows:
            self._builder.end(Trap(self._trap))
            return
        rows, columns = _what_is_left(rows, columns)
        first = rows[0]
        index = next((i for i, p in enumerate(first.patterns) if _looks(p)), None)
        if index is None:
            self._accept(first, columns)
        elif self._is_decided(rows, columns):
            return
        elif isinstance(first.patterns[index], PatternTuple):
            yield self._decide(*_open_tuple(rows, columns, index))
        else:
            yield self._switch(rows, columns, index)

    def _is_decided(self, rows: Sequence[_Row], columns: Sequence[_Column]) -> bool:
        """Whether the same matrix was compiled before; if so, emit a jump to that code."""
        left = tuple((r.patterns, r.clause, r.bound) for r in rows), *(c.registers for c in columns)
        if not self._decided:  # the start of a match: no path returns here
            self._decided[left] = 0
            return False
        known = self._decided.get(left)
        here = self._builder.block() if known is None else known
        self._builder.jump(here)
        if known is None:
            self._decided[left] = here
            self._builder.enter(here)
        return known is not None

    def _accept(self, row: _Row, columns: Sequence[_Column]) -> None:
        """Emit a jump to the body of the matching clause, with the values of its variables."""
        bound = dict(row.bound)
        for pattern, column in zip(row.patterns, columns, strict=True):
            if isinstance(pattern, PatternVar):
                bound[pattern.var] = column.registers
        block, registers = self._bodies[row.clause]
        to = [r for each in registers.values() for r in each]
        fitted: list[int] = []
        for var, each in registers.items():
            with self._sizes.at(var.span, var.name):
                kinds = list(map(self._builder.kind, each))
                fitted += self._sizes.fitted(bound[var], kinds, var.span)
        self._builder.jump(block, tuple(to), tuple(fitted))

    def _switch(self, rows: Sequence[_Row], columns: Sequence[_Column], index: int) -> Task[None]:
        found: dict[Constructor, int] = {}
        for row in rows:
            pattern = row.patterns[index]
            if isinstance(pattern, PatternConstructor) and pattern.constructor not in found:
                found[pattern.constructor] = self._builder.block()
        default = self._builder.block()
        (source,) = columns[index].registers
        cases = tuple((constructor.index, block) for constructor, block in found.items())
        self._builder.end(Switch(source, cases, default))
        for constructor, block in found.items():
            self._builder.enter(block)
            yield self._decide(*self._inside(constructor, rows, columns, index))
        self._builder.enter(default)
        others = [_row_without(row, columns, index) for row in rows if _names(row, index) is None]
        yield self._decide(others, [*columns[:index], *columns[index + 1 :]])

    def _inside(
        self, constructor: Constructor, rows: Sequence[_Row], columns: Sequence[_Column], index: int
    ) -> tuple[list[_Row], list[_Column]]:
        """Return the rows and columns left to test if column `index` has the given constructor."""
        column = columns[index]
        types = field_types(constructor, column.ty)
        fields = [_Column(r, ty) for r, ty in self._load(column.registers[0], types)]
        kept = [row for row in rows if _names(row, index) in (None, constructor)]
        opened = [_opened(row, columns, index, len(types)) for row in kept]
        return opened, [*columns[:index], *fields, *columns[index + 1 :]]

    def _load(self, source: int, types: tuple[Type, ...]) -> Iterator[tuple[Registers, Type]]:
        layout = layout_of(types)
        place = 0
        for ty in types:
            registers = self._builder.fresh(kinds_of(ty))
            for register in registers:
                self._builder.emit(LoadField(register, source, layout, place))
                place += 1
            yield registers, ty


def _what_is_left(
    rows: Sequence[_Row], columns: Sequence[_Column]
) -> tuple[Sequence[_Row], Sequence[_Column]]:
    """Return the matrix without redundant rows and columns.

    Rows after the first one that always matches, and columns that no row tests, are dropped.
    """
    last = next((i for i, row in enumerate(rows) if not any(map(_looks, row.patterns))), None)
    rows = rows if last is None else rows[: last + 1]
    for index in reversed(range(len(columns))):
        if not any(_looks(row.patterns[index]) for row in rows):
            rows = [_row_without(row, columns, index) for row in rows]
            columns = [*columns[:index], *columns[index + 1 :]]
    return rows, columns


def _looks(pattern: Pattern) -> bool:
    return isinstance(pattern, PatternConstructor | PatternTuple)


def _names(row: _Row, index: int) -> Constructor | None:
    """Return the constructor that a row's pattern requires in a column; None if it accepts any."""
    pattern = row.patterns[index]
    return pattern.constructor if isinstance(pattern, PatternConstructor) else None


def _bind(row: _Row, columns: Sequence[_Column], index: int) -> _Row:
    """Return a row that binds the variable, if any, that is its pattern in column `index`."""
    pattern = row.patterns[index]
    if isinstance(pattern, PatternVar):
        return replace(row, bound=(*row.bound, (pattern.var, columns[index].registers)))
    return row


def _row_without(row: _Row, columns: Sequence[_Column], index: int) -> _Row:
    patterns = (*row.patterns[:index], *row.patterns[index + 1 :])
    return replace(_bind(row, columns, index), patterns=patterns)


def _opened(row: _Row, columns: Sequence[_Column], index: int, count: int) -> _Row:
    """Return a row in which column `index` is replaced by the patterns of its `count` fields."""
    pattern = row.patterns[index]
    inner = (_ANYTHING,) * count
    if isinstance(pattern, PatternConstructor | PatternTuple) and pattern.patterns:
        inner = pattern.patterns
    patterns = (*row.patterns[:index], *inner, *row.patterns[index + 1 :])
    return replace(_bind(row, columns, index), patterns=patterns)


def _open_tuple(
    rows: Sequence[_Row], columns: Sequence[_Column], index: int
) -> tuple[list[_Row], list[_Column]]:
    whole = columns[index]
    assert isinstance(whole.ty, TupleType)
    fields: list[_Column] = []
    rest = whole.registers
    for ty in whole.ty.fields:
        count = len(kinds_of(ty))
        fields.append(_Column(rest[:count], ty))
        rest = rest[count:]
    opened = [_opened(row, columns, index, len(fields)) for row in rows]
    return opened, [*columns[:index], *fields, *columns[index + 1 :]]

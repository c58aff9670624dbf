"""Convert positions in a function's syntax tree to source locations for errors."""

import ast
from functools import cache

from relay.support.node import node
from relay.support.span import Source, Span

FILLING = "out = np.zeros(…) before the loop, and out[i] = row in it"
"""Advice for building a tensor piece by piece."""


@node
class Code:
    """The source file of a function, which converts syntax nodes to locations."""

    source: Source

    def span(self, at: ast.AST) -> Span:
        """Return the location of a syntax node."""
        assert isinstance(at, ast.expr | ast.stmt | ast.pattern | ast.arg | ast.keyword)
        end_line, end = at.end_lineno or at.lineno, at.end_col_offset or at.col_offset
        return self.between(at.lineno, at.col_offset, end_line, end)

    def between(self, line: int, start: int, end_line: int, end: int) -> Span:
        """Return the location between two positions, each a line and a byte offset."""
        first = self._column(line, start)
        return Span(self.source, line, first, end_line, self._column(end_line, end))

    def _column(self, line: int, offset: int) -> int:
        """Convert a byte offset, which Python counts in UTF-8, to a column, counted from 1."""
        text = _lines(self.source)[line - 1]
        return len(text.encode()[:offset].decode(errors="replace")) + 1


@cache
def _lines(source: Source) -> list[str]:
    return [*source.text.split("\n"), ""]

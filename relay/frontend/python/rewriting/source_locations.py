"""Mistakes in Python functions that are to become Relay, at their line and column."""

import ast
from functools import cache

from relay.support.node import node
from relay.support.span import Source, Span

FILLING = "out = np.zeros(…) before the loop, and out[i] = row in it"
"""How a tensor is made piece by piece."""


@node
class Code:
    """The file in which a function stands; it knows where each part of the syntax is."""

    source: Source

    def span(self, at: ast.AST) -> Span:
        """Return the place of a part of the syntax that has one."""
        assert isinstance(at, ast.expr | ast.stmt | ast.pattern | ast.arg | ast.keyword)
        end_line, end = at.end_lineno or at.lineno, at.end_col_offset or at.col_offset
        return self.between(at.lineno, at.col_offset, end_line, end)

    def between(self, line: int, start: int, end_line: int, end: int) -> Span:
        """Return a place from a line and byte offset to others."""
        first = self._column(line, start)
        return Span(self.source, line, first, end_line, self._column(end_line, end))

    def _column(self, line: int, offset: int) -> int:
        """Return the column, from 1, of a byte offset: Python counts the bytes of UTF-8."""
        text = _lines(self.source)[line - 1]
        return len(text.encode()[:offset].decode(errors="replace")) + 1


@cache
def _lines(source: Source) -> list[str]:
    return [*source.text.split("\n"), ""]

"""Source spans in a module's file, as a table of numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from relay.runtime.json_fields import Record, malformed
from relay.support.span import Source, Span

WIDTH = 5
"""The number of words of a span: its source, first line and column, last line and column."""


class SpanWriter:
    """The table of source spans of a file, numbered from 1; 0 stands for no span."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self._sources: dict[Source, int] = {}
        self._numbers: dict[Span, int] = {}

    def number(self, span: Span | None) -> int:
        """Return the number of a span, which is added to the table if necessary."""
        if span is None:
            return 0
        found = self._numbers.get(span)
        if found is None:
            found = self._numbers[span] = len(self.rows) + 1
            source = self._sources.setdefault(span.source, len(self._sources))
            self.rows.append((source, span.line, span.column, span.end_line, span.end_column))
        return found

    def sources(self) -> list[dict[str, Any]]:
        """Return the names and texts of the sources that spans refer to."""
        return [{"name": source.name, "text": source.text} for source in self._sources]


def read_spans(records: list[Record], words: npt.NDArray[np.uint32]) -> list[Span | None]:
    """Return the spans of a table by number; `records` are the sources, and `words` the rows.

    Raises `A006` for a span that refers to a missing source.
    """
    sources = [Source(record.text("name"), record.text("text")) for record in records]
    if words.size % WIDTH:
        raise malformed("a source location is incomplete")
    spans: list[Span | None] = [None]
    for source, *place in words.reshape(-1, WIDTH).tolist():
        if source >= len(sources):
            raise malformed("a source location refers to a missing source")
        spans.append(Span(sources[source], *place))
    return spans

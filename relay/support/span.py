"""Source spans: a range of lines and columns in a named source text."""

from functools import lru_cache

from relay.support.node import Alias, node


@node
class Source:
    """A source text of programs, with the name that error messages show for it.

    `text` is empty for sources without lines, such as a binary model file.
    """

    name: str
    text: str = ""

    def __repr__(self) -> str:
        return f"Source({self.name!r}, …)" if self.text else f"Source({self.name!r})"

    def line(self, number: int) -> str:
        """Return line `number`, counted from 1, without its line break; empty if there is none."""
        lines = _lines(self.text)
        return lines[number - 1].removesuffix("\r") if 0 < number <= len(lines) else ""


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    """Return the lines of a text; the result is memoised, because many spans share one text."""
    return text.split("\n")


@node
class Span:
    """A range in a source; lines and columns count from 1 and `end_column` is exclusive.

    Line 0 means that the source has no lines, and its name alone is the location (an ONNX node, for
    example).
    """

    source: Source
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    source_name = Alias[Source]("source")

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}" if self.line else self.source.name

    def last(self, word: str) -> "Span | None":
        """Return the span of the last `word` in this span's text; None if it does not occur.

        >>> source = Source("text", "def @f(%x: int32) { %x }")
        >>> str(Span(source, 1, 1, 1, 25).last("%x"))
        'text:1:21'
        """
        for number in range(self.end_line, self.line - 1, -1):
            start = self.column - 1 if number == self.line else 0
            end = self.end_column - 1 if number == self.end_line else None
            at = self.source.line(number)[:end].rfind(word, start)
            if at >= 0:
                return Span(self.source, number, at + 1, number, at + 1 + len(word))
        return None

    def to(self, other: "Span") -> "Span":
        """Return the range from this span's start to `other`'s end, in the same source."""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column)

"""Convert source locations that a framework recorded in a model to Relay's spans."""

from functools import lru_cache
from pathlib import Path

from relay.support.span import Source, Span


def line_of(file: str, line: int) -> Span:
    """Return the span of line number `line` of a Python file."""
    source = _source(file)
    text = source.line(line)
    begin = len(text) - len(text.lstrip())
    return Span(source, line, begin + 1, line, len(text) + 1)


@lru_cache(maxsize=64)
def _source(file: str) -> Source:
    """Return a Python file as a `Source`, without text if the file does not exist."""
    path = Path(file)
    try:
        is_here = path.suffix == ".py" and path.is_file()
        return Source(file, path.read_text(encoding="utf-8", errors="replace") if is_here else "")
    except OSError:
        return Source(file)

"""Lines of Python files that a framework noted in a model, as places for errors."""

from functools import lru_cache
from pathlib import Path

from relay.support.span import Source, Span


def line_of(file: str, line: int) -> Span:
    """Return a line of a file of Python."""
    source = _source(file)
    text = source.line(line)
    begin = len(text) - len(text.lstrip())
    return Span(source, line, begin + 1, line, len(text) + 1)


@lru_cache(maxsize=64)
def _source(file: str) -> Source:
    """Return a file of Python as a source; without its text where it is not on this machine."""
    path = Path(file)
    try:
        is_here = path.suffix == ".py" and path.is_file()
        return Source(file, path.read_text(encoding="utf-8", errors="replace") if is_here else "")
    except OSError:
        return Source(file)

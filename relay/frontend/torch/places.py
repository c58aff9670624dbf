"""Where in the user's model a node comes from: the line of Python that PyTorch noted for it."""

import re
from functools import lru_cache
from pathlib import Path

import torch

from relay.support.span import Source, Span

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')

_TORCH = str(Path(torch.__file__).parent)


def span_of(stack_trace: str | None, name: str) -> Span:
    """Return the innermost line outside PyTorch in a stack trace; else the name alone."""
    frames = [(m["file"], int(m["line"])) for m in _FRAME.finditer(stack_trace or "")]
    own = [each for each in frames if not each[0].startswith(_TORCH)]
    if not own:
        return Span(Source(name))
    return source_of(*own[-1])


def source_of(file: str, line: int) -> Span:
    """Return a line of a file of Python."""
    source = _source(file)
    text = source.line(line)
    begin = len(text) - len(text.lstrip())
    return Span(source, line, begin + 1, line, len(text) + 1)


@lru_cache(maxsize=64)
def _source(file: str) -> Source:
    """Return a file of Python as a source; without its text where it is not on this machine."""
    try:
        return Source(file, Path(file).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return Source(file)

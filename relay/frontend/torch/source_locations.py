"""Find the source location of a node: the Python line that PyTorch recorded for it."""

import re
from pathlib import Path

import torch

from relay.frontend.source_lines import line_of
from relay.support.span import Source, Span

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')

_TORCH = str(Path(torch.__file__).parent)


def span_of(stack_trace: str | None, name: str) -> Span:
    """Return the innermost line outside of PyTorch in a stack trace; without one, the name."""
    frames = [(m["file"], int(m["line"])) for m in _FRAME.finditer(stack_trace or "")]
    own = [each for each in frames if not each[0].startswith(_TORCH)]
    if not own:
        return Span(Source(name))
    return line_of(*own[-1])

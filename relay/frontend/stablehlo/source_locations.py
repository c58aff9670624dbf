"""Convert MLIR locations to spans: the Python line that JAX recorded for an operation."""

import re
from typing import Any

from relay.frontend.source_lines import line_of
from relay.support.span import Source, Span

_FRAME = re.compile(r'"(?P<file>[^"]+\.py)":(?P<line>\d+):')

_LIBRARIES = ("/site-packages/jax/", "/site-packages/flax/", "/site-packages/equinox/")


def span_of(location: Any) -> Span:
    """Return the innermost Python line outside of JAX, or the location's text if there is none."""
    text = str(location)
    frames = [(m["file"], int(m["line"])) for m in _FRAME.finditer(text)]
    own = [each for each in frames if not any(part in each[0] for part in _LIBRARIES)]
    if not own:
        return Span(Source(text.removeprefix("loc(").removesuffix(")").replace('"', "")))
    return line_of(*own[0])

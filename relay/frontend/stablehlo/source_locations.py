"""Convert MLIR locations to spans: the Python line that JAX recorded for an operation."""

import os
import re
from pathlib import Path
from typing import Any

from relay.frontend.source_lines import line_of
from relay.support.span import Source, Span

_FRAME = re.compile(r'"(?P<file>[^"]+\.py)":(?P<line>\d+):')

_LIBRARIES = ("/site-packages/jax/", "/site-packages/flax/", "/site-packages/equinox/")

_RELAY = f"{Path(__file__).parents[2]}{os.sep}"
"""The folder of Relay, which calls JAX from functions of several packages."""


def span_of(location: Any) -> Span:
    """Return the innermost Python line outside of JAX, or the location's text if there is none."""
    text = str(location)
    plain = text.removeprefix("loc(").removesuffix(")").replace('"', "")
    return _line_in(text) or Span(Source(plain))


def span_of_operation(operation: Any) -> Span:
    """Return the line of an operation, or else the line that calls the function it is in.

    Functions of `jax.numpy` are called by functions of the module, and have no lines of their own.
    """
    found = _line_in(str(operation.location))
    outer = operation
    while found is None and outer is not None:
        outer = outer.parent
        if outer is not None and outer.name == "func.func":
            found = _line_in(str(outer.location))
    return span_of(operation.location) if found is None else found


def _line_in(text: str) -> Span | None:
    frames = [(m["file"], int(m["line"])) for m in _FRAME.finditer(text)]
    own = [each for each in frames if not _is_of_library(each[0])]
    return line_of(*own[0]) if own else None


def _is_of_library(file: str) -> bool:
    return file.startswith(_RELAY) or any(part in file for part in _LIBRARIES)

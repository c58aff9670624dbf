"""Errors of NumPy's functions: what is wrong, and what to write instead."""

from relay.support.errors import ImportError_
from relay.support.span import Span


def mistake(code: str, message: str, span: Span | None, help: str) -> ImportError_:
    """Return the error: what is wrong, where it is written, and what to write instead."""
    return ImportError_(code, message, span=span, help=help)

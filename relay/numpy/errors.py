"""Errors of NumPy's functions: what is wrong, and what to write instead."""

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


def mistake(code: ErrorCode, message: str, span: Span | None, help: str) -> RelayImportError:
    """Return the error: what is wrong, where it is written, and what to write instead."""
    return RelayImportError(code, message, span=span, help=help)

"""Locate the errors of a node of a model while it is translated."""

import struct
from collections.abc import Generator
from contextlib import contextmanager

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span

SENSELESS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, TypeError,
    ValueError, struct.error,
)  # fmt: skip
"""Exceptions of Python and NumPy for invalid attributes and shapes that have no own check."""


@contextmanager
def located(span: Span, problem: str) -> Generator[None]:
    """Give errors in a `with` block a location; raise `F026` for exceptions that are not Relay's.

    `problem` begins the message of `F026`, as in "Conv 'a' has invalid attributes".
    """
    try:
        yield
    except RelayError as error:
        error.at(span)
        raise
    except SENSELESS as error:
        message = f"{problem} ({type(error).__name__}: {error})"
        raise RelayImportError(ErrorCode.F026, message, span=span) from error

"""Locate the errors of a node of a model while it is translated."""

import struct
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from relay.ir.dims import Dim, is_static, static
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span

SENSELESS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, TypeError,
    ValueError, struct.error,
)  # fmt: skip
"""Exceptions of Python and NumPy for invalid attributes and shapes that have no own check."""


GIVE_SIZES = "load or export the model with fixed sizes"
"""What helps if a model has a symbolic size where an operator needs an integer."""


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


def static_size(size: Dim) -> int:
    """Return a size that an operator needs at compile time; raise `F032` if it is symbolic."""
    return static_sizes((size,))[0]


def static_sizes(shape: Iterable[Dim]) -> tuple[int, ...]:
    """Return sizes that an operator needs at compile time; raise `F032` if one is symbolic."""
    sizes = tuple(shape)
    if is_static(sizes):
        return static(sizes)
    found = ", ".join(str(size) for size in sizes if not isinstance(size, int))
    problem = f"an operator needs sizes that are known at compile time, but found {found}"
    raise RelayImportError(ErrorCode.F032, problem, help=GIVE_SIZES)

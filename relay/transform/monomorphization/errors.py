"""Errors for programs that have no finite monomorphic version."""

from collections.abc import Generator
from contextlib import contextmanager

from relay.ir.nesting_limits import DEEPEST, NestingError
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.span import Span


def check_limit(what: str, count: int, limit: int, span: Span | None) -> None:
    """Raise `C111` if `what`, the description of a function or type, has `limit` copies already."""
    if count >= limit:
        raise _no_end(
            f"{what} is used with more than {limit} different combinations of types", span
        )


@contextmanager
def no_deeper(what: str, span: Span | None) -> Generator[None]:
    """Raise `C111` if type arguments of `what` exceed the nesting limit in the `with` block."""
    try:
        yield
    except NestingError as error:
        message = f"{what} is used with types that are nested more than {DEEPEST} deep"
        raise _no_end(message, error.span or span) from None


def _no_end(message: str, span: Span | None) -> CompileError:
    return CompileError(
        ErrorCode.C111,
        message,
        span=span,
        notes=["a definition that uses itself at ever larger types needs infinitely many copies"],
        help="inside its definition, use it with its own type parameters only",
    )


_NAMED = "define the function with `def` or `let`, and use it by its name; or annotate its types"


def stays_generic(what: str, span: Span | None, help: str = _NAMED) -> CompileError:
    """Return the error `C112` for the value `what` with undetermined type parameters."""
    return CompileError(
        ErrorCode.C112,
        f"the type arguments with which {what} is used cannot be inferred",
        span=span,
        notes=["compiled code has one copy of a function for each combination of types"],
        help=help,
    )

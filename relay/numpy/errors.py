"""Create errors of NumPy's functions with a suggested alternative."""

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


def mistake(code: ErrorCode, message: str, span: Span | None, help: str) -> RelayImportError:
    """Return an import error with a message, a location and a suggested alternative."""
    return RelayImportError(code, message, span=span, help=help)

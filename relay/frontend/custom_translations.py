"""Call the translation functions that users supply to importers."""

from collections.abc import Callable, Sequence
from traceback import extract_tb
from typing import Any, cast

from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError

_HELP = (
    "its arguments are expressions: compute with the operators of Relay, or with the functions of"
    " relay.numpy in place of NumPy's"
)


def called(function: Callable[..., Any], *args: object) -> Expr | list[Expr]:
    """Return the results of a user's translation function, an expression or several.

    Raises `F057` if it raises an exception that is not Relay's, or returns something else.
    """
    try:
        found: object = function(*args)
    except RelayError:
        raise
    except Exception as error:
        problem = f"raised {type(error).__name__}: {error}"
        raise _failed(function, problem, _lines(error)) from error
    kind = type(found).__name__
    if isinstance(found, Expr):
        return found
    if isinstance(found, list | tuple):
        items = cast("Sequence[object]", found)
        results = [each for each in items if isinstance(each, Expr)]
        if len(results) == len(items):
            return results
    raise _failed(function, f"returned {kind}, not expressions")


def _failed(
    function: Callable[..., Any], problem: str, lines: Sequence[str] = ()
) -> RelayImportError:
    name = getattr(function, "__name__", repr(function))
    message = f"your translation function {name} {problem}"
    return RelayImportError(ErrorCode.F057, message, notes=lines, help=_HELP)


def _lines(error: Exception) -> Sequence[str]:
    """Return where the user's function called what failed; nothing if its arguments do not fit."""
    inner = extract_tb(error.__traceback__)[1:2]  # the first line is the call of the function
    return [f"at {each.filename}:{each.lineno}" for each in inner]

"""Call the translation functions of operators that users supply to importers, or register."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from traceback import extract_tb
from typing import Any, TypeVar, cast

from relay.frontend.unsupported_operators import first_of
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError, UsageWarning

_HELP = "compute with Relay's operators or relay.numpy: the arguments are expressions, not arrays"

_HELP_REGISTERED = (
    "correct your function at this line: the inputs of its node are expressions, not arrays; "
    "compute with Relay's operators or relay.numpy"
)

_HELP_ABSENT = (
    "correct your function at the line in the note: a node may lack optional inputs and attributes"
)

_Translation = TypeVar("_Translation", bound=Callable[..., Any])
_Key = TypeVar("_Key")
_Made = TypeVar("_Made")


class OwnTranslations(Mapping[str, _Made]):
    """A user's translation functions by operator name, as `wrap` adapts them to an importer.

    They remember the names that the importer looks up. Raises `F057` for functions without names.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]] | None,
        wrap: Callable[[Callable[..., Any]], _Made],
    ) -> None:
        given = cast("object", functions)
        help_ = "pass a dictionary from names of operators to functions"
        if given is not None and not isinstance(given, Mapping):
            message = f"translations of the class {type(given).__name__} have no names of operators"
            raise RelayImportError(ErrorCode.F057, message, help=help_)
        for name, function in cast("Mapping[object, object]", given or {}).items():
            if not isinstance(name, str) or not callable(function):
                message = f"the translation {name!r}: {function!r} is not a name and a function"
                raise RelayImportError(ErrorCode.F057, message, help=help_)
        self._wrapped = {name: wrap(each) for name, each in (functions or {}).items()}
        self._looked_up: set[str] = set()

    def __getitem__(self, name: str) -> _Made:
        self._looked_up.add(name)
        return self._wrapped[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a function of this name; this is not a use of it."""
        return name in self._wrapped

    def __iter__(self) -> Iterator[str]:
        return iter(self._wrapped)

    def __len__(self) -> int:
        return len(self._wrapped)

    def warn_of_unused(self) -> None:
        """Issue the warning `U326` if the imported model has no operators of some names."""
        unused = sorted(self._wrapped.keys() - self._looked_up)
        if not unused:
            return
        message = f"the model has no operator {first_of(unused)}: your translation is not used"
        others = sorted(self._looked_up)
        alike = get_close_matches(unused[0], others) or others
        help_ = f"remove it, or use a name of the model: {first_of(alike)}"
        warnings.warn(UsageWarning(ErrorCode.U326, message, help=help_), stacklevel=2)


def called(function: Callable[..., Any], *args: object) -> Expr | list[Expr]:
    """Return the results of a user's translation function: an expression, or several.

    Raises `F057` if it raises an exception that is not Relay's, or returns something else.
    """
    found = _result(function, args, _HELP)
    kind = type(found).__name__
    if isinstance(found, Expr):
        return found
    if isinstance(found, list | tuple):
        items = cast("Sequence[object]", found)
        results = [each for each in items if isinstance(each, Expr)]
        if len(results) == len(items):
            return results
    raise _failed(function, f"returned {kind} instead of expressions", _HELP)


def store(table: dict[_Key, _Translation], key: _Key, name: str, function: _Translation) -> None:
    """Store the translation of an operator in an importer's table.

    A function of a user replaces one that a user stored before, such as the same function when a
    cell of a notebook runs again. Raises `F057` if it would replace a translation of Relay.
    """
    known = table.get(key)
    if known is not None and _is_own(known):
        assert not _is_own(function), f"{name} is declared twice"
        help_ = "register it under the name of your own operator"
        raise _failed(function, f"is for '{name}', which Relay translates already", help_)
    table[key] = _reported(function)


def _is_own(translation: Callable[..., Any]) -> bool:
    return translation.__module__.partition(".")[0] == __name__.partition(".")[0]


def _reported(translation: _Translation) -> _Translation:
    """Return the function to store in an importer's table for a translation.

    A function of a user, one outside of Relay, raises `F057` if it fails. Relay's own functions
    are stored as they are.
    """
    if _is_own(translation):
        return translation

    @wraps(translation)
    def reported(*args: object) -> object:
        found = _result(translation, args, _HELP_REGISTERED)
        if found is None:
            raise _failed(translation, "returned None, not expressions", _HELP_REGISTERED)
        return found

    return cast("_Translation", reported)


def _result(function: Callable[..., Any], args: Sequence[object], help: str) -> object:
    """Return the result of a user's function; raises `F057` for its errors that are not Relay's.

    Relay's own errors get a note with the line of the function.
    """
    try:
        return function(*args)
    except RelayError as error:
        error.notes = (*error.notes, *(f"in your function, {line}" for line in _lines(error)))
        if error.code in (ErrorCode.F020, ErrorCode.F023):
            error.help = _HELP_ABSENT
        raise
    except Exception as error:
        problem = f"raised {type(error).__name__}: {error}"
        raise _failed(function, problem, help, _lines(error)) from error


def _failed(
    function: Callable[..., Any], problem: str, help: str, lines: Sequence[str] = ()
) -> RelayImportError:
    name = getattr(function, "__name__", repr(function))
    message = f"your translation function {name} {problem}"
    return RelayImportError(ErrorCode.F057, message, notes=lines, help=help)


def _lines(error: Exception) -> Sequence[str]:
    """Return the line of the user's function that failed; nothing if its arguments do not fit."""
    inner = extract_tb(error.__traceback__)[1:2]  # the first line is the call of the function
    return [f"at {each.filename}:{each.lineno}: {each.line}" for each in inner]

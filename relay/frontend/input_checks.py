"""Checks of the names of a model's inputs, which all importers share."""

from collections import Counter
from collections.abc import Collection, Iterable

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


def check_distinct(names: Iterable[str], span: Span, what: str = "inputs") -> None:
    """Raise `F012` if two inputs, or other parts of a model, have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        message = f"two {what} of the model have the name '{twice[0]}'"
        raise RelayImportError(ErrorCode.F012, message, span=span)


def check_known(given: Iterable[str], inputs: Collection[str], span: Span) -> None:
    """Raise `F019` if a shape is given for a name that no input has."""
    for name in given:
        if name not in inputs:
            known = ", ".join(inputs)
            message = f"a shape is given for the input '{name}', but the inputs are {known}"
            raise RelayImportError(ErrorCode.F019, message, span=span)

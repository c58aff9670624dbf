"""Checks of the names and shapes of a model's inputs, which all importers share."""

from collections import Counter
from collections.abc import Collection, Iterable, Sized

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


def check_shape(name: str, declared: Sized | None, given: Sized | None, span: Span) -> None:
    """Raise `F013` if no shape of an input is known, `F014` if the given one has another rank."""
    if declared is None and given is None:
        message = f"the shape of the input '{name}' is not known"
        help_ = f"specify it: shapes={{'{name}': …}}"
        raise RelayImportError(ErrorCode.F013, message, span=span, help=help_)
    if declared is not None and given is not None and len(declared) != len(given):
        message = (
            f"the shape given for the input '{name}' has rank {len(given)}, but the model declares "
            f"rank {len(declared)}"
        )
        raise RelayImportError(ErrorCode.F014, message, span=span)

"""Create errors of NumPy's functions with a suggested alternative."""

from collections.abc import Collection, Sequence
from inspect import Parameter, Signature

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


def mistake(code: ErrorCode, message: str, span: Span | None, help: str) -> RelayImportError:
    """Return an import error with a message, a location and a suggested alternative."""
    return RelayImportError(code, message, span=span, help=help)


_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def argument_mismatch(
    name: str, shape: Signature, args: Sequence[object], named: Collection[str]
) -> str:
    """Return how the arguments of a call do not match the parameters of the function `name`.

    `named` are the parameters passed by name. The first of these cases is reported:

    1. A named parameter does not exist.
    2. There are more positional arguments than such parameters.
    3. A parameter is passed by position and by name.
    4. An argument is missing.
    """
    params = shape.parameters
    ordered = [key for key, each in params.items() if each.kind in _BY_POSITION]
    kinds = [each.kind for each in params.values()]
    unknown = [key for key in named if key not in params]
    twice = [key for key in ordered[: len(args)] if key in named]
    if unknown and Parameter.VAR_KEYWORD not in kinds:
        return f"the function {name} has no parameter {unknown[0]}"
    if len(args) > len(ordered) and Parameter.VAR_POSITIONAL not in kinds:
        takes = f"{len(ordered)} argument{'s' if len(ordered) != 1 else ''}"
        by_position = " by position" if len(ordered) < len(params) else ""
        passed = f"{len(args)} {'were' if len(args) != 1 else 'was'} passed"
        return f"the function {name} takes {takes}{by_position}, but {passed}"
    if twice:
        return f"the function {name} gets its parameter {twice[0]} twice: by position and by name"
    given = {*ordered[: len(args)], *named}
    missing = [
        key
        for key, each in params.items()
        if key not in given and each.default is each.empty and each.kind not in _VARIADIC
    ]
    return f"the call of {name} lacks the argument{'s' * (len(missing) > 1)} {', '.join(missing)}"

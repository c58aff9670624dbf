"""The error for operators that an importer has no translation for."""

import re
from collections.abc import Mapping, Sequence

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_SHOWN = 5  # the limit of locations that a note lists for an operator

_RANDOM = re.compile(
    r"random|\brand|\brng|bernoulli|multinomial|dropout|truncatednormal|rrelu_with_noise"
    r"|::normal|prims::uniform|fractional_max_pool",
    re.IGNORECASE,
)
"""The names of operators that draw random numbers."""

_RANDOM_NOTE = "random numbers are not drawn in the program: make them an input of the model"


def not_supported(
    missing: Mapping[str, Sequence[str]],
    help: str,
    span: Span | None = None,
    what: str = "operators",
) -> RelayImportError:
    """Return the error `F010` for operators by name, each with the places that use it.

    >>> print(not_supported({"Fft": ["node 'a'", "node 'b'"]}, "write it yourself"))
    error[F010]: 1 operators of this model are not supported: Fft
       = note: Fft: 2 × (node 'a', node 'b')
       = help: write it yourself
    """
    names = sorted(missing)
    notes = [usage(name, missing[name]) for name in names]
    if any(map(_RANDOM.search, names)):
        notes.append(_RANDOM_NOTE)
    message = f"{len(names)} {what} of this model are not supported: {', '.join(names)}"
    return RelayImportError(ErrorCode.F010, message, span=span, notes=notes, help=help)


def usage(name: str, places: Sequence[str]) -> str:
    """Return a line of text with a name, how often it is used, and the first of `places`."""
    shown = ", ".join(places[:_SHOWN]) + (", …" if len(places) > _SHOWN else "")
    return f"{name}: {len(places)} × ({shown})"

"""The error for operators that an importer has no translation for."""

import re
from collections.abc import Iterable, Mapping, Sequence

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.node import value
from relay.support.span import Span

_SHOWN = 5  # the limit of locations that a note lists for an operator

_RANDOM = re.compile(
    r"random|\brand|\brng|bernoulli|multinomial|dropout|truncatednormal|rrelu_with_noise"
    r"|::normal|prims::uniform|fractional_max_pool",
    re.IGNORECASE,
)
"""The names of operators that draw random numbers."""

_RANDOM_NOTE = "random numbers are not drawn in the program: pass them as an input of the model"


@value
class Door:
    """How users pass their translations to an importer, for advice in error messages.

    `call` is the text of a call of the importer up to the argument for translations, `arguments`
    the names of a translation's parameters, and `option` the option of `relay ops` that lists the
    importer's operators, if there is one.
    """

    call: str
    arguments: str
    option: str = ""

    def help(self, missing: Iterable[str]) -> str:
        """Return how to supply the translation of the first of some unsupported operators.

        >>> print(Door("from_tflite(model, op_converter", "inputs, options").help({"FFT"}))
        pass a translation, a function f(inputs, options) that returns an expression: \
from_tflite(model, op_converter={"FFT": f})
        """
        listed = f"; `relay ops {self.option}` lists what is supported" if self.option else ""
        return (
            f"pass a translation, a function f({self.arguments}) that returns an expression:"
            f' {self.call}={{"{min(missing)}": f}}){listed}'
        )


def custom_help(name: str, what: str = "operator") -> str:
    """Return how to replace the translation of an operator, or of a layer's class, by name.

    >>> custom_help("slice")
    'pass a translation of the operator, a function f that returns an expression: \
custom_convert_map={"slice": f}'
    """
    return (
        f"pass a translation of the {what}, a function f that returns an expression: "
        f'custom_convert_map={{"{name}": f}}'
    )


def not_supported(
    missing: Mapping[str, Sequence[str]],
    help: str,
    span: Span | None = None,
    what: str = "operators",
    notes: Sequence[str] = (),
) -> RelayImportError:
    """Return the error `F010` for operators by name, each with the places that use it.

    `notes` are more notes.

    >>> print(not_supported({"Fft": ["node 'a'", "node 'b'"]}, "write it yourself"))
    error[F010]: 1 operator of this model is not supported: Fft
       = note: Fft: 2 × (node 'a', node 'b')
       = help: write it yourself
    """
    names = sorted(missing)
    said = [usage(name, missing[name]) for name in names]
    if any(map(_RANDOM.search, names)):
        said.append(_RANDOM_NOTE)
    said.extend(notes)
    are = f"{what} of this model are" if len(names) != 1 else f"{what.rstrip('s')} of this model is"
    message = f"{len(names)} {are} not supported: {', '.join(names)}"
    return RelayImportError(ErrorCode.F010, message, span=span, notes=said, help=help)


def usage(name: str, places: Sequence[str]) -> str:
    """Return a line of text with a name, how often it is used, and the first of `places`."""
    return f"{name}: {len(places)} × ({first_of(places)})"


def first_of(names: Sequence[str]) -> str:
    """Return the first of some names, separated by commas.

    >>> first_of(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d, e, …'
    """
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")

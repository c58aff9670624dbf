"""What Relay says when a program, a file or an argument is wrong.

Every error that a user can cause is a `RelayError`: a code that `relay explain` knows, one
sentence, the place, notes on where the two sides came from, and one line of help. Anything else
that escapes is a defect of Relay.
"""

import re
from collections.abc import Sequence

from relay.support.error_codes import ErrorCode
from relay.support.span import Span

MOST_OTHERS = 50  # mistakes beside the first; who mends so many reads the rest the next time

LINE = 160  # characters of a line that are quoted

WORD = 200  # characters of a word that are quoted

_LONG_WORD = re.compile(rf"(\S{{{WORD // 2}}})\S{{{WORD // 2},}}")


class RelayError(Exception):
    """A mistake that the user can act on.

    `code` is a letter for the phase and three digits (`T012`); `docs/errors.md` has a section for
    each. `span` may be filled in later, by a caller that knows where the trouble stands (`at`).
    """

    phase = "error"
    severity = "error"

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        span: Span | None = None,
        notes: Sequence[str] = (),
        help: str | None = None,
    ) -> None:
        self.message = _shortened(message)
        super().__init__(self.message)
        self.code = code
        self.span = span
        self.notes = tuple(notes)
        self.help = help
        self.others: tuple[RelayError, ...] = ()

    def at(self, span: Span | None) -> "RelayError":
        """Record where the error stands unless that is known already; return the error."""
        if self.span is None:
            self.span = span
        return self

    def together_with(self, others: "Sequence[RelayError]") -> "RelayError":
        """Report other mistakes along with this one, the first of them; return the error."""
        self.others = (*self.others, *others)[:MOST_OTHERS]
        return self

    def __str__(self) -> str:
        return "\n\n".join(map(render, (self, *self.others)))


class RelaySyntaxError(RelayError):
    """`P…`: a text that is not a program."""

    phase = "syntax"


class RelayTypeError(RelayError):
    """`T…`: a program whose types do not fit."""

    phase = "types"


class ElementTypeError(RelayTypeError):
    """A `T102`: arguments of different element types, where a number may be written otherwise."""


class TypeWarning(RelayTypeError, UserWarning):  # noqa: N818 - it is none
    """A `T…` that stops nothing: a program that can be run, but hardly as it was meant.

    Python's `warnings` carries it.
    """

    severity = "warning"


class OpenSizeError(RelayTypeError):
    """An operator's formula that depends on a size, where the size is open: wants it known."""


class RelayImportError(RelayError):
    """`F…`: a model file that cannot be read or translated."""

    phase = "frontend"


class CompileError(RelayError):
    """`C…`: a program that cannot be compiled for a target."""

    phase = "compile"


class DifferentiationError(RelayError):
    """`D…`: a program that cannot be differentiated, or not by what is asked for."""

    phase = "differentiation"


class RunError(RelayError):
    """`R…`: arguments that do not fit an executable, or a trap while it runs."""

    phase = "run"


_OF_SIZES = {
    ErrorCode.T002: ErrorCode.R053,
    ErrorCode.T003: ErrorCode.R009,
    ErrorCode.T103: ErrorCode.R056,
}
"""What it is called when a size turns out to be negative, or more than can be counted, or when an
axis that is computed is none of those that there are."""


def stopped_by(error: RelayTypeError) -> RunError:
    """Return why a program stops whose operator turns out not to fit, now that sizes are known."""
    code = _OF_SIZES.get(error.code, ErrorCode.R054)
    return RunError(code, error.message, span=error.span, notes=error.notes)


class ArtefactError(RelayError):
    """`A…`: a saved file that is damaged, too new, or for another machine."""

    phase = "artefact"


class UsageError(RelayError):
    """`U…`: a command or an API call that asks for something that is not there."""

    phase = "usage"


class UsageWarning(UsageError, UserWarning):  # noqa: N818 - it is none
    """A `U…` that stops nothing. Python's `warnings` carries it."""

    severity = "warning"


class MissingName(UsageError, AttributeError):  # noqa: N818 - says what is wrong
    """A `U…` where an attribute is asked for: to `hasattr`, it is not there."""


class MissingModule(UsageError, ImportError):  # noqa: N818 - says what is wrong
    """A `U…` where a module is imported."""


def missing(name: str, instead: str) -> MissingName:
    """Return a `U072`: the classic language had that name; `instead` says what to do."""
    return MissingName(ErrorCode.U072, f"there is no {name}", help=instead)


def render(error: RelayError) -> str:
    """Draw an error in plain text: headline, source line with carets, notes, help."""
    lines = [f"{error.severity}[{error.code}]: {error.message}"]
    if error.span is not None:
        lines += _quote(error.span)
    lines += [f"   = note: {_shortened(note)}" for note in error.notes]
    if error.help is not None:
        lines.append(f"   = help: {_shortened(error.help)}")
    return "\n".join(lines).encode(errors="replace").decode()  # half a character cannot be written


def _shortened(text: str) -> str:
    """Return a text in which no word is so long that it hides the others."""
    return _LONG_WORD.sub(r"\1…", text) if len(text) > WORD else text


def _quote(span: Span) -> list[str]:
    """Quote the line and mark the range in it; of a long line only what is around the range."""
    lines = [f"  --> {span}"]
    text = span.source.line(span.line).replace("\t", " ")  # one column, as the span counts
    if text:
        start = max(0, span.column - 1 - LINE // 2) if len(text) > LINE else 0
        shown = text[start : start + LINE]
        column = span.column - start
        end = span.end_column - start if span.end_line == span.line else len(shown) + 1
        carets = "^" * max(1, min(end, len(shown) + 1) - column)
        lines += [f"   |   {shown}", f"   |   {' ' * (column - 1)}{carets}"]
    return lines

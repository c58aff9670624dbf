"""Classes of errors that users can cause: invalid programs, files and arguments.

Every error that a user can cause is a `RelayError`: it has a code that `relay explain` describes, a
message of one sentence, the source span, notes on where the conflicting values come from, and one
line of help. Any other exception is a defect of Relay.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from relay.support.error_codes import ErrorCode
from relay.support.importer_error_help import IMPORT_HELP
from relay.support.late_binding import module_above
from relay.support.run_time_error_help import RUN_HELP
from relay.support.span import Span

MOST_OTHERS = 50  # errors beyond the first; later runs show the rest

LINE = 160  # characters of a quoted line

WORD = 200  # characters of a quoted word

SENTENCE = 2000  # characters of a message, a note or a help: a type may be megabytes long

_LONG_WORD = re.compile(rf"(\S{{{WORD // 2}}})\S{{{WORD // 2},}}")


class RelayError(Exception):
    """An error that the user can fix.

    `code` is a letter for the phase and three digits (`T012`); `relay/cli/errors.md` has a section
    for each. `span` may be set later, by a caller that knows the source location (`at`).
    """

    phase = "error"
    severity = "error"
    default_help: ClassVar[Mapping[ErrorCode, str]] = {}
    """The help of errors that are raised without one, by code."""

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
        self.help = help or self.default_help.get(code)
        self.others: tuple[RelayError, ...] = ()

    def at(self, span: Span | None) -> "RelayError":
        """Set the source span if the error has none yet, and return the error."""
        if self.span is None:
            self.span = span
        return self

    def together_with(self, others: "Sequence[RelayError]") -> "RelayError":
        """Attach `others`, errors that are reported together with this one; return it."""
        self.others = (*self.others, *others)[:MOST_OTHERS]
        return self

    def __str__(self) -> str:
        return "\n\n".join(map(render, (self, *self.others)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of the error for pickle, which sends it from one process to another."""
        return _unpickled, (type(self), self.message), self.__dict__

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows for this error; IPython calls this method."""
        lines: list[str] = module_above("relay.support.tracebacks").rendered(self)
        return lines


def _unpickled(cls: type[RelayError], message: str) -> RelayError:
    """Return an error without its attributes, which pickle restores, whatever `__init__` takes."""
    return cls.__new__(cls, message)


class RelaySyntaxError(RelayError):
    """A `P…` error: the text is not a program."""

    phase = "syntax"


class RelayTypeError(RelayError):
    """A `T…` error: types in the program do not match."""

    phase = "types"


class DynamicShapeError(RelayTypeError, TypeError):
    """The error `T006`: a shape that has dynamic sizes was requested as numbers."""


class TwoTypesError(RelayTypeError, ValueError):
    """The error `T014`: a variable was declared with both a type and a shape."""


class ElementTypeError(RelayTypeError):
    """A `T102` error about different element types, which rewriting a number literal may fix."""


class TypeWarning(RelayTypeError, UserWarning):  # noqa: N818 - it is none
    """A `T…` warning: the program is valid, but probably does not do what was intended.

    It is issued by Python's `warnings`.
    """

    severity = "warning"


class OpenSizeError(RelayTypeError):
    """The error that an operator's formula requires a static size, but the size is dynamic."""


class RelayImportError(RelayError):
    """An `F…` error: the model file cannot be read or translated.

    If no help is passed, the default help of the error code is used.
    """

    phase = "frontend"
    default_help = IMPORT_HELP


class CompileError(RelayError):
    """A `C…` error: the program cannot be compiled for the target."""

    phase = "compile"


class DifferentiationError(RelayError):
    """A `D…` error: the program cannot be differentiated in the requested way."""

    phase = "differentiation"


class RunError(RelayError):
    """An `R…` error: invalid arguments for an executable, or a trap of the running program.

    If no help is passed, the default help of the error code is used.
    """

    phase = "run"
    default_help = RUN_HELP


_OF_SIZES = {
    ErrorCode.T002: ErrorCode.R053,
    ErrorCode.T003: ErrorCode.R009,
    ErrorCode.T103: ErrorCode.R056,
}
"""The run-time code for each type error that may be found only when sizes are known.

These are a negative size, a size too large to represent, and a computed axis out of range.
"""


def as_run_error(error: RelayTypeError) -> RunError:
    """Return the run-time error for a type error that shows only once sizes are known."""
    code = _OF_SIZES.get(error.code, ErrorCode.R054)
    return RunError(code, error.message, span=error.span, notes=error.notes)


class ArtefactError(RelayError):
    """An `A…` error: a saved file is damaged, of a newer version, or for another target."""

    phase = "artefact"


class UsageError(RelayError):
    """A `U…` error: a command or an API call requests something that does not exist."""

    phase = "usage"


class UsageWarning(UsageError, UserWarning):  # noqa: N818 - it is none
    """A `U…` warning, issued by Python's `warnings`."""

    severity = "warning"


class MissingName(UsageError, AttributeError):  # noqa: N818 - says what is wrong
    """A `U…` error for a missing attribute; `hasattr` returns False."""


class MissingModule(UsageError, ImportError):  # noqa: N818 - says what is wrong
    """A `U…` error for an import of a module that does not exist."""


class NoMethodError(UsageError, NotImplementedError):
    """The error `U071`: a visitor class has no method for a kind of node."""


def missing(name: str, instead: str, owner: str = "TVM") -> MissingName:
    """Return a `U072` error for a name that only another project has; `instead` is its help."""
    message = f"Relay does not have {name}, which {owner} has"
    return MissingName(ErrorCode.U072, message, help=instead)


def render(error: RelayError) -> str:
    """Return an error as plain text: headline, source line with carets, notes, help."""
    lines = [f"{error.severity}[{error.code}]: {error.message}"]
    if error.span is not None:
        lines += _quote(error.span)
    lines += [f"   = note: {_shortened(note)}" for note in error.notes]
    if error.help is not None:
        lines.append(f"   = help: {_shortened(error.help)}")
    return "\n".join(lines).encode(errors="replace").decode()  # lone surrogates


def _shortened(text: str) -> str:
    """Return a text with very long words truncated and, if it is very long, its middle omitted."""
    short = _LONG_WORD.sub(r"\1…", text) if len(text) > WORD else text
    if len(short) <= SENTENCE:
        return short
    half = SENTENCE // 2
    return f"{short[:half]} … {short[-half:]}"


def _quote(span: Span) -> list[str]:
    """Return the source location, the source line, and a line of carets below the span.

    A long source line is cut to the part around the span.
    """
    lines = [f"  --> {span}"]
    text = span.source.line(span.line).replace("\t", " ")  # a tab is one column
    if text:
        start = max(0, span.column - 1 - LINE // 2) if len(text) > LINE else 0
        shown = text[start : start + LINE]
        column = span.column - start
        end = span.end_column - start if span.end_line == span.line else len(shown) + 1
        carets = "^" * max(1, min(end, len(shown) + 1) - column)
        lines += [f"   |   {shown}", f"   |   {' ' * (column - 1)}{carets}"]
    return lines

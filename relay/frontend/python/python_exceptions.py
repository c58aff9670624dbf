"""Convert exceptions that Python raises during a trace to errors at the user's line."""

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_DEEP = 30
"""How many frames of user functions distinguish endless recursion from deeply nested values."""


@contextmanager
def reported(trace: Any) -> Generator[None]:
    """Convert exceptions raised in the body to `RelayError`s with a code and a source location."""
    try:
        yield
    except RelayError as error:
        if error.span is None:
            raise error.at(_place(trace, error.__traceback__)) from None
        raise
    except NameError as error:
        raise _of_name(trace, error) from None
    except RecursionError as error:
        if len(_frames(trace, error.__traceback__)) < _DEEP:
            what = (
                "this value nests tuples, lists or calls more deeply than Python's recursion "
                "limit, "
                f"{sys.getrecursionlimit()}"
            )
            raise mistake(
                ErrorCode.T040,
                what,
                _place(trace, error.__traceback__),
                "represent the nested values by a recursive @relay.data class",
            ) from None
        what = "a function calls itself, directly or through others, so tracing it does not end"
        raise mistake(
            ErrorCode.F103,
            what,
            trace.home,
            "decorate the function that calls itself: @relay.function above def",
        ) from None
    except Exception as error:
        if not _is_of_user(error.__traceback__):
            raise
        raise _of_python(error, _place(trace, error.__traceback__)) from None


def _frames(trace: Any, at: TracebackType | None) -> list[TracebackType]:
    found: list[TracebackType] = []
    while at is not None:
        if at.tb_frame.f_code.co_filename in trace.codes and trace.unit.is_own_code(
            at.tb_frame.f_code
        ):
            found.append(at)
        at = at.tb_next
    return found


def _place(trace: Any, at: TracebackType | None) -> Span:
    """Return the location of the innermost frame that belongs to the user's code."""
    for each in reversed(_frames(trace, at)):
        span = trace.span_of(each.tb_frame.f_code, each.tb_lasti)
        if span is not None:
            return span
    return trace.home


_CALLING = tuple(
    f"/hooks/{name}_hooks.py" for name in ("access", "branch", "call", "comparison", "control_flow")
)
"""The files of this package that call functions of the user."""


def _is_of_user(at: TracebackType | None) -> bool:
    """Whether an exception was raised by the user's code or by libraries that it calls."""
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    file = "" if at is None else at.tb_frame.f_code.co_filename.replace("\\", "/")
    return "/relay/frontend/" not in file or file.endswith(_CALLING)


def _of_name(trace: Any, error: NameError) -> RelayError:
    found = re.search(r"'(\w+)'", str(error))
    span, name = (
        _place(trace, error.__traceback__),
        error.name or (found[1] if found else str(error)),
    )
    if name in trace.lost:
        lost = trace.lost[name]
        return mistake(
            ErrorCode(lost.code),
            lost.message,
            span if lost.code == ErrorCode.F109 else lost.span or span,
            lost.help or "",
        )
    if (
        isinstance(error, UnboundLocalError)
        or "free variable" in str(error)
        or "local variable" in str(error)
    ):
        what = (
            f"{name} has no value yet: the function assigns {name} elsewhere, which makes it a "
            "local variable in the whole function"
        )
        return mistake(
            ErrorCode.F109, what, span, f"assign {name} before this line, or use another name"
        )
    return mistake(
        ErrorCode.F108, f"{name} is not defined", span, "assign it first, or check its spelling"
    )


def _of_python(error: Exception, span: Span) -> RelayError:
    """Return the error for an exception that Python raised while it computed with known values."""
    said = str(error)
    match error:
        case ValueError() | TypeError() if "unpack" in said:
            return mistake(
                ErrorCode.F126,
                f"the number of names on the left differs from the number of values: {said}",
                span,
                "write as many names on the left as there are values",
            )
        case AttributeError():
            return mistake(ErrorCode.F132, said, span, "check the spelling of the attribute")
        case IndexError() | KeyError():
            return mistake(
                ErrorCode.F121,
                f"{type(error).__name__}: {said}",
                span,
                "check the index against the length of the list, or the key against those of "
                "the dictionary",
            )
        case TypeError() if "argument" in said:
            return mistake(
                ErrorCode.F118,
                said,
                span,
                "pass the arguments that the function's parameters require",
            )
        case _:
            return mistake(
                ErrorCode.F112,
                f"{type(error).__name__}: {said}",
                span,
                "correct this expression: Python evaluates it before the program runs, and it "
                "fails",
            )

"""What type rules take for granted of sizes that are known only at run time.

A rule that needs two sizes to be equal gives symbolic ones the benefit of the doubt. Whoever
compiles such a program asks what was doubtful, and has the program test it. Where sizes broadcast,
one may be 1 as well: that they are equal is true only once a pass has made them so
(`relay.transform.stretch`).
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from relay.ir.dims import ANY, Dim
from relay.support.node import Value, value


@value
class Assumption(Value):
    """Two sizes that a rule takes to be equal; with `at_least`, the left one not to be smaller.

    With `broadcasts`, sizes of which one is 1 would do as well, if it were known which. `what` says
    which sizes they are; `said` is all that is said where they differ, if the rule knows better:
    with `{size}` for the left one and `{index}` for the right one.
    """

    left: Dim
    right: Dim
    at_least: bool = False
    broadcasts: bool = False
    what: str = ""
    said: str = ""

    def text(self, operator: str) -> str:
        """Return what is said where it does not hold: `{size}` is left, `{index}` right.

        `operator` is the name of the one whose rule takes it for granted.
        """
        if self.said:
            return self.said
        parts = [operator, self.what.replace("{", "{{").replace("}", "}}")]
        whose = ": ".join(filter(None, parts))
        if self.at_least:
            return f"{whose}: a size is {{size}} where at least {{index}} is needed"
        if self.broadcasts:
            return f"{whose}: sizes {{size}} and {{index}} do not broadcast"
        return f"{whose}: expected {{size}}, found {{index}}"


_noted: ContextVar[list[Assumption] | None] = ContextVar("assumptions", default=None)
_doubting: ContextVar[bool] = ContextVar("doubting", default=False)


@contextmanager
def assuming() -> Generator[list[Assumption]]:
    """Collect what type rules take for granted; different names may then stand for one size."""
    found: list[Assumption] = []
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


@contextmanager
def doubting() -> Generator[None]:
    """Let different names meet where sizes broadcast, without a word on what comes out."""
    token = _doubting.set(True)
    try:
        yield
    finally:
        _doubting.reset(token)


def is_doubting() -> bool:
    """Whether different names may meet, and nothing is known of the size that they give."""
    return _doubting.get()


@contextmanager
def unheard() -> Generator[None]:
    """Let rules take for granted what they may now, but have nobody hear of it."""
    token = _noted.set(None if _noted.get() is None else [])
    try:
        yield
    finally:
        _noted.reset(token)


def assume(
    left: Dim,
    right: Dim,
    what: str = "",
    *,
    at_least: bool = False,
    broadcasts: bool = False,
    said: str = "",
) -> bool:
    """Note an assumption, if somebody collects them; return whether somebody does."""
    found = _noted.get()
    if found is not None and left != right and ANY not in (left, right):
        found.append(Assumption(left, right, at_least, broadcasts, what, said))
    return found is not None

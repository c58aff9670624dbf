"""Pass contexts: which optional passes run, by level and by name."""

from collections.abc import Collection, Mapping
from contextvars import ContextVar, Token
from reprlib import repr as short
from typing import Self, cast

import numpy as np

from relay.ir.validation import require_name
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError, UsageError
from relay.transform.config import MAX_DEPTH, OPTIONS, checked
from relay.transform.instruments import (
    ACTIVE,
    PassInstrument,
    enter_all,
    exit_all,
    instruments_of,
)
from relay.transform.pipeline import Pass

HIGHEST = 3
"""The level at which everything runs that keeps the meaning of a program."""

CLASSIC: Mapping[str, str] = {
    "AlterOpLayout": "ConvertLayout",
    "BackwardFoldScaleAxis": "FoldScale",
    "DeadCodeElimination": "ToGraphForm",
    "EliminateCommonSubexpr": "EliminateCommonSubexpressions",
    "FoldConstant": "FoldConstants",
    "FoldScaleAxis": "FoldScale",
    "ForwardFoldScaleAxis": "FoldScaleForward",
    "FuseOps": "FuseOperators",
    "ToGraphNormalForm": "ToGraphForm",
}
"""What our passes are called that do the work of classic ones."""


class PassContext:
    """What compilations do inside of a `with` block, where their caller does not say.

    Level 0 runs what a program cannot do without, each operator a kernel of its own; 1 inlines
    calls and gathers operators into kernels; 2 simplifies; 3, the default, does everything, and so
    does 4, which once traded accuracy for speed (`fast_math` says that now).
    `required_pass` names passes that run whatever the level, `disabled_pass` those that do not,
    unless a program needs them; classic names stand for ours. `config` has options of single passes
    by their classic keys (`relay.transform.config`), `instruments` look on while passes run
    (`relay.transform.instruments`). Raises `U062` for an option that there is not, `U060` for a
    level that is none, and `U075` for what is no instrument.

    >>> with PassContext(opt_level=1):
    ...     PassContext.current().opt_level
    1
    >>> PassContext.current().opt_level
    3
    """

    def __init__(
        self,
        opt_level: int = HIGHEST,
        required_pass: Collection[str] | None = None,
        disabled_pass: Collection[str] | None = None,
        instruments: Collection[PassInstrument] | None = None,
        config: Mapping[str, object] | None = None,
    ) -> None:
        if not isinstance(opt_level, int | np.integer) or not 0 <= opt_level <= 4:  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            raise UsageError(
                ErrorCode.U060,
                f"there is no optimisation level {opt_level}",
                help="use 0 for what is needed to run, up to 3 for everything",
            )
        self.opt_level = opt_level
        self.required_pass = _ours_of("required_pass", required_pass)
        self.disabled_pass = _ours_of("disabled_pass", disabled_pass)
        self.config = checked(config)
        self.instruments = instruments_of(instruments)
        self._tokens: list[Token[PassContext]] = []
        self._active: list[Token[tuple[PassInstrument, ...]]] = []

    @staticmethod
    def current() -> "PassContext":
        """Return the innermost context of this thread; that of level 3 outside of all."""
        return _CURRENT.get()

    @property
    def largest_kernel(self) -> int | None:
        """Return how many operators a kernel may have at most, if that is said."""
        found = self.config.get(MAX_DEPTH)
        return found if isinstance(found, int) else None

    @staticmethod
    def list_configs() -> dict[str, str]:
        """Return the options of single passes, with the names of their types."""
        return {key: kind.__name__ for key, kind in OPTIONS.items()}

    def runs(self, each: Pass, level: int) -> bool:
        """Whether a pass of that level is to run; what has level 0 always does."""
        return level == 0 or self.wants(type(each).__name__, level)

    def wants(self, name: str, level: int) -> bool:
        """Whether a pass of that name and level is to run where nothing needs it."""
        ours = _ours(name)
        if ours in self.required_pass:
            return True
        return level <= self.opt_level and ours not in self.disabled_pass

    def override_instruments(self, instruments: Collection[PassInstrument] | None) -> None:
        """Let other instruments look on from now on: the present ones end, and these begin."""
        exit_all(self.instruments)
        self.instruments = ()
        new = instruments_of(instruments)
        enter_all(new)
        self.instruments = new
        if self is _CURRENT.get():
            ACTIVE.set(new)

    def __enter__(self) -> Self:
        """Make this the context of the block; instruments begin.

        If one fails, those that have begun end, and the context has none.
        """
        try:
            enter_all(self.instruments)
        except BaseException:
            self.instruments = ()
            raise
        self._tokens.append(_CURRENT.set(self))
        self._active.append(ACTIVE.set(self.instruments))
        return self

    def __exit__(self, *_: object) -> None:
        """Go back to the context around it; instruments end."""
        _CURRENT.reset(self._tokens.pop())
        ACTIVE.reset(self._active.pop())
        ended, self.instruments = self.instruments, ()
        exit_all(ended)
        self.instruments = ended


def _ours_of(what: str, names: object) -> frozenset[str]:
    """Return our names of passes; raises `T007` for what does not list names."""
    if names is None:
        return frozenset()
    several = cast("Collection[str]", names)
    if isinstance(names, str) or not isinstance(names, Collection):
        message, help_ = f"{what} lists names, it is not {short(several)}", f'{what}=["FuseOps"]'
        raise RelayTypeError(ErrorCode.T007, message, help=help_)
    for name in several:
        require_name(f"a name in {what}", name)
    return frozenset(map(_ours, several))


def _ours(name: str) -> str:
    return CLASSIC.get(name, name)


_CURRENT: ContextVar[PassContext] = ContextVar("relay pass context", default=PassContext())  # noqa: B039 - never changed

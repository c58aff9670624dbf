"""Pass contexts: select the optional passes that run, by level and by name."""

from collections.abc import Collection, Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

import numpy as np

from relay.ir.field_validation import names_in
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError, missing
from relay.support.misspelt_options import suggests_options
from relay.transform.instruments import (
    ACTIVE,
    PassInstrument,
    enter_all,
    exit_all,
    instruments_of,
    require_passes,
)
from relay.transform.pass_options import MAX_DEPTH, OPTIONS, checked
from relay.transform.pipeline import Pass, kebab

HIGHEST = 3
"""The level at which all passes run that preserve the meaning of a program."""

SYNONYMS: Mapping[str, str] = {
    "BackwardFoldScaleAxis": "FoldScale",
    "EliminateCommonSubexpr": "EliminateCommonSubexpressions",
    "FoldConstant": "FoldConstants",
    "ForwardFoldScaleAxis": "FoldScaleForward",
    "FuseOps": "FuseOperators",
    "ToGraphNormalForm": "ToGraphForm",
}
"""TVM's names of passes that have another name here."""

REPLACEMENTS: Mapping[str, str] = {
    **SYNONYMS,
    "AlterOpLayout": "ConvertLayout",
    "DeadCodeElimination": "ToGraphForm",
    "FoldScaleAxis": "FoldScale",
}
"""The passes of a compilation that do the work of TVM's passes, which may be others by name."""

_SAME: Mapping[str, str] = {kebab(name): kebab(ours) for name, ours in SYNONYMS.items()}
_REPLACED: Mapping[str, str] = {kebab(name): kebab(ours) for name, ours in REPLACEMENTS.items()}


class PassContext:
    """The options of compilations in a `with` block, unless a caller passes its own.

    - `opt_level` selects passes. Level 0 runs only the necessary ones, with each operator in a
      separate kernel. Level 1 also inlines calls and fuses operators, and level 2 also simplifies.
      Level 3, the default, runs all passes. So does level 4, which trades accuracy for speed in
      TVM; here, the option `fast_math` does that. Raises `U060` for another level.
    - `required_pass` names passes that run at every level. They may be passes that a compilation
      does not run by itself, or passes of other packages (`relay.transform.plugin_passes`).
    - `disabled_pass` names passes that do not run even if they are required, except where a
      program needs them; without `FuseOps`, a compilation has a kernel for each operator. Both
      lists take the names of classes, command-line names (`fold-constants`), and TVM's names. For
      compilations, these also denote the passes that do the work of TVM's (`REPLACEMENTS`). Names
      of passes that users have defined concern `Sequential`. A compilation raises `U320` for an
      unknown name, and so does the end of the context.
    - `config` holds options of single passes by their keys in TVM
      (`relay.transform.pass_options`). Raises `U062` for an unknown option.
    - `instruments` observe passes (`relay.transform.instruments`). Raises `U075` for an object that
      is not an instrument.

    TVM's traces are not supported (`U072`).

    >>> with PassContext(opt_level=1):
    ...     PassContext.current().opt_level
    1
    >>> PassContext.current().opt_level
    3
    """

    @suggests_options
    def __init__(
        self,
        opt_level: int = HIGHEST,
        required_pass: Collection[str] | None = None,
        disabled_pass: Collection[str] | None = None,
        instruments: Collection[PassInstrument] | None = None,
        config: Mapping[str, object] | None = None,
        trace: None = None,
        trace_stack: None = None,
        make_traceable: None = None,
        num_evals: int = 0,
        tuning_api_database: None = None,
    ) -> None:
        if any((trace, trace_stack, make_traceable, num_evals, tuning_api_database)):
            raise missing("the traces of a PassContext", "relay tune searches for the best passes")
        if not isinstance(opt_level, int | np.integer) or not 0 <= opt_level <= 4:  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            raise UsageError(
                ErrorCode.U060,
                f"there is no optimisation level {opt_level}",
                help="choose a level from 0 (only required passes) to 4; 3, the default, runs all",
            )
        self.opt_level = opt_level
        required = _names_in("required_pass", required_pass)
        disabled = _names_in("disabled_pass", disabled_pass)
        self.required_pass = frozenset(_REPLACED.get(kebab(each), each) for each in required)
        self.disabled_pass = frozenset(_REPLACED.get(kebab(each), each) for each in disabled)
        self._required = frozenset(map(_title, required))
        self._disabled = frozenset(map(_title, disabled))
        self.config = checked(config)
        self.instruments = instruments_of(instruments)
        self._asked: set[str] = set()
        self._tokens: list[Token[PassContext]] = []
        self._active: list[Token[tuple[PassInstrument, ...]]] = []

    @staticmethod
    def current() -> "PassContext":
        """Return the innermost context of this thread, or a default context with level 3."""
        return _CURRENT.get()

    @property
    def largest_kernel(self) -> int | None:
        """Return the maximum number of operators in a kernel, if the context sets it."""
        found = self.config.get(MAX_DEPTH)
        return found if isinstance(found, int) else None

    @staticmethod
    def list_configs() -> dict[str, str]:
        """Return the options of single passes, with the names of their types."""
        return {key: kind.__name__ for key, kind in OPTIONS.items()}

    def runs(self, each: Pass, level: int) -> bool:
        """Whether a compilation runs the pass `each` with this level; with level 0, always."""
        title = kebab(type(each).__name__)
        self._asked.add(title)
        is_chosen = level <= self.opt_level or title in titles(self.required_pass)
        return level == 0 or (is_chosen and title not in titles(self.disabled_pass))

    def wants(self, name: str, level: int) -> bool:
        """Whether a `Sequential` runs an optional pass with this name and level."""
        title = _title(name)
        self._asked.add(title)
        is_chosen = level <= self.opt_level or title in self._required
        return is_chosen and title not in self._disabled

    def override_instruments(self, instruments: Collection[PassInstrument] | None) -> None:
        """Replace the instruments: the present ones end, and the new ones begin."""
        exit_all(self.instruments)
        self.instruments = ()
        new = instruments_of(instruments)
        enter_all(new)
        self.instruments = new
        if self is _CURRENT.get():
            ACTIVE.set(new)

    def __enter__(self) -> Self:
        """Make this the context of the block, and begin its instruments.

        If an instrument fails, those that have begun end, and the context has no instruments.
        """
        try:
            enter_all(self.instruments)
        except BaseException:
            self.instruments = ()
            raise
        self._tokens.append(_CURRENT.set(self))
        self._active.append(ACTIVE.set(self.instruments))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the enclosing context, and end the instruments.

        Raises `U320` for a disabled or required pass that does not exist, and that users have not
        defined.
        """
        _CURRENT.reset(self._tokens.pop())
        ACTIVE.reset(self._active.pop())
        ended, self.instruments = self.instruments, ()
        exit_all(ended)
        self.instruments = ended
        if kind is None:
            named = sorted(self.disabled_pass | self.required_pass)
            require_passes([each for each in named if kebab(each) not in self._asked])


def titles(names: Collection[str]) -> frozenset[str]:
    """Return the command-line names of passes.

    >>> sorted(titles(["FoldConstants", "lambda-lift"]))
    ['fold-constants', 'lambda-lift']
    """
    return frozenset(map(kebab, names))


def _names_in(what: str, names: object) -> Collection[str]:
    """Return the names of passes that an argument holds; the messages call the argument `what`.

    Raises `T007` for an argument that is not a list of names.
    """
    return () if names is None else names_in(what, names, f'{what}=["FuseOps"]')


def _title(name: str) -> str:
    """Return the command-line name of a pass, which may have TVM's name, too."""
    return _SAME.get(kebab(name), kebab(name))


_CURRENT: ContextVar[PassContext] = ContextVar("relay pass context", default=PassContext())  # noqa: B039 - never changed

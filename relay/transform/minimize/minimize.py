"""Delta debugging: searches for a small program that still shows a defect."""

from collections.abc import Callable, Iterator, Sequence

from relay.ir.module import Module
from relay.ir.types import FuncType, TupleType
from relay.semantics.escaping_dims import escaping_dims
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node
from relay.support.time_limit import LimitError, limited
from relay.transform.minimize.candidates import Edit
from relay.transform.minimize.shrinking_edits import SHRINKING, weight
from relay.transform.minimize.structural_edits import STRUCTURAL

EDITS: Sequence[Edit] = (*SHRINKING, *STRUCTURAL)
"""All edits; those of whole programs come first, and those of pairs of nodes last."""

TESTS = 2000
"""The default number of programs that are tested at most."""


@node
class Minimised:
    """A small program, and whether it is the smallest: no single edit gives a smaller one."""

    module: Module
    is_smallest: bool


def minimize(
    module: Module,
    fails: Callable[[Module], bool],
    *,
    tests: int = TESTS,
    seconds: float | None = None,
) -> Module:
    """Return a small well-typed module for which `fails` still holds.

    Every edit of the result makes it larger, or ill-typed, or one for which `fails` does not hold,
    unless `tests` programs were tested before, or `seconds` have passed. Raises `U322` if it does
    not hold for `module`.

    >>> from relay.frontend.text import parse
    >>> from relay.ir.walk import post_order
    >>> from relay.ops.transcendental import Tanh
    >>> from relay.semantics.infer import infer
    >>> text = "def @main(%x: Tensor[(2), float32]) { exp(tanh(%x + 1f)) * 2f }"
    >>> whole = infer(parse('#[version = "0.0.5"]' + text))
    >>> print(minimize(whole, lambda m: any(e is Tanh() for e in post_order(m.main))))
    #[version = "0.0.5"]
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
      tanh(%x)
    }
    """
    return minimised(module, fails, tests=tests, seconds=seconds).module


def minimised(
    module: Module,
    fails: Callable[[Module], bool],
    *,
    tests: int = TESTS,
    seconds: float | None = None,
) -> Minimised:
    """Return what `minimize` returns, and whether no single edit makes it smaller.

    >>> from relay.frontend.text import parse
    >>> from relay.semantics.infer import infer
    >>> whole = infer(parse('#[version = "0.0.5"] def @main(%x: int32) { negative(%x) }'))
    >>> [minimised(whole, lambda m: True, tests=count).is_smallest for count in (1, 100)]
    [False, True]
    """
    if not fails(module):
        raise UsageError(
            ErrorCode.U322,
            "the program does not show the defect, so it cannot be minimised",
            help="check that the predicate returns True for the program to minimise",
        )
    search = _Search(module, fails, tests)
    try:
        with limited(seconds):
            while any([search.edit(each) for each in EDITS]):  # noqa: C419 - make each edit
                pass
    except LimitError:
        return Minimised(search.module, is_smallest=False)
    return Minimised(search.module, search.tests > 0)


class _Search:
    """A search: the smallest program found so far, and the number of `tests` that are left."""

    def __init__(self, module: Module, fails: Callable[[Module], bool], tests: int) -> None:
        self.module = module
        self._fails = fails
        self.tests = tests
        self._has_open_results = _has_open_results(module)

    def edit(self, edit: Edit) -> bool:
        """Apply an edit wherever the defect remains; return whether the program changed."""
        changed, start = False, 0
        while (found := self._first(edit, start)) is not None:
            start, self.module = found
            changed = True
        return changed

    def _first(self, edit: Edit, start: int) -> tuple[int, Module] | None:
        """Return the first smaller program with the defect, from the edit's position `start` on.

        The result is this program and its position; None if there is none, or if no tests are left.
        """
        return next(
            (each for each in self._smaller(edit, start) if self.tests and self._shows(each[1])),
            None,
        )

    def _smaller(self, edit: Edit, start: int) -> Iterator[tuple[int, Module]]:
        least = weight(self.module)
        for position, build in edit(self.module):
            if position >= start and self.tests:
                candidate = _checked(build, least)
                if candidate is not None and self._is_readable(candidate):
                    yield position, candidate

    def _is_readable(self, module: Module) -> bool:
        """Whether a program can be printed and read back, as far as the first program can."""
        return self._has_open_results or not _has_open_results(module)

    def _shows(self, module: Module) -> bool:
        self.tests -= 1
        return self._fails(module)


def _has_open_results(module: Module) -> bool:
    """Whether a function's result has a size that its parameters do not determine (`T043`)."""
    types = (f.ty for f in module.functions.values() if isinstance(f.ty, FuncType))
    return any(escaping_dims(ty.result, TupleType(ty.params)) for ty in types)


def _checked(build: Callable[[], Module], least: int) -> Module | None:
    """Return the program that `build` makes, or None if it is ill-typed or not below `least`."""
    try:
        module = build()
        if weight(module) >= least:
            return None
        check_well_formed(module)
        check_types(module)
    except Exception:  # noqa: BLE001 - the defect may also break an edit, or a pass that it uses
        return None
    return module

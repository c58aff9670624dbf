"""Runs passes under verification, and writes small programs on which a pass fails."""

import hashlib
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.kernels.kernel_cache import default_folder
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import Value, node, value
from relay.support.progress_callback import Progress, silent
from relay.support.write_file import write_text
from relay.transform.instruments import ACTIVE, PassInfo, PassInstrument
from relay.transform.minimize.minimize import TESTS, Minimised, minimised
from relay.transform.pipeline import Pass
from relay.transform.run_passes import PassRecord, may_be_skipped, run_passes

STEPS = (20_000, 2_000_000)
"""Limits of evaluation steps: small programs may not terminate, and large ones take long."""

QUICK = 0.5
"""The time limit of a pass that does not end, in seconds, while its program is minimised."""

SMALLEST = "smallest: each smaller program that was tried runs without this error"
CUT_SHORT = "small: the search for smaller programs was cut short"

OUTSIDE = frozenset({ErrorCode.C042, ErrorCode.U321})
"""The errors that are not failures of a pass: wrong orders of passes, and wrong options."""

NAMING = frozenset({ErrorCode.C040, ErrorCode.C041, ErrorCode.C043, ErrorCode.C044})
"""The errors whose messages name the pass that is wrong."""


def run_verified(
    module: Module,
    passes: Sequence[Pass],
    *,
    check: Verifier | None = None,
    progress: Progress = silent,
    path: Path | None = None,
    may_skip: Callable[[Pass], bool] = may_be_skipped,
) -> tuple[Module, list[PassRecord]]:
    """Return the module after the passes, each of which is verified.

    Instruments may skip those for which `may_skip` is true.

    If a pass fails (`C040`, `C041`, `C043`, `C044`, or an error that it raises itself), the program
    before it is minimised to a small one on which it also fails. This is written to `path`, by
    default in the user's cache folder; notes of the error name the pass and the file. The limit of
    `check` on the time of a pass is also that of the search for the small program.
    """
    check, at = check or Verifier(values=True), 0

    def watched(stage: str, index: int, count: int) -> None:
        nonlocal at
        at = index
        progress(stage, index, count)

    try:
        return run_passes(
            module,
            passes,
            check=check,
            progress=watched,
            seconds=check.seconds,
            may_skip=may_skip,
        )
    except RelayError as error:
        if error.code not in OUTSIDE:
            failure = _Failure.of(error)
            values = check.values and error.code == ErrorCode.C041
            reproduction = _Reproduction(passes[at], failure, values, check.seconds)
            with _unobserved():
                before, _ = run_passes(module, passes[:at], may_skip=may_skip)
                error.notes = (*error.notes, *reproduction.notes(before, path))
        raise


class _Choices(PassInstrument):
    """An instrument that skips the passes that other instruments skip, and observes nothing."""

    def __init__(self, others: Sequence[PassInstrument]) -> None:
        self._others = others

    def should_run(self, mod: Module, info: PassInfo) -> bool:
        """Whether all the other instruments let a pass run."""
        return all(each.should_run(mod, info) for each in self._others)


@contextmanager
def _unobserved() -> Generator[None]:
    """Run the passes of a block without instruments, whose errors are not those of a pass."""
    others = ACTIVE.get()
    token = ACTIVE.set((_Choices(others),) if others else ())
    try:
        yield
    finally:
        ACTIVE.reset(token)


@value
class _Failure(Value):
    """The identity of a pass's failure: the code, and the class of the error's cause."""

    code: ErrorCode
    cause: type

    @staticmethod
    def of(error: RelayError) -> "_Failure":
        """Return the kind of an error."""
        return _Failure(error.code, type(error.__cause__))


@node
class _Reproduction:
    """The search for a small program on which a pass fails in the same way.

    `seconds` limit the search, a run of the pass, and an evaluation.
    """

    guilty: Pass
    failure: _Failure
    values: bool
    seconds: float | None

    def notes(self, before: Module, path: Path | None) -> Iterator[str]:
        """Yield the name of the pass that fails, and the name of a file with a small program.

        There are no notes if the pass does not fail on the module `before` it again.
        """
        is_endless = self.failure.code == ErrorCode.C044
        start = time.perf_counter()
        if not self._shows(before, None, QUICK if is_endless else self.seconds):
            return
        if self.failure.code not in NAMING:
            yield f"{self.guilty.info.name} raised this error"
        limit = QUICK if is_endless else 1.0 + 5 * (time.perf_counter() - start)
        small = self._small(before, limit)
        written = _written(small, self.guilty, path)
        if written is not None and is_endless:
            yield f"on this small program, the pass takes more than {QUICK:g} s: {written}"
        elif written is not None:
            yield f"this small program reproduces the failure: {written}"
        if not small.is_smallest:
            bound = "" if self.seconds is None else f" or {self.seconds:g} s"
            yield f"a smaller program may exist: the search ended after {TESTS} programs{bound}"

    def _small(self, module: Module, limit: float) -> Minimised:
        """Return a small program on which the pass fails like on this one, within a time limit."""
        for steps in STEPS:
            if self._shows(module, steps, limit):
                fails = partial(self._shows, steps=steps, limit=limit)
                return minimised(module, fails, seconds=self.seconds)
        return Minimised(module, is_smallest=False)

    def _shows(self, module: Module, steps: int | None, limit: float | None) -> bool:
        """Whether the pass fails like before if it and each evaluation have a time limit."""
        check = Verifier(values=self.values, most_steps=steps, seconds=limit)
        return _failure(module, self.guilty, check) == self.failure


def _failure(module: Module, each: Pass, check: Verifier) -> _Failure | None:
    """Return the kind of error that a pass causes on a module; None if it succeeds."""
    try:
        run_passes(module, [each], check=check, seconds=check.seconds)
    except RelayError as error:
        return _Failure.of(error)
    return None


def _written(small: Minimised, guilty: Pass, path: Path | None) -> Path | None:
    """Write a program, the failing pass and whether it is the smallest to a file; return its path.

    The result is None if the cache folder is read-only; raises `U015` if another file cannot be
    written.
    """
    size = SMALLEST if small.is_smallest else CUT_SHORT
    text = f"// passes: {guilty.text()}\n// {size}\n{small.module.astext()}"
    if path is None:
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        path = default_folder().parent / "failures" / f"{guilty.title()}-{digest}.rly"
        with suppress(OSError):  # the error of the pass matters more
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return path
        return None
    write_text(path, text)
    return path

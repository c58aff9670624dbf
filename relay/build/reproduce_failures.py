"""Runs passes under verification, and writes small programs on which a pass fails."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.kernels.kernel_cache import default_folder
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError
from relay.support.node import Value, value
from relay.support.progress_callback import Progress, silent
from relay.transform.minimize.minimize import Minimised, minimised
from relay.transform.pipeline import Pass, PassRecord, run_passes

STEPS = (20_000, 2_000_000)
"""Limits of evaluation steps: small programs may not terminate, and large ones take long."""

SMALLEST = "smallest: it fails no more after any edit that makes it smaller"
CUT_SHORT = "small: the search for smaller programs was cut short"

NAMING = frozenset({ErrorCode.C040, ErrorCode.C041, ErrorCode.C043})
"""The errors whose messages name the pass that is wrong."""


def run_verified(
    module: Module,
    passes: Sequence[Pass],
    *,
    check: Verifier | None = None,
    progress: Progress = silent,
    path: Path | None = None,
) -> tuple[Module, list[PassRecord]]:
    """Return the module after the passes, each of which is verified.

    If a pass fails (`C040`, `C041`, `C043`, or an error that it raises itself), the program before
    it is minimised to a small one on which it also fails. This is written to `path`, by default
    in the user's cache folder; notes of the error name the pass and the file.
    """
    check = check or Verifier(values=True)
    try:
        return run_passes(module, passes, check=check, progress=progress)
    except RelayError as error:
        if error.code != ErrorCode.C042:  # the order of the passes is wrong, and none of them
            values = check.values and error.code == ErrorCode.C041
            error.notes = (*error.notes, *_notes(module, passes, _Failure.of(error), values, path))
        raise


@value
class _Failure(Value):
    """What distinguishes failures of passes: the code, and the class of the error's cause."""

    code: ErrorCode
    cause: type

    @staticmethod
    def of(error: RelayError) -> "_Failure":
        """Return the kind of an error."""
        return _Failure(error.code, type(error.__cause__))


def _notes(
    module: Module, passes: Sequence[Pass], failure: _Failure, values: bool, path: Path | None
) -> Iterator[str]:
    """Yield the name of the pass that fails, and the name of a file with a small program."""
    before, guilty = _first_failure(module, passes, failure, values)
    if guilty is None:
        return
    if failure.code not in NAMING:
        yield f"{guilty.title()} raised this error"
    written = _written(_small(before, guilty, failure, values), guilty, path)
    if written is not None:
        yield f"this small program reproduces the failure: {written}"


def _small(module: Module, guilty: Pass, failure: _Failure, values: bool) -> Minimised:
    """Return a small program on which a pass fails like on this one."""

    def fails(candidate: Module, steps: int) -> bool:
        check = Verifier(values=values, most_steps=steps)
        return _failure(candidate, guilty, check) == failure

    for steps in STEPS:
        if fails(module, steps):
            return minimised(module, lambda m, steps=steps: fails(m, steps))
    return Minimised(module, is_smallest=False)


def _first_failure(
    module: Module, passes: Sequence[Pass], failure: _Failure, values: bool
) -> tuple[Module, Pass | None]:
    for each in passes:
        if _failure(module, each, Verifier(values=values)) == failure:
            return module, each
        module, _ = run_passes(module, [each])
    return module, None


def _failure(module: Module, each: Pass, check: Verifier) -> _Failure | None:
    """Return the kind of error that a pass causes on a module; None if it succeeds."""
    try:
        run_passes(module, [each], check=check)
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
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write '{path}': {error.strerror or error}"
        raise UsageError(ErrorCode.U015, message) from error
    return path

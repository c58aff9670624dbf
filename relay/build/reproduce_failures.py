"""Runs passes under verification, and writes small programs on which a pass fails."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.kernels.kernel_cache import default_folder
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError, UsageError
from relay.support.progress_callback import Progress, silent
from relay.transform.minimize.minimize import minimize
from relay.transform.pipeline import Pass, PassRecord, run_passes

FAILURES = frozenset({ErrorCode.C040, ErrorCode.C041, ErrorCode.C043})
"""The errors that are defects of a pass."""


STEPS = (20_000, 2_000_000)
"""Limits of evaluation steps: small programs may not terminate, and large ones take long."""


def run_verified(
    module: Module,
    passes: Sequence[Pass],
    *,
    check: Verifier | None = None,
    progress: Progress = silent,
    path: Path | None = None,
) -> tuple[Module, list[PassRecord]]:
    """Return the module after the passes, each of which is verified.

    If a pass fails (`C040`, `C041`, `C043`), the program before it is minimised to a small one on
    which it fails with the same error. This is written to `path`, by default in the user's cache
    folder, and a note of the error names the file.
    """
    check = check or Verifier(values=True)
    try:
        return run_passes(module, passes, check=check, progress=progress)
    except CompileError as error:
        if error.code not in FAILURES:
            raise
        written = _reproduced(module, passes, error.code, check.values, path)
        if written is not None:
            error.notes = (*error.notes, f"this small program reproduces the failure: {written}")
        raise


def _reproduced(
    module: Module, passes: Sequence[Pass], code: ErrorCode, values: bool, path: Path | None
) -> Path | None:
    """Return the file of a small program on which a pass fails with `code`, or None."""
    before, guilty = _first_failure(module, passes, values)
    if guilty is None:
        return None

    def fails(candidate: Module, steps: int) -> bool:
        return _code(candidate, guilty, Verifier(values=values, most_steps=steps)) == code

    for steps in STEPS:
        if fails(before, steps):
            before = minimize(before, lambda m, steps=steps: fails(m, steps))
            break
    return _written(before, guilty, path)


def _first_failure(
    module: Module, passes: Sequence[Pass], values: bool
) -> tuple[Module, Pass | None]:
    for each in passes:
        if _code(module, each, Verifier(values=values)) in FAILURES:
            return module, each
        module, _ = run_passes(module, [each])
    return module, None


def _code(module: Module, each: Pass, check: Verifier) -> ErrorCode | None:
    """Return the code of the error that a pass causes on a module; None if it succeeds."""
    try:
        run_passes(module, [each], check=check)
    except RelayError as error:
        return error.code
    return None


def _written(module: Module, guilty: Pass, path: Path | None) -> Path | None:
    """Write a program and the failing pass to a file; return its path.

    The result is None if the cache folder is read-only; raises `U015` if another file cannot be
    written.
    """
    text = f"// passes: {guilty.text()}\n{module.astext()}"
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

"""Runs sequences of passes: contracts, instruments, limits of time, and a record of each pass."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from relay.ir.analysis.mapped_constants import mapped_files
from relay.ir.module import Module
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError
from relay.support.garbage_collector import paused_collector
from relay.support.node import node
from relay.support.progress_callback import Progress, silent
from relay.support.strict_mode import is_strict
from relay.support.time_limit import LimitError, limited
from relay.transform.instruments import is_of_user
from relay.transform.pass_contract import NONE, check_input, check_kept, in_order
from relay.transform.pipeline import Pass, may_run, observed, pass_failed, transformed


@node
class PassRecord:
    """The record of a pass that has run: name, time in seconds, and effect on the program."""

    name: str
    seconds: float
    changed: bool
    module: Module


def may_be_skipped(each: Pass) -> bool:
    """Whether instruments may skip a pass wherever it runs."""
    return each.is_optional


def run_passes(
    module: Module,
    passes: Sequence[Pass],
    *,
    check: Callable[[Module, Module, Pass], None] | None = None,
    progress: Progress = silent,
    seconds: float | None = None,
    may_skip: Callable[[Pass], bool] = may_be_skipped,
) -> tuple[Module, list[PassRecord]]:
    """Run passes in order; `check(before, after, pass)` is called after each change.

    Instruments may skip those for which `may_skip` is true.

    Raises `C043` if a pass fails, `C044` if it takes more than `seconds`, or half of the machine's
    memory. Exceptions of instruments, and of functions that users pass, are raised as they are.

    `progress` is called before each pass. Raises `C042` if a property that a pass requires does not
    hold. With a `check`, all properties that must hold after each pass are tested; in tests, at
    least those that the pass ensures (`C040`).
    """
    contracts = [each.contract() for each in passes]
    in_order("all", contracts)  # before anything runs
    known, records, files = NONE, list[PassRecord](), mapped_files(module)
    for index, (each, contract) in enumerate(zip(passes, contracts, strict=True)):
        progress("passes", index, len(passes))
        if may_skip(each) and not may_run(each, module):
            records.append(PassRecord(each.info.name, 0.0, False, module))
            continue
        check_input(contract, known, module)
        with paused_collector():
            start = time.perf_counter()
            after = observed(each, module, partial(_applied, each, seconds=seconds))
            taken = time.perf_counter() - start
        for mapping in files:
            mapping.release()  # of weights that the pass has read
        changed = after is not module
        if changed and check is not None:
            check(module, after, each)
        known = contract.after(known | contract.requires)
        tested = known if check is not None else contract.ensures if is_strict() else NONE
        check_kept(contract.name, tested, after)
        records.append(PassRecord(each.info.name, taken, changed, after))
        module = after
    return module, records


def _applied(each: Pass, module: Module, seconds: float | None) -> Module:
    """Return the result of the pass `each` on a module.

    Raises `C043` if the pass raises an exception that is not an error of the user, or exits.
    """
    try:
        with limited(seconds):
            return transformed(each, module)
    except LimitError as error:
        message = f"the pass {each.info.name} was stopped: {error}"
        help_ = "raise the limit if the pass is correct but slow: relay opt --time-limit SECONDS"
        raise CompileError(ErrorCode.C044, message, help=help_) from error
    except (RelayError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if is_of_user(error):
            raise
        raise pass_failed(each, f"{type(error).__name__}: {error}") from error

"""Validates names of processors and features by asking LLVM for its lists.

LLVM ignores unknown names, and reports them only on the standard error of the process. It lists the
known names in the same way, so a separate process asks for the list.
"""

import functools
import subprocess
import sys
from collections.abc import Iterable
from difflib import get_close_matches

from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError

_LIST = """
import sys, llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
llvm.Target.from_triple(sys.argv[1]).create_target_machine(cpu="generic", features="+help")
"""
_SHOWN = 5
_PATIENCE = 60  # seconds; generous, for a very busy machine


def check_names(triple: str, cpu: str | None, features: str) -> None:
    """Raise `C150` for a processor or a feature in `+a,-b` that LLVM does not have for a triple.

    >>> check_names("aarch64-unknown-linux-gnu", "cortex-a76", "+dotprod")
    """
    processors, known = _names(triple)
    _look_up("processor", [cpu] if cpu else [], processors)
    _look_up("feature", [each.strip().lstrip("+-") for each in features.split(",")], known)


def _look_up(what: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name and known and name not in known:
            close = get_close_matches(name, known, _SHOWN, cutoff=0.0)
            raise CompileError(
                ErrorCode.C150,
                f"LLVM has no {what} '{name}' for this machine",
                help=f"use a name that LLVM knows, such as {', '.join(close)}",
            )


@functools.cache
def _names(triple: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return LLVM's processors and features for a triple; empty if LLVM cannot be asked."""
    try:
        asked = subprocess.run(
            [sys.executable, "-c", _LIST, triple],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return (), ()
    processors, _, features = asked.stderr.partition("Available features")
    return _listed(processors), _listed(features)


def _listed(text: str) -> tuple[str, ...]:
    """Return the names in LLVM's output, in lines such as `  neon  - Enable Advanced SIMD`."""
    lines = (line.split(" - ", 1) for line in text.splitlines() if line.startswith("  "))
    return tuple(parts[0].strip() for parts in lines if len(parts) > 1)

"""The calls that only some systems have, each with what replaces it elsewhere."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def after_fork(callback: Callable[[], object]) -> None:
    """Call a function in each child process that is forked; systems without fork need none."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=callback)


def allowed_cpus() -> int:
    """Return the number of CPUs that the process may use, or else of those that there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def has_owners() -> bool:
    """Whether files belong to users, so that those of others can be told by `is_own`."""
    return hasattr(os, "getuid")


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the user of this process; true where files have no owners."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def peak_memory(status: Path = Path("/proc/self/status")) -> int:
    """Return the peak memory of this process in bytes; 0 where the system does not say.

    On Linux it is read from the kernel's high-water mark, because `getrusage` includes the memory
    of the parent.
    """
    if status.exists():
        text = status.read_text(encoding="utf-8")
        lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        return int(lines["VmHWM"].split()[0]) * 1024
    try:
        resource: Any = import_module("resource")
    except ImportError:
        return 0
    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024

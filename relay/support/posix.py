"""Wrappers of calls that only POSIX systems have, with a replacement for each on other systems."""

import ctypes
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def after_fork(callback: Callable[[], object]) -> None:
    """Register a function to be called in each forked child process; does nothing without fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=callback)


def allowed_cpus() -> int:
    """Return the number of CPUs on which this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def has_owners() -> bool:
    """Whether files have owners on this system, so that `is_own` distinguishes users."""
    return hasattr(os, "getuid")


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to this process's user; true on systems where files have no owners."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def physical_memory() -> int:
    """Return the memory of this machine in bytes; 0 on systems that do not report it."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


def return_free_memory() -> None:
    """Return the memory of freed objects to the system, as only the GNU C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def peak_memory(status: Path = Path("/proc/self/status")) -> int:
    """Return the peak memory of this process in bytes; 0 on systems that do not report it.

    On Linux it is read from `/proc/self/status`, because `getrusage` includes the memory of the
    parent process.
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

"""The calls that only some systems have, each with what replaces it elsewhere."""

import os
from collections.abc import Callable


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

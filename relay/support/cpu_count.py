"""The number of CPUs that this process may use: its affinity, limited by its cgroup's quota."""

import math
from pathlib import Path

from relay.support.posix import allowed_cpus

_CGROUPS = Path("/sys/fs/cgroup")


def available_cpus(cgroups: Path = _CGROUPS, membership: Path = Path("/proc/self/cgroup")) -> int:
    """Return the number of threads that can run in parallel without CPU throttling; at least 1.

    `cgroups` is where the cgroup file system is mounted, `membership` the file that lists the
    cgroups of this process.
    """
    quota = _quota(cgroups, membership)
    return max(1, math.ceil(min(allowed_cpus(), quota)))


def _quota(cgroups: Path, membership: Path) -> float:
    """Return the tightest CPU quota of the process's groups and their parents, in CPUs."""
    quotas = [math.inf]
    for folder in _folders(cgroups, membership):
        limit = _words(folder / "cpu.max")  # version 2: "quota period" or "max period"
        if len(limit) != 2:
            limit = _words(folder / "cpu.cfs_quota_us") + _words(folder / "cpu.cfs_period_us")
        if len(limit) == 2 and limit[0].isdigit() and limit[1].isdigit() and int(limit[1]) > 0:
            quotas.append(int(limit[0]) / int(limit[1]))
    return min(quotas)


def _folders(cgroups: Path, membership: Path) -> list[Path]:
    """Return the folders of the cgroups that limit this process's CPU time, and of their parents.

    Each line of `membership` has the form `number:controllers:path`; in cgroup version 2, the list
    of controllers is empty.
    """
    folders: list[Path] = []
    for line in _read(membership).splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = cgroups / controllers if controllers else cgroups
        group = root / path.lstrip("/")
        folders += [f for f in (group, *group.parents) if f == root or root in f.parents]
    return folders


def _words(path: Path) -> list[str]:
    return _read(path).split()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""

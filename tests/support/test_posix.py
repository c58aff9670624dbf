"""Calls that only some systems have are in one module, which works without them."""

import ast
import os
import sys
from pathlib import Path

from relay.support import posix

ROOT = Path(__file__).parents[2] / "relay"
ONLY_SOME = {
    "os": {
        *("fork", "forkpty", "register_at_fork", "sched_getaffinity", "sched_setaffinity"),
        *("getuid", "geteuid", "getgid", "getloadavg", "killpg", "setsid", "nice", "mkfifo"),
        *("pread", "pwrite", "statvfs", "uname", "posix_fadvise", "posix_fallocate", "sysconf"),
        *("wait4", "waitpid", "fchmod", "fchown", "chown", "getpgid", "setpgid", "posix_spawn"),
    },
    "signal": {
        *("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "alarm", "pause", "pthread_kill"),
        *("pthread_sigmask", "setitimer", "siginterrupt", "sigwait"),
    },
    "mmap": {"MAP_ANONYMOUS", "MAP_PRIVATE", "MAP_SHARED", "PROT_READ", "PROT_WRITE"},
    "time": {"clock_gettime", "tzset"},
}
MODULES = {"fcntl", "grp", "posix", "pwd", "resource", "termios"}
WORDS = {*MODULES, *(name for names in ONLY_SOME.values() for name in names)}


def uses(path: Path) -> set[str]:
    """Return the calls and modules in a file that only some systems have."""
    text = path.read_text(encoding="utf-8")
    if not any(name in text for name in WORDS):
        return set()
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(ast.Name(home), name) if name in ONLY_SOME.get(home, ()):
                found.add(name)
            case ast.Import(names):
                found |= {each.name for each in names} & MODULES
            case ast.ImportFrom(module) if module in MODULES:
                found.add(module)
            case ast.Call(ast.Name("import_module"), [ast.Constant(str(name))]) if name in MODULES:
                found.add(name)
            case _:
                pass
    return found


def test_no_other_module_has_them():
    found = {path: uses(path) for path in ROOT.rglob("*.py")}
    own = Path(posix.__file__)
    own_uses = {"register_at_fork", "sched_getaffinity", "getuid", "resource", "sysconf"}
    assert found.pop(own) == own_uses
    assert {path: names for path, names in found.items() if names} == {}


def test_systems_without_them(monkeypatch, tmp_path):
    assert posix.is_own(tmp_path.stat())
    assert posix.allowed_cpus() >= 1
    for name in ("register_at_fork", "sched_getaffinity", "getuid", "sysconf"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    posix.after_fork(lambda: None)
    assert posix.allowed_cpus() == 1
    assert posix.physical_memory() == 0
    assert not posix.has_owners()
    assert posix.is_own(tmp_path.stat())
    monkeypatch.setitem(sys.modules, "resource", None)  # an import of it then fails
    assert posix.peak_memory(tmp_path / "no status") == 0


def test_the_memory_of_this_process(tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmHWM:\t    2048 kB\n")
    assert posix.peak_memory(status) == 2 << 20
    assert posix.peak_memory(tmp_path / "no status") > 1 << 20

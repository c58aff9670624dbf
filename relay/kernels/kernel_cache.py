"""An on-disk cache of compiled kernels: the second compilation of a model reads them.

Entries are keyed by everything that determines the code: the kernel's computation, the machine, the
options, and the code generator itself. The cache never makes a compilation fail: if its folder
cannot be read or written, the cache is switched off and the log says so once.

Code from the cache is executed, so the folder belongs to the user alone, an entry counts only if it
is a regular file of the user that nobody else may write, and each entry carries a checksum. An
entry that does not qualify is compiled again and replaced. What has a name of the cache in a folder
that others could write is deleted. The folder itself may not be a symbolic link, because its target
may be another program's folder; the folders above it may be links.
"""

import functools
import hashlib
import json
import logging
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import llvmlite.binding as llvm

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.emitter_context import Options
from relay.kernels.llvm.object_code import ObjectCode
from relay.support.posix import has_owners, is_own

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_MAGIC = b"relay-kernel-3\n"
_DIGEST = hashlib.sha256().digest_size
_SUFFIX = ".kernel"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LIMIT = 512 * 1024 * 1024
_TRIM_EVERY = 64  # entries written through one cache between two checks of the folder's size
_REMEMBERED = 1024  # scheduled kernels kept in memory
_LOOKED = "looked"  # a file whose modification time is that of the last check by any process
_LOOK_SECONDS = 3600  # a new cache checks only if the last check is older than this


def default_folder() -> Path:
    """Return the folder for kernels: below `RELAY_CACHE_DIR` if set, else the user's cache."""
    own = os.environ.get("RELAY_CACHE_DIR")
    if own:
        return Path(own) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "relay" / "kernels"


def entry_key(symbol: str, machine: CpuModel, options: Options) -> str:
    """Return the name of a kernel's cache entry for a machine, options and this code generator."""
    parts = (
        symbol, machine.triple, machine.cpu, machine.features, machine.vector_bytes,
        machine.fma_ports, options, generator_version(),
    )  # fmt: skip
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@functools.cache
def generator_version() -> str:
    """Return a hash of the code generator's source and of LLVM's version."""
    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.llvm_version_info}".encode())
    for source in sorted((Path(__file__).parent / "llvm").rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


class KernelCache:
    """A folder of compiled kernels, which several processes may share.

    `limit` bounds its size in bytes: beyond it, the least recently used entries are deleted. The
    loops of scheduled kernels are kept in memory as long as the cache lives, because programs
    compiled with one cache, or one program compiled in several ways, share most of them.
    """

    def __init__(self, folder: Path | None = None, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._written = 0
        self._arranged: dict[Hashable, Any] = {}
        self._usable = True
        try:
            self._folder = default_folder() if folder is None else folder
            _make_private(self._folder)
        except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home folder
            self._give_up(error)

    def get(self, key: str) -> ObjectCode | None:
        """Return an entry, or None if it is absent, damaged, or belongs to another key."""
        return self._found(key, _decode)

    def put(self, key: str, code: ObjectCode) -> None:
        """Store an entry atomically: readers see either all of it or nothing."""
        self._store(key, _encode(code))

    def record(self, key: str) -> Any:
        """Return the JSON data stored by `put_record`, or None as `get` does."""
        return self._found(key, json.loads)

    def put_record(self, key: str, data: Mapping[str, Any]) -> None:
        """Store JSON data as `put` stores object code."""
        self._store(key, json.dumps(data).encode())

    def _found(self, key: str, decode: Callable[[bytes], _T]) -> _T | None:
        if not self._usable:
            return None
        path = self._path(key)
        try:
            payload = _opened(key, _own_bytes(path))
            found = None if payload is None else decode(payload)
        except (OSError, ValueError, KeyError, TypeError):  # absent, or in another format
            return None
        if found is not None:
            with suppress(OSError):
                os.utime(path)
        return found

    def _store(self, key: str, payload: bytes) -> None:
        if not self._usable:
            return
        try:
            _write(self._path(key), _seal(key, payload) + payload)
            self._written += 1
            if self._written % _TRIM_EVERY == 0 or (self._written == 1 and self._is_due()):
                self._trim()
        except OSError as error:
            self._give_up(error)

    def arranged(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return the loops of the kernel identified by `key`; call `make` only the first time."""
        found = self._arranged.get(key)
        if found is None:
            if len(self._arranged) == _REMEMBERED:
                self._arranged.clear()
            found = self._arranged[key] = make()
        return found

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        _log.warning("compiled kernels are not cached on disk: %s", error)

    def _is_due(self) -> bool:
        """Whether it is time to check the size of the folder again, because the check is slow."""
        try:
            age = time.time() - (self._folder / _LOOKED).lstat().st_mtime
            return abs(age) > _LOOK_SECONDS  # a time in the future is wrong
        except FileNotFoundError:
            return True

    def _trim(self) -> None:
        """Delete the oldest entries until the rest fills three quarters of the limit."""
        _write(self._folder / _LOOKED, b"")
        entries: list[tuple[float, int, Path]] = []
        for path in self._folder.glob(f"*{_SUFFIX}"):
            with suppress(FileNotFoundError):  # another process may have deleted it
                status = path.lstat()
                entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        if total <= self._limit:
            return
        for _, size, path in sorted(entries):
            _delete(path)
            total -= size
            if total <= self._limit * 3 // 4:
                return


def _make_private(folder: Path) -> None:
    """Create a folder for this user alone; raise an error for a link or another user's folder.

    If others could write to the folder, its entries may be theirs, so they are deleted. Files
    without a name of the cache stay: they are never opened, and may be valuable.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not has_owners():
        return
    if folder.is_symlink():
        raise PermissionError(f"{folder} is a symbolic link: make it a folder, or link its parent")
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(handle)
        if not is_own(status):
            raise PermissionError(f"{folder} belongs to another user")
        if status.st_mode & _OTHERS_WRITE:
            os.chmod(handle, 0o700)  # noqa: PTH101 - the folder that was checked
            for name in os.listdir(handle):  # noqa: PTH208 - the folder that was checked
                if name.endswith(_SUFFIX) or name == _LOOKED:
                    _delete(name, handle)
    finally:
        os.close(handle)


def _delete(path: Path | str, folder: int | None = None) -> None:
    """Delete a file, a link but not its target, or a folder with its content, if it exists.

    `folder` is the handle of the open folder in which `path` is looked up.
    """
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(path, dir_fd=folder).st_mode):
            shutil.rmtree(path, dir_fd=folder)
        else:
            os.unlink(path, dir_fd=folder)


def _own_bytes(path: Path) -> bytes:
    """Return the content of a regular file; raise an error unless only the user can write it."""
    with open(path, "rb", opener=_open_unlinked) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise PermissionError(f"{path} is not a regular file")
        if has_owners() and (not is_own(status) or status.st_mode & _OTHERS_WRITE):
            raise PermissionError(f"other users can write to {path}")
        return file.read()


def _open_unlinked(path: str, flags: int) -> int:
    """Open a file, but do not follow a symbolic link, nor wait for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically: it appears under its name only when it is complete.

    It replaces a link, whose target does not change, and a folder.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="writing-", suffix=_SUFFIX)
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if path.is_dir():
            _delete(path)
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _encode(code: ObjectCode) -> bytes:
    fields = {
        "symbol": code.symbol, "main": code.main, "worker": code.worker, "polls": code.polls,
        "bytes": len(code.code),
    }  # fmt: skip
    rest = b"" if code.shared is None else _encode(code.shared)
    return json.dumps(fields).encode() + b"\n" + code.code + rest


def _decode(payload: bytes) -> ObjectCode:
    head, _, codes = payload.partition(b"\n")
    fields = json.loads(head)
    end = fields["bytes"]
    shared = _decode(codes[end:]) if codes[end:] else None
    workspace = fields["main"], fields["worker"]
    return ObjectCode(fields["symbol"], codes[:end], *workspace, fields["polls"], shared)


def _opened(key: str, data: bytes) -> bytes | None:
    """Return the content of a cache entry, or None if its checksum does not match."""
    start = len(_MAGIC) + _DIGEST
    payload = data[start:]
    return payload if data[:start] == _seal(key, payload) else None


def _seal(key: str, payload: bytes) -> bytes:
    """Return the header of an entry: a magic number, and a checksum of its key and content."""
    return _MAGIC + hashlib.sha256(key.encode() + payload).digest()

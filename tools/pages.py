"""Pages of documentation that tools write, and tables of the operators of a framework in them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

RARE = "no translation yet"


def write_or_check(path: Path, page: Callable[[], str], args: Sequence[str]) -> int:
    """Write a page; with the argument `--check`, return 1 if the file differs from it instead."""
    if "--check" not in args:
        path.write_text(page(), encoding="utf-8")
        return 0
    is_old = path.read_text(encoding="utf-8") != page()
    if is_old:
        print(f"{path} is not what the tool writes: run it without --check")
    return int(is_old)


def names_in(page: str) -> list[str]:
    """Return the operators of a framework that the tables of a page list, in order.

    A star marks names that do not belong to the framework.
    """
    cells = [line.split(" | ")[1] for line in page.splitlines() if line.startswith("| ")]
    return sorted({name for cell in cells for name in re.findall(r"`((?:ops\.)?\w+)`(?!\*)", cell)})


@dataclass(frozen=True)
class Support:
    """The operators of a framework, and Relay's translations of operators.

    `translated` maps names to functions such as `translate.arithmetic.add`. `reasons` are texts and
    patterns of names: why operators have no translation; the first match counts.
    """

    names: Sequence[str]
    translated: Mapping[str, str]
    reasons: Sequence[tuple[str, str]]

    def count(self, names: Iterable[str]) -> int:
        """Return how many of some names have translations."""
        return sum(name in self.translated for name in names)

    @property
    def translations(self) -> str:
        """Return the rows of the table of modules; a star marks names of other frameworks."""
        own, modules = set(self.names), dict[str, list[str]]()
        for name in sorted(self.translated):
            mark = "" if name in own else "*"
            module = f"`{self.translated[name].rpartition('.')[0]}`"
            modules.setdefault(module, []).append(f"`{name}`{mark}")
        return _rows(dict(sorted(modules.items())))

    @property
    def others(self) -> str:
        """Return the rows of the table of reasons, in their order."""
        found: dict[str, list[str]] = {text: [] for text, _ in self.reasons} | {RARE: []}
        for name in self.names:
            if name not in self.translated:
                found[self._reason(name)].append(f"`{name}`")
        return _rows({text: names for text, names in found.items() if names})

    def _reason(self, name: str) -> str:
        matching = (text for text, pattern in self.reasons if re.fullmatch(pattern, name))
        return next(matching, RARE)


def _rows(table: Mapping[str, Sequence[str]]) -> str:
    return "\n".join(f"| {key} | {', '.join(names)} |" for key, names in table.items())

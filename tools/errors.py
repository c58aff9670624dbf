"""Assemble relay/cli/errors.md, and check that every error code is explained once and tested.

Each phase of Relay keeps the sections of its codes in `docs/errors.d/<letter>*.md`, a section a
code: `## T012: channels do not fit`. A code that `relay/` raises needs a section, and a file below
`tests/` that names it. `python tools/errors.py` writes the page; `--check` only compares.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

SOURCES, SECTIONS, PAGE, TESTS = (
    Path("relay"),
    Path("docs/errors.d"),
    Path("relay/cli/errors.md"),
    Path("tests"),
)
CODE = re.compile(r"[PTFDCRAU]\d{3}")
MEMBER = re.compile(r"^    ([PTFDCRAU]\d{3}) = ", re.MULTILINE)
HEADING = re.compile(r"^## ([PTFDCRAU]\d{3}): \S.*$", re.MULTILINE)
PHASES = {
    "P": "Syntax",
    "T": "Types",
    "F": "Model files",
    "D": "Differentiation",
    "C": "Compilation",
    "R": "Running",
    "A": "Artefacts",
    "U": "Usage",
}
INTRODUCTION = """\
<!-- Assembled by tools/errors.py from docs/errors.d/; edit there. -->

# Errors

Every mistake that Relay can explain has a code: a letter for the phase and three digits. The
command `relay explain T012` prints a section of this page.
"""


def raised() -> set[str]:
    """Return the members of `ErrorCode` that `relay/` uses."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in SOURCES.rglob("*.py"))
    nodes = (node for path, text in texts for node in ast.walk(ast.parse(text, str(path))))
    members = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    return {code for code in declared() if f"ErrorCode.{code}" in members}


def declared() -> set[str]:
    """Return the members that `ErrorCode` declares."""
    text = (SOURCES / "support" / "error_codes.py").read_text(encoding="utf-8")
    return set(MEMBER.findall(text))


def explained() -> Counter[str]:
    """Return the codes that have a section, and how many each has."""
    texts = (path.read_text(encoding="utf-8") for path in SECTIONS.glob("*.md"))
    return Counter(code for text in texts for code in HEADING.findall(text))


def tested() -> set[str]:
    """Return the codes that a file below `tests/` names."""
    paths = (path for path in TESTS.rglob("*") if path.suffix in {".py", ".rly", ".txt"})
    return {code for path in paths for code in CODE.findall(path.read_text(encoding="utf-8"))}


def page() -> str:
    """Return the whole page: phases in the order of the compiler, codes by number."""
    return "\n".join([INTRODUCTION, *_chapters()])


def _chapters() -> Iterator[str]:
    for letter, phase in PHASES.items():
        paths = sorted(SECTIONS.glob(f"{letter}*.md"))
        if paths:
            text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
            starts = [match.start() for match in HEADING.finditer(text)] + [len(text)]
            sections = sorted(text[a:b].strip() for a, b in pairwise(starts))
            yield "\n\n".join([f"# {phase} ({letter})", *sections]) + "\n"


def complaints() -> list[str]:
    """Return a line for each code without a section, without a test, or with several sections."""
    sections, known, named = explained(), raised(), tested()
    wrong = {
        "declared, but nothing raises it": declared() - known,
        "raised, but has no section in docs/errors.d/": known - set(sections),
        "has a section, but nothing raises it": set(sections) - known,
        "has several sections": {code for code, count in sections.items() if count > 1},
        "no test names it": known - named,
    }
    codes = sorted({code for found in wrong.values() for code in found})
    return [f"{code}: {'; '.join(w for w in wrong if code in wrong[w])}" for code in codes]


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; return 1 when something is missing."""
    wrong = complaints()
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        wrong.append("relay/cli/errors.md is out of date: run `make docs`")
    print(*wrong, f"{len(raised())} error codes", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Print the sizes of files and functions, and fail if one is too long to be read at a glance.

Run `python tools/sizes.py [folder …]`; the default is all handwritten code.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

FOLDERS = ("relay", "tests", "tools", "examples", "benchmarks", "docs")
FILE_LIMIT = 800  # a file is split at 500 lines; 800 means that nobody did
FUNCTION_LIMIT = 80  # aim for 5 to 10 lines, with a 90th percentile under 30


class Size(NamedTuple):
    """The number of lines of a file or function, and its location."""

    lines: int
    where: str


def files(folders: Iterable[str]) -> list[Path]:
    """Return the Python files below the folders, in a stable order."""
    return sorted(path for folder in folders for path in Path(folder).rglob("*.py"))


def functions(path: Path) -> Iterator[Size]:
    """Yield the length of each function of a file: its code, without docstring and decorators."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Size(_lines(node), f"{path}:{node.lineno} {node.name}")


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    signature = node.body[0].lineno - node.lineno
    return signature + (node.end_lineno or first.lineno) - first.lineno + 1


def summary(what: str, sizes: list[Size]) -> str:
    """Return one line: the count, the total, the median, the 90th percentile and the maximum."""
    lines = sorted(size.lines for size in sizes) or [0]
    p50, p90 = lines[len(lines) // 2], lines[len(lines) * 9 // 10]
    longest = max(sizes, default=Size(0, ""))
    return (
        f"{what:<22} {len(sizes):>6} {sum(lines):>8} lines"
        f"   p50 {p50:>4}   p90 {p90:>4}   max {longest.lines:>4} {longest.where}"
    )


def too_long(sizes: list[Size], limit: int) -> list[str]:
    """Return a message for each size above the limit."""
    return [
        f"{size.where}: {size.lines} lines, limit {limit}" for size in sizes if size.lines > limit
    ]


def main(folders: list[str]) -> int:
    """Report every folder; return 1 when something is too long."""
    complaints: list[str] = []
    for folder in folders or [name for name in FOLDERS if files([name])]:
        paths = files([folder])
        whole = [Size(path.read_text(encoding="utf-8").count("\n"), str(path)) for path in paths]
        parts = [size for path in paths for size in functions(path)]
        print(summary(f"{folder}: files", whole))
        print(summary(f"{folder}: functions", parts))
        complaints += too_long(whole, FILE_LIMIT) + too_long(parts, FUNCTION_LIMIT)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

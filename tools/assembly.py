"""Find inner loops in assembly text and count their instructions."""

import re
from collections.abc import Sequence

_LABEL = re.compile(r"^(\.?L?\w*BB\w+):")
_INSTRUCTION = re.compile(r"^\s+(?!local\.|i32\.const|loop\b)[a-z]")


def inner_loop(assembly: str, multiply_add: str) -> Sequence[str]:
    """Return the innermost loop with the most lines that match the pattern `multiply_add`."""
    found: list[list[str]] = [[]]
    for label, body in _blocks(assembly):
        jump = re.compile(rf"\b{re.escape(label)}\b|\bbr_if\b")  # WebAssembly jumps by depth
        back = next((n for n, line in enumerate(body) if jump.search(line)), None)
        if back is not None:
            found.append(body[: back + 1])
    return max(found, key=lambda body: count_lines(multiply_add, body))


def count_lines(pattern: str, lines: Sequence[str]) -> int:
    """Return the number of lines that contain a pattern."""
    return sum(bool(re.search(pattern, line)) for line in lines)


def instructions(lines: Sequence[str]) -> int:
    r"""Return the number of instructions.

    Directives, labels and comments do not count, nor do WebAssembly's accesses to locals and
    constants, which an engine keeps in registers.

    >>> instructions(["\tvfmadd231ps %zmm0, %zmm1, %zmm2", "\t.p2align 4", "# %bb.1:"])
    1
    """
    return sum(bool(_INSTRUCTION.match(line)) for line in lines)


def _blocks(assembly: str) -> list[tuple[str, list[str]]]:
    blocks: list[tuple[str, list[str]]] = []
    for line in assembly.splitlines():
        label = _LABEL.match(line)
        if label:
            blocks.append((label[1].removeprefix("."), []))
        elif blocks:
            blocks[-1][1].append(line)
    return blocks

"""Matching brackets in text that may be malformed.

Needed only after a mistake, to find the end of the statement that holds it. A closing bracket
closes the last open one of its kind, and with it those inside that were left open; one that closes
nothing is passed over. `def` stands outside of all brackets.
"""

from collections import Counter
from collections.abc import Sequence

_OPENING = {"(": ")", "[": "]", "{": "}"}


def closing_brackets(tokens: Sequence[str]) -> dict[int, int]:
    """Return for each opening bracket where it is closed, or where something shows that it is not.

    >>> closing_brackets(["(", "[", ")", "{", ""])
    {1: 2, 0: 2, 3: 4}
    """
    closes: dict[int, int] = {}
    waiting: list[tuple[str, int]] = []
    count: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        if token in _OPENING:
            waiting.append((_OPENING[token], index))
            count[_OPENING[token]] += 1
        elif token in ("def", ""):
            closes.update((opened, index) for _, opened in waiting)
            waiting.clear()
            count.clear()
        elif count[token]:
            wanted = ""
            while wanted != token:
                wanted, opened = waiting.pop()
                count[wanted] -= 1
                closes[opened] = index
    return closes


def innermost(tokens: Sequence[str], index: int) -> str:
    """Return the bracket that is open at a place, or nothing where none is.

    >>> innermost(["{", "(", ")", "%x"], 3), innermost(["%x"], 0)
    ('{', '')
    """
    depth = 0
    for token in reversed(tokens[:index]):
        if token in _OPENING:
            if depth == 0:
                return token
            depth -= 1
        depth += token in _OPENING.values()
    return ""

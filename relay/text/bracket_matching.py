"""Bracket matching in text that may be malformed.

Error recovery uses it to find the end of a bad statement. A closing bracket closes the last open
bracket of its kind and all unclosed ones inside of that; if none is open, it is ignored. The
keyword `def` closes all brackets.
"""

from collections import Counter
from collections.abc import Sequence

_OPENING = {"(": ")", "[": "]", "{": "}"}


def closing_brackets(tokens: Sequence[str]) -> dict[int, int]:
    """Map the position of each opening bracket to that of the token that closes it.

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
    """Return the innermost bracket that is open before `tokens[index]`, or an empty string.

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

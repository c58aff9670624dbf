"""Real sentences as dependency trees: their lengths, and the head of each word.

They are the first of Czech PUD, a treebank of Universal Dependencies (news and Wikipedia, 1,000
sentences, CC BY-SA 3.0), which is in the tests of a package of the package index. Only the numbers
of the heads are used.
"""

from collections.abc import Iterator

from benchmarks.material import material

Heads = tuple[int, ...]
"""The head of each word, counted from 1; 0 is the head of the root."""


def sentences(count: int) -> list[Heads]:
    """Return the heads of the first sentences of the treebank."""
    found = _heads(material("trees.conllu").read_text(encoding="utf-8"))
    return [heads for heads, _ in zip(found, range(count), strict=False)]


def _heads(text: str) -> Iterator[Heads]:
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
        words = [row for row in rows if row[0].isdigit()]  # 3-4 and 5.1 are no words
        if words:
            yield tuple(int(row[6]) for row in words)

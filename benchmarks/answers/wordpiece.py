"""The WordPiece tokeniser of BERT, which splits words into pieces from a vocabulary."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+|[^\w\s]")


class WordPiece:
    """A tokeniser of lower-case text by a vocabulary file; `##` marks a continuation piece."""

    def __init__(self, vocabulary: Path) -> None:
        lines = vocabulary.read_text(encoding="utf-8").splitlines()
        self.ids = {piece: index for index, piece in enumerate(lines)}

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, between `[CLS]` and `[SEP]`."""
        plain = unicodedata.normalize("NFD", text.lower())
        words = _WORD.findall("".join(c for c in plain if unicodedata.category(c) != "Mn"))
        inner = [self.ids[piece] for word in words for piece in self._pieces(word)]
        return [self.ids["[CLS]"], *inner, self.ids["[SEP]"]]

    def _pieces(self, word: str) -> list[str]:
        pieces: list[str] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.ids), None)
            if end is None:
                return ["[UNK]"]
            pieces.append(mark + word[start:end])
            start = end
        return pieces

    def batch(
        self, texts: Sequence[str], length: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return token ids and mask, `[len(texts), length]`, truncated or padded with 0."""
        ids = np.zeros((len(texts), length), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            cut = self.encode(text)[:length]
            ids[row, : len(cut)] = cut
            mask[row, : len(cut)] = 1
        return ids, mask

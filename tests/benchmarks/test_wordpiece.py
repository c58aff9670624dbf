from pathlib import Path

import numpy as np
import pytest

from benchmarks.answers.wordpiece import WordPiece


@pytest.fixture
def tokens(tmp_path: Path) -> WordPiece:
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\nnaive\n!\n", encoding="utf-8")
    return WordPiece(path)


def test_a_word_is_cut_into_its_longest_pieces(tokens: WordPiece) -> None:
    assert tokens.encode("Unaffable!") == [2, 4, 5, 6, 8, 3]


def test_accents_are_dropped(tokens: WordPiece) -> None:
    assert tokens.encode("naïve") == [2, 7, 3]


def test_a_word_without_pieces_is_unknown(tokens: WordPiece) -> None:
    assert tokens.encode("unaffordable") == [2, 1, 3]


def test_texts_are_cut_and_padded(tokens: WordPiece) -> None:
    ids, mask = tokens.batch(["un", "un un un un"], 4)
    np.testing.assert_array_equal(ids, [[2, 4, 3, 0], [2, 4, 4, 4]])
    np.testing.assert_array_equal(mask, [[1, 1, 1, 0], [1, 1, 1, 1]])

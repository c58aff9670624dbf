"""How errors are printed."""

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError


def test_long_words_and_long_texts_are_cut():
    word, sentence = "x" * 1000, "a type and " * 100_000
    error = RelayError(ErrorCode.T001, f"begin {word} {sentence}end", notes=[sentence], help=word)
    assert error.message.startswith("begin xxx")
    assert error.message.endswith("and end")
    assert all(len(line) < 2_100 for line in str(error).splitlines())
    short = RelayError(ErrorCode.T001, "both are read whole", notes=["x " * 900])
    assert "x " * 900 in str(short)

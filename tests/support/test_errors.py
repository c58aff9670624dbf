"""How errors are printed."""

import copy
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

import relay  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares all classes of errors
from relay.frontend.python.tracing.path_merging import Longer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RunError
from relay.support.span import Source, Span


def test_long_words_and_long_texts_are_cut():
    word, sentence = "x" * 1000, "a type and " * 100_000
    error = RelayError(ErrorCode.T001, f"begin {word} {sentence}end", notes=[sentence], help=word)
    assert error.message.startswith("begin xxx")
    assert error.message.endswith("and end")
    assert all(len(line) < 2_100 for line in str(error).splitlines())
    short = RelayError(ErrorCode.T001, "both are read whole", notes=["x " * 900])
    assert "x " * 900 in str(short)


def kinds(cls: type[RelayError]) -> Iterator[type[RelayError]]:
    """Yield the classes of errors that are made from a code and a message."""
    yield cls
    for each in cls.__subclasses__():
        if each is not Longer:
            yield from kinds(each)


def failing(place: Span) -> RelayError:
    """Return an error with all of its parts."""
    others = [RunError(ErrorCode.R006, "another", span=place)]
    made = RunError(ErrorCode.R004, "one", span=place, notes=["a note"], help="do this")
    return made.together_with(others)


def fail() -> None:
    raise failing(Span(Source("model.py", "x + y"), 1, 1, 1, 6))


def test_errors_are_pickled_and_copied():
    place = Span(Source("model.py", "x + y"), 1, 1, 1, 6)
    error = failing(place)
    error.add_note("added by a caller")
    for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(again) is RunError
        assert str(again) == str(error)
        assert (again.code, again.args, again.__notes__) == (
            "R004", ("one",), ["added by a caller"]
        )  # fmt: skip
    for cls in kinds(RelayError):
        made = cls(ErrorCode.U010, "some message", help="a help")
        again = pickle.loads(pickle.dumps(made))
        assert (type(again), str(again)) == (cls, str(made))


def test_an_error_about_lists_is_pickled_without_them():
    error = Longer([lambda: 1], [], RelayError(ErrorCode.F110, "the list is longer"))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)


def test_an_error_of_another_process_is_raised_here():
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(RunError, match="R004") as found:
            pool.submit(fail).result()
        assert found.value.help == "do this"
        assert pool.submit(abs, -1).result() == 1  # the pool still works

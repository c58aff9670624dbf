"""The examples that are programs in Python: each runs alone, and agrees with plain Python."""

import importlib.util
import runpy
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


@cache
def example(name: str) -> ModuleType:
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(f"examples_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def alike(program, *arguments, rtol=1e-5):
    """Whether Relay and plain Python agree."""
    found, expected = program(*arguments), program.python(*arguments)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for each, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(each, wanted, rtol=rtol, atol=1e-6)


def test_a_network_writes_text():
    char_rnn = example("char_rnn")
    start = char_rnn.numbers("\nAnd what")
    alike(char_rnn.read, start, rtol=1e-4)
    alike(char_rnn.write, start, 60)
    text = "".join(char_rnn.LETTERS[i] for i in char_rnn.write(start, 60))
    assert text.startswith(" shoulder, & what art,\nCould twist the sinews of thy heart?\n")


@pytest.mark.parametrize(
    "text", ["women", "(old men) (and women)", "((((old men) and) women) and)"]
)
def test_a_tree_has_a_vector(text):
    tree_lstm = example("tree_lstm")
    alike(tree_lstm.encode, tree_lstm.parsed(text), rtol=1e-4)
    alike(tree_lstm.similarity, tree_lstm.parsed(text), tree_lstm.parsed("old women"), rtol=1e-4)


@pytest.mark.parametrize("length", [0, 1, 4, 7])
def test_beams(length):
    alike(example("beam_search").search, length)


@pytest.mark.parametrize("number", [0.5, 2.0, 81.0])
def test_roots(number):
    newton = example("newton")
    alike(newton.square_root, number)
    alike(newton.cube_root, number)
    assert newton.square_root(number)[0] == pytest.approx(number**0.5, rel=1e-5)


def test_functions_that_call_each_other():
    hofstadter = example("hofstadter")
    assert [hofstadter.female(n) for n in range(9)] == [1, 1, 2, 2, 3, 3, 4, 5, 5]
    assert [hofstadter.male(n) for n in range(9)] == [0, 0, 1, 2, 2, 3, 4, 4, 5]
    assert [hofstadter.male.python(n) for n in range(9)] == [0, 0, 1, 2, 2, 3, 4, 4, 5]


@pytest.mark.parametrize(
    "name", ["beam_search", "char_rnn", "hofstadter", "map_list", "newton", "tree_lstm"]
)
def test_examples_run_alone(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) >= 4
    assert "OTHER" not in printed

"""The search over passes keeps what is faster and computes the same."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.build.pipeline import named_pipelines
from relay.cli.main import main
from relay.semantics.infer import infer
from relay.support.errors import UsageError
from relay.targets.cpu import this_cpu
from relay.tune import pass_search
from relay.tune.pass_changes import KernelsOfAtMost, Moved, Without, changes
from relay.tune.pass_search import Verdict, search_passes

TEXT = """#[version = "0.0.5"]
def @half(%x: Tensor[(2, 4), float32]) -> Tensor[(2, 4), float32] { %x * 0.5f }
def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
  nn.softmax(nn.relu(nn.dense(@half(%x), %w) + 1f))
}
"""
LEVELS = named_pipelines(this_cpu())
TITLES = [each.title() for each in LEVELS["O3"]]


@pytest.fixture
def cost(monkeypatch) -> Callable[..., None]:
    """Let programs take the seconds that a function says for the titles of their passes."""

    def set_cost(seconds: Callable[[list[str]], float]) -> None:
        compiled, known = pass_search.compile_static, dict[int, float]()

        def compile_static(*given: Any, passes: Any) -> Any:
            program = compiled(*given, passes=passes)
            known[id(program)] = seconds([each.title() for each in passes])
            return program

        def fastest(one: Any, other: Any, arrays: Any) -> tuple[float, float]:
            return known[id(one.program)], known[id(other.program)]

        monkeypatch.setattr(pass_search, "compile_static", compile_static)
        monkeypatch.setattr(pass_search, "fastest", fastest)

    return set_cost


def search(trials: int) -> pass_search.PassSearch:
    ticks = count()
    return search_passes(relay.parse(TEXT), seconds=trials, clock=lambda: next(ticks) - 1)


def test_changes_that_pay_are_kept(cost):
    cost(lambda titles: 1.0 - 0.1 * ("inline" not in titles) + 0.5 * ("fold-scale" not in titles))
    found = search(8)
    assert found.changes == (Without("inline"),)
    assert found.pays
    verdicts = [trial.verdict for trial in found.trials]
    assert verdicts.count(Verdict.KEPT) == 1
    assert Verdict.SAME in verdicts
    assert "1.11×): faster" in str(found)
    assert "inline" not in [each.title() for each in found.passes]
    x, w = np.ones((2, 4), np.float32), np.eye(4, dtype=np.float32)
    np.testing.assert_allclose(found.executable(x, w), np.full((2, 4), 0.25), rtol=1e-6)


def test_without_a_gain_the_usual_passes_stay(cost):
    cost(lambda _: 1.0)
    found = search(4)
    assert (found.changes, found.pays) == ((), False)
    assert [each.title() for each in found.passes] == TITLES
    assert ": not faster" in str(found)


def test_wrong_and_impossible_programs_are_not_kept(cost, monkeypatch):
    cost(lambda titles: 1 / len(titles))
    found = pass_search._Search(infer(relay.parse(TEXT)), this_cpu(), 1)
    found.attempt(Without("fuse-operators"))
    monkeypatch.setattr(pass_search, "disagreement", lambda *_, **__: 0.5)
    found.attempt(Without("inline"))
    verdicts = [trial.verdict for trial in found.result().trials]
    assert verdicts == [Verdict.IMPOSSIBLE, Verdict.WRONG]
    assert not found.result().changes


def test_changes_of_lists():
    some = LEVELS["O3"][:4]
    titles = [each.title() for each in some]
    assert [e.title() for e in Without(titles[1]).apply(some)] == [titles[0], *titles[2:]]
    assert [e.title() for e in Moved(titles[0], 0, 2).apply(some)] == [
        titles[1], titles[2], titles[0], titles[3]
    ]  # fmt: skip
    assert Moved(titles[2], 0, -9).apply(some)[0] is some[2]
    assert Moved("absent", 0, 1).apply(some) == some
    (fused,) = [e for e in KernelsOfAtMost(2).apply(LEVELS["O3"]) if e.title() == "fuse-operators"]
    assert getattr(fused, "limit", None) == 2


def test_each_optional_pass_is_left_out_first():
    stream = changes(LEVELS["O3"], LEVELS["O0"], np.random.default_rng(0))
    first = [next(stream) for _ in range(len(LEVELS["O3"]) - len(LEVELS["O0"]))]
    assert all(isinstance(each, Without) for each in first)
    assert Without("fuse-operators") not in first
    drawn = [next(stream) for _ in range(10)]
    assert {type(each) for each in drawn} == {KernelsOfAtMost, Moved}


def test_sizes_must_be_known():
    text = TEXT.replace("(2, 4)", "(n, 4)")
    with pytest.raises(UsageError) as found:
        search_passes(relay.parse(text), seconds=0)
    assert found.value.code == "U018"
    search = search_passes(relay.parse(text), seconds=0, shapes={"x": (3, 4)})
    assert search.executable.signature.is_static


def test_a_search_has_an_end():
    with pytest.raises(UsageError, match="seconds must be a number of seconds, not inf"):
        search_passes(relay.parse(TEXT), seconds=float("inf"))


LISTS = """#[version = "0.0.5"]
type L[a] { C(a, L[a]), N }
"""


def test_values_of_data_types_are_results_but_not_inputs():
    """An address was passed for an input, and compared for a result."""
    taken = LISTS + "def @main(%l: L[float32]) { match (%l) { C(%a, _) => %a, N => 0f } }"
    with pytest.raises(UsageError, match="cannot be generated") as found:
        search_passes(relay.parse(taken), seconds=0)
    assert (found.value.code, "main take tensors" in (found.value.help or "")) == ("U018", True)
    made = LISTS + "def @main(%x: Tensor[(2), float32]) { C(exp(%x), C(tanh(sqrt(%x)), N)) }"
    search = pass_search._Search(infer(relay.parse(made)), this_cpu(), 1)
    search.attempt(KernelsOfAtMost(1))
    assert search.result().trials[0].verdict not in (Verdict.WRONG, Verdict.IMPOSSIBLE)
    assert search.result().executable(np.zeros(2, np.float32)).constructor == "C"


def test_the_command_reports_and_saves(tmp_path: Path, capsys):
    model, output = tmp_path / "p.rly", tmp_path / "p.relay"
    model.write_text(TEXT, encoding="utf-8")
    assert main(["tune", str(model), "--seconds", "0", "-o", str(output)]) == 0
    assert "trials:" in capsys.readouterr().out
    relay.Executable.load(output)

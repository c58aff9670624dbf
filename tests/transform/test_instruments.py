"""Instruments look on while passes run."""

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

import relay as typed
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.transform.pipeline import Pass

relay: Any = typed
transform = relay.transform
MODULE = infer(
    typed.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { tanh(exp(%x) + (1f + 2f)) }""")
)


@transform.pass_instrument
class Log:
    """Writes down what it is told, and leaves out the passes of a name."""

    def __init__(self, events: list[str], name: str = "", left_out: str = "", fails: str = ""):
        self.events, self.name, self.left_out, self.fails = events, name, left_out, fails

    def note(self, event: str) -> None:
        self.events.append(f"{self.name}{event}")
        if self.fails == event:
            raise ZeroDivisionError(event)

    def enter_pass_ctx(self) -> None:
        self.note("enter")

    def exit_pass_ctx(self) -> None:
        self.note("exit")

    def should_run(self, mod: Any, info: Any) -> bool:
        return info.name != self.left_out

    def run_before_pass(self, mod: Any, info: Any) -> None:
        self.note(f"before {info.name}")

    def run_after_pass(self, mod: Any, info: Any) -> None:
        self.note(f"after {info.name}")


PASSES = transform.Sequential([transform.FoldConstant(), transform.FuseOps()])


def test_instruments_are_called_around_the_block_and_each_pass():
    events: list[str] = []
    with transform.PassContext(instruments=[Log(events)]):
        PASSES(MODULE)
    assert events[0] == "enter"
    assert events[-1] == "exit"
    assert events[1:-1] == [
        "before sequential", "before FoldConstant", "after FoldConstant", "before FuseOps",
        "after FuseOps", "after sequential",
    ]  # fmt: skip
    PASSES(MODULE)
    assert events[-1] == "exit"


def test_a_pass_runs_if_all_instruments_say_so_and_what_is_needed_always():
    events: list[str] = []
    names = ("FuseOps", "fuse-operators", "eliminate-common-subexpressions")
    instruments = [Log(events), *(Log([], left_out=name) for name in names)]
    with transform.PassContext(instruments=instruments):
        left = PASSES(MODULE)
        direct = transform.FuseOps()(MODULE)
        compiled = relay.compile(MODULE)
    assert direct is MODULE
    assert "before FuseOps" not in events
    assert {"before inline", "before fuse-operators"} <= {*events}
    assert "before eliminate-common-subexpressions" not in events
    assert not any(isinstance(each.op, relay.Function) for each in _calls(left))
    assert compiled.explain()


def test_a_required_pass_always_runs_and_each_pass_is_reported_once():
    @transform.module_pass(opt_level=1, required=["FoldConstant"])
    def mine(module: Any, _: Any) -> Any:
        return module

    events: list[str] = []
    with transform.PassContext(instruments=[Log(events), Log([], left_out="FoldConstant")]):
        transform.Sequential([mine])(MODULE)
    around = ["before FoldConstant", "after FoldConstant", "before mine", "after mine"]
    assert events[2:-2] == around


def _calls(module: Any) -> list[Any]:
    found: list[Any] = []
    relay.analysis.post_order_visit(module["main"], found.append)
    return [each for each in found if isinstance(each, relay.Call)]


def test_instruments_that_began_end_if_another_fails():
    events: list[str] = []
    context = transform.PassContext(
        instruments=[Log(events, "a "), Log(events, "b "), Log(events, "c ", fails="enter")]
    )
    with pytest.raises(ZeroDivisionError), context:
        pass
    assert events == ["a enter", "b enter", "c enter", "b exit", "a exit"]
    assert context.instruments == ()
    assert transform.PassContext.current() is not context


@pytest.mark.parametrize("fails", ["before FoldConstant", "after FoldConstant"])
def test_no_pass_is_blamed_for_an_instrument_that_fails(fails: str):
    outer = transform.Sequential([PASSES])
    context = transform.PassContext(instruments=[Log([], fails=fails)])
    with pytest.raises(ZeroDivisionError, match=fails), context:
        outer(MODULE)


def test_instruments_that_fail_at_the_end_are_gone():
    events: list[str] = []
    context = transform.PassContext(instruments=[Log(events, fails="exit")])
    with pytest.raises(ZeroDivisionError), context:
        pass
    assert context.instruments == ()
    with context:
        PASSES(MODULE)
    assert events == ["enter", "exit"]


def test_instruments_are_overridden():
    first: list[str] = []
    second: list[str] = []
    with transform.PassContext(instruments=[Log(first)]) as context:
        context.override_instruments([Log(second)])
        transform.FoldConstant()(MODULE)
    assert first == ["enter", "exit"]
    assert second[:2] == ["enter", "before FoldConstant"]
    with pytest.raises(typed.RelayError, match="not a pass instrument"):
        context.override_instruments([1])


def test_times_are_a_tree(monkeypatch: pytest.MonkeyPatch):
    clock = SimpleNamespace(perf_counter=count(0, 1e-3).__next__)  # it is read every millisecond
    monkeypatch.setattr("relay.transform.instruments.time", clock)
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        PASSES(MODULE)
        text = timing.render()
    assert text.splitlines() == [
        "sequential: 5.00 ms (3.00 ms)",
        "  FoldConstant: 1.00 ms (1.00 ms)",
        "  FuseOps: 1.00 ms (1.00 ms)",
    ]
    with transform.PassContext(instruments=[timing]):
        assert timing.render() == "no pass has run"


def test_programs_are_printed(capsys: pytest.CaptureFixture[str]):
    with transform.PassContext(
        instruments=[transform.PassPrintingInstrument(["FoldConstant"], ["FuseOps"])]
    ):
        PASSES(MODULE)
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line.startswith("//")] == [
        "// before FoldConstant", "// after FuseOps"
    ]  # fmt: skip
    assert "Primitive=1" in printed.partition("// after")[2]
    for every in (transform.PrintBeforeAll(), transform.PrintAfterAll()):
        with transform.PassContext(instruments=[every]):
            PASSES(MODULE)
        assert capsys.readouterr().out.count("//") == 3
    assert transform.PrintIR("here")(MODULE) is MODULE
    assert capsys.readouterr().out == f"// here\n{MODULE.astext(show_meta_data=False)}\n"


def test_checks_name_a_pass_that_breaks_the_program():
    class Breaks(Pass):
        def transform(self, module: Module) -> Module:
            return module.with_function("main", relay.Function([], module.main.body))

    with transform.PassContext(instruments=[transform.PassCheckInstrument()]):
        transform.FoldConstant()(MODULE)
        with pytest.raises(
            typed.RelayError, match="the pass breaks made the program invalid"
        ) as found:
            Breaks()(MODULE)
    assert found.value.code == "C040"

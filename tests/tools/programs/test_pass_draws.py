"""Draws of programs and passes find passes that break programs."""

from pathlib import Path
from typing import cast

import pytest

from relay.ir.expr import Call, Expr, Function, Operator
from relay.ir.types import TensorType
from relay.ir.walk import rewrite
from relay.support.node import value
from relay.transform.parse_passes import pass_names
from relay.transform.pipeline import FunctionPass
from tools.fuzzing.programs import pass_draws
from tools.fuzzing.programs.changed_meanings import CHANGING
from tools.fuzzing.programs.laws import Broken
from tools.fuzzing.programs.pass_cases import read_case
from tools.fuzzing.programs.pass_draws import NEVER, Draw, draw, drawn_passes
from tools.fuzzing.programs.seeds import Seeds


@value
class Mistaken(FunctionPass):
    """A pass that is wrong: calls that keep the type of an operand, floats, become the operand."""

    def run(self, function: Function) -> Function:
        return cast("Function", rewrite(function, _rule))


def _rule(expr: Expr) -> Expr:
    match expr:
        case Call(Operator(), (first, *_)) if first.ty is expr.ty and _has_floats(first):
            return first
        case _:
            return expr


def _has_floats(expr: Expr) -> bool:
    return isinstance(expr.ty, TensorType) and expr.ty.dtype.is_float


def test_each_pass_is_drawn_in_turn():
    titles = [each.title() for each in drawn_passes()]
    assert {"fuse-operators", "convert-layout", "partial-evaluate", "split-args"} <= {*titles}
    assert len({*titles}) == len(titles)
    found = draw(titles.index("fold-constants"), every=1000)
    assert found == Draw(("fold-constants",), changed=found.changed, compiled=True)


def test_each_pass_is_drawn_or_has_a_reason():
    drawn = {each.title() for each in (*drawn_passes(), *CHANGING)}
    assert {*pass_names()} - drawn <= {*NEVER, "partition-for"}  # whose compiler need not be here
    assert not {*NEVER} & drawn


@pytest.mark.parametrize("place", range(len(CHANGING)))
def test_passes_that_change_meanings_have_laws(place: int):
    each = CHANGING[place]
    count = len(drawn_passes()) + len(CHANGING)
    found = [draw(count * turn - len(CHANGING) + place, every=1 << 30, size=12) for turn in (1, 2)]
    assert {draw.passes for draw in found} == {(each.title(),)}


def test_a_seed_gives_a_pass_something_to_do():
    golden = Path(__file__).parents[2] / "transform/golden"
    case = read_case(golden / "flatten_concatenate_along_one_axis.rly")
    titles = [each.title() for each in drawn_passes()]
    number = titles.index("flatten-concatenate") + len(titles) + len(CHANGING)
    assert not draw(number, every=1 << 30, size=12).changed
    assert draw(number, every=1 << 30, size=12, seeds=Seeds([case])).changed


def test_sequences_are_checked_on_all_executors():
    found = [draw(number, length=5, every=1, gradients=1, size=12) for number in range(5)]
    assert all(len(each.passes) == 5 for each in found)
    assert any(each.compiled for each in found)


def test_a_wrong_pass_is_found(monkeypatch):
    monkeypatch.setattr(pass_draws, "drawn_passes", lambda: (Mistaken(),))
    turns = range(0, 20 * (1 + len(CHANGING)), 1 + len(CHANGING))  # those of the pass
    draws = (draw(number, every=1000, gradients=1000) for number in turns)
    with pytest.raises(Broken, match="mistaken"):
        list(draws)

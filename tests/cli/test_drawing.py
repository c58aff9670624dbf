"""Drawings of functions, branches and matches: pictures inside cards."""

from itertools import combinations, pairwise

import pytest

import relay
from relay.build.pipeline import optimize
from relay.cli.drawing.cards import Card
from relay.cli.drawing.html_page import page_of
from relay.cli.drawing.layered_layout import lay_out
from relay.cli.drawing.nested_layout import arrange
from relay.cli.drawing.pictures import picture_of_module
from relay.semantics.infer import infer
from relay.targets.cpu import this_cpu
from relay.transform.remarks import FusionObstacle, recorded
from relay.transform.run_passes import run_passes

LISTS = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}
def @apply(%f: fn (float32) -> float32, %items: List[float32]) -> List[float32] {
  match (%items) {
    Nil => Nil,
    Cons(%head, %tail) => Cons(%f(%head), @apply(%f, %tail)),
  }
}
def @main(%items: List[float32], %by: float32) -> List[float32] {
  let %scale = fn (%x: float32) -> float32 {
    if (less(%x, 0f)) { multiply(%x, %by) } else { %x }
  };
  @apply(%scale, %items)
}
"""


KERNELS = """#[version = "0.0.5"]
def @main(%x: Tensor[(4, 8), float32], %w: Tensor[(16, 8), float32]) {
  nn.softmax(nn.dense(%x, %w) * 2f)
}
"""


@pytest.fixture
def picture():
    return picture_of_module(relay.parse(LISTS))


def titled(card: Card, title: str) -> Card:
    """Return the card of that title inside another one, wherever it is."""
    pending = [card]
    while pending:
        at = pending.pop()
        if at.lines[0].title == title:
            return at
        pending += [each for region in at.regions for each in region.picture.cards]
    raise AssertionError(title)


def names(card: Card, region: int = 0) -> list[str]:
    return [each.lines[0].title for each in card.regions[region].picture.cards]


def test_each_function_is_a_card(picture):
    assert {card.lines[0].title for card in picture.cards} == {"@apply", "@main"}
    assert picture.wires == ()


def test_a_match_has_a_picture_for_each_case(picture):
    (apply,) = (card for card in picture.cards if card.lines[0].title == "@apply")
    match = titled(apply, "match")
    assert [region.title for region in match.regions] == ["Nil", "Cons(head, tail)"]
    assert names(match, 0) == ["Nil", "result"]
    assert set(names(match, 1)) == {"head", "tail", "f", "call f", "call @apply", "Cons", "result"}


def test_a_closure_takes_what_it_captures(picture):
    (main,) = (card for card in picture.cards if card.lines[0].title == "@main")
    inside = main.regions[0].picture
    order = [card.lines[0].title for card in inside.cards]
    assert order == ["items", "by", "fn scale", "call @apply", "output 0"]
    wires = {(order[source], order[target]) for source, target in inside.wires}
    assert ("by", "fn scale") in wires
    assert ("fn scale", "call @apply") in wires
    choice = titled(inside.cards[2], "if")
    assert [region.title for region in choice.regions] == ["then", "else"]
    assert names(choice, 0) == ["x", "by", "multiply", "result"]
    assert "less 0" in names(inside.cards[2])


def test_cards_are_inside_of_those_around_them_and_do_not_overlap(picture):
    arrangement = arrange(picture)
    boxes = [
        (p.x - p.width / 2, p.y - p.height / 2, p.x + p.width / 2, p.y + p.height / 2)
        for p in arrangement.cards
    ]
    for (a, card), (b, other) in combinations(zip(boxes, arrangement.cards, strict=True), 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        inside = a[0] <= b[0] and a[1] <= b[1] and b[2] <= a[2] and b[3] <= a[3]
        assert apart or inside, (card.card.lines, other.card.lines)
        if not apart:
            frames = [(f.left, f.top, f.left + f.width, f.top + f.height) for f in card.frames]
            assert any(
                f[0] <= b[0] and f[1] <= b[1] and b[2] <= f[2] and b[3] <= f[3] for f in frames
            )
    for source, target, path in arrangement.wires:
        assert path[0][1] == pytest.approx(boxes[source][3])
        assert path[-1][1] == pytest.approx(boxes[target][1])


def test_a_loop_that_calls_itself_is_drawn_once():
    module = relay.parse(
        '#[version = "0.0.5"]\n'
        "def @main(%n: int32) -> int32 {\n"
        "  let %loop: fn (int32) -> int32 = fn (%i: int32) -> int32 {\n"
        "    if (less(%i, %n)) { %loop(add(%i, 1)) } else { %i }\n"
        "  };\n"
        "  %loop(0)\n"
        "}\n"
    )
    picture = picture_of_module(module)
    assert [card.lines[0].title for card in picture.cards] == [
        "n",
        "fn loop",
        "call loop 0",
        "output 0",
    ]
    assert picture.wires == ((0, 1), (1, 2), (2, 3))
    branch = titled(picture.cards[1], "if")
    assert names(branch, 0) == ["i", "add 1", "call loop", "result"]


def test_branches_may_be_deep():
    x = relay.var("x", "float32")
    body = x
    for number in range(600):
        body = relay.If(relay.less(x, relay.const(float(number))), x, body)
    picture = picture_of_module(relay.Module.of(relay.Function((x,), body)))
    assert len(picture.every_card) > 600
    assert arrange(picture).height > 600
    assert "less 7" in page_of(picture, "deep", "")


def test_a_card_says_why_its_kernel_is_one():
    with recorded() as remarks:
        optimised = run_passes(infer(relay.parse(KERNELS)), optimize(this_cpu()))[0]
    facts = [dict(card.facts) for card in picture_of_module(optimised, remarks).cards]
    found = [each["why a kernel"] for each in facts if "why a kernel" in each]
    assert found == [f"multiply is not fused with nn.softmax: {FusionObstacle.PROLOGUE.value}"]
    assert any("why this layout" in each for each in facts)
    plain = picture_of_module(optimised)
    assert not any("why a kernel" in dict(card.facts) for card in plain.cards)


def test_a_chain_stays_straight_where_constants_join_it():
    chain = range(0, 41, 2)  # the boxes between are constants, each for the next box of the chain
    wires = [*pairwise(chain), *((box - 1, box) for box in chain[1:])]
    centres = lay_out([(100.0, 40.0)] * 41, wires).centres
    columns = [centres[box][0] for box in chain[1:]]  # the first box is an input, like constants
    assert max(columns) - min(columns) < 30  # it was 64 a box

"""`relay show`: text, counts, and drawings whose boxes do not overlap."""

import json
import random
import re
from itertools import pairwise

import pytest

import relay as package
from relay.cli.drawing.html_page import page_of
from relay.cli.drawing.layered_layout import DOT, GAP, assign_layers, lay_out, separated
from relay.cli.drawing.pictures import picture_of
from relay.cli.format_numbers import count_text, milliseconds


def test_text(relay, model):
    ran = relay("show", model)
    assert "def @main(" in ran.out
    assert "nn.relu" in ran.out


def test_program_code(relay, model, tmp_path):
    shown = relay("show", model, "--program").out
    assert shown.startswith("fn @main.0(%0: float32[")
    assert "run-kernel" in shown
    path = tmp_path / "m.relay"
    package.vm.compile(package.load(model)).save(path)
    assert relay("show", path, "--program").out == shown
    assert "U014" in relay("show", path).err


def test_a_function_that_is_not_there_is_named(model):
    with pytest.raises(package.RelayError, match="U001") as caught:
        package.load(model)["mian"]
    assert caught.value.notes == ("known: @main",)


def test_summary_counts_by_hand(relay, model):
    lines = [line.split() for line in relay("show", model, "--summary").out.splitlines()]
    assert ["nn.relu", "1", "6", "48", "B"] in lines
    assert ["12", "parameters", "in", "1", "constants,", "48", "B"] in lines


LISTS = """#[version = "0.0.5"]
import "prelude.rly"
type O { N, S(int32) }
def @main(%o: O, %l: List[Tensor[(n), float32]]) {
  match (%o) { S(_) => @length(%l), _ => 2 }
}
"""


def test_summary_and_drawing_have_what_main_reaches(relay, tmp_path):
    path, drawn = tmp_path / "lists.rly", tmp_path / "lists.html"
    path.write_text(LISTS, encoding="utf-8")
    ran = relay("show", path, "--summary")
    counts = [line.split() for line in ran.out.splitlines() if line.split()[1:2] == ["1"]]
    assert [words[0] for words in counts] == ["add", "all"]
    assert relay("show", path, "--html", drawn).status == 0
    page = drawn.read_text("utf-8")
    assert "@length" in page
    assert "@map" not in page


def test_open_sizes_are_counted_as_small_ones(relay, open_model):
    ran = relay("show", open_model, "--summary")
    assert "counted as batch = 1" in ran.out
    assert ["nn.relu", "1", "6", "48", "B"] in [line.split() for line in ran.out.splitlines()]
    ran = relay("show", open_model, "--summary", "--shape", "x=3,2")
    assert ["nn.relu", "1", "18", "144", "B"] in [line.split() for line in ran.out.splitlines()]


def test_shapes_of_unknown_sizes(relay, tmp_path):
    path = tmp_path / "p.rly"
    path.write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(?, 4), float32]) { tanh(%x) }', "utf-8"
    )
    for command in ("show", "opt"):
        assert "-> Tensor[(2, 4), float32]" in relay(command, path, "--shape", "x=2,4").out
    tuned = relay("tune", path, "--shape", "x=2,4", "--seconds", "0")
    assert tuned.status == 0
    for command in ("show", "opt", "compile", "tune"):
        assert "C106" in relay(command, path, "--shape", "q=1,2").err


def test_a_search_checks_its_output_before_it_begins(relay, tmp_path):
    absent = tmp_path / "absent.rly"
    assert "U010" in relay("tune", absent, "-o", "a.so").err
    assert "U015" in relay("tune", absent, "-o", tmp_path / "no/a.relay").err


def test_the_drawing_is_one_file_with_everything(relay, model, tmp_path):
    path = tmp_path / "a.html"
    assert relay("show", model, "--html", path).status == 0
    page = path.read_text("utf-8")
    assert not re.search(r"""(src|href)\s*=|https?://|@import|url\(""", page)
    (data,) = map(json.loads, re.findall(r'type="application/json">(.*?)</script>', page))
    titles = [card["lines"][0][0] for card in data["cards"]]
    assert (titles[0], titles[-1]) == ("x", "y")
    assert "U015" in relay("show", model, "--html", tmp_path / "no/such/a.html").err
    assert "U010" in relay("show", model, "--html", tmp_path / "a.relay").err


def test_fused_operations_share_a_card(relay, model, tmp_path):
    path = tmp_path / "a.html"
    ran = relay("show", model, "--html", path, "--optimized")
    assert "1 fused kernel," in ran.out


PROGRAM = """#[version = "0.0.5"]
def @f(%y: Tensor[(2), float32]) -> Tensor[(2), float32] { tanh(%y) }
def @main(%n: int32, %x: Tensor[(2), float32]) {
  let %g = fn (%i: int32, %y: Tensor[(2), float32]) -> Tensor[(2), float32] {
    if (%i > 0) { %g(%i - 1, @f(%y)) } else { %y }
  };
  exp(@f(%g(%n, %x)))
}"""


def test_the_optimised_program_is_the_one_that_is_compiled(relay, tmp_path):
    path, page = tmp_path / "p.rly", tmp_path / "p.html"
    path.write_text(PROGRAM)
    shown = relay("show", path, "--optimized").out
    assert "@f" not in shown
    assert "Primitive=1" in shown
    relay("show", path, "--optimized", "--html", page)
    assert "%g is not inlined: it is recursive" in page.read_text("utf-8")


def test_names_cannot_break_out_of_the_page(model):
    picture = picture_of(package.load(model).main)
    page = page_of(picture, "</script><b>", "&")
    assert "</script><b>" not in page
    assert "&lt;/script>" in page


def random_graph(count, seed):
    rng = random.Random(seed)
    wires = [
        (max(0, node - rng.choice([1, 1, 2, 5, 20])), node)
        for node in range(1, count)
        for _ in range(rng.choice([1, 1, 2]))
    ]
    sizes = [(rng.uniform(50, 200), rng.uniform(30, 90)) for _ in range(count)]
    return sizes, wires


@pytest.mark.parametrize("seed", range(5))
def test_boxes_do_not_overlap_and_wires_lead_down(seed):
    sizes, wires = random_graph(200, seed)
    layout = lay_out(sizes, wires)
    boxes = [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(layout.centres, sizes, strict=True)
    ]
    for i, a in enumerate(boxes):
        assert a[0] >= -1e-6
        assert a[2] <= layout.width + 1e-6
        for b in boxes[:i]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (a, b)
    for (source, target), path in zip(wires, layout.paths, strict=True):
        assert path[0] == pytest.approx((layout.centres[source][0], boxes[source][3]))
        assert path[-1] == pytest.approx((layout.centres[target][0], boxes[target][1]))
        assert all(upper[1] <= lower[1] + 1e-6 for upper, lower in pairwise(path))


def test_layers_of_a_long_chain_need_no_recursion():
    count = 100_000
    assert assign_layers(count, [(i, i + 1) for i in range(count - 1)])[-1] == count - 1


def test_an_empty_picture_and_a_single_box():
    assert lay_out([], []).width == 0
    assert lay_out([(100.0, 40.0)], []).centres == ((50.0, 20.0),)
    assert GAP > DOT


def test_places_are_the_nearest_in_order():
    assert separated([5.0, 5.0, 50.0], [1.0, 1.0, 1.0], [10.0, 10.0]) == [0.0, 10.0, 50.0]
    assert separated([3.0, 1.0], [3.0, 1.0], [0.0]) == [2.5, 2.5]


def test_words():
    assert milliseconds(0) == "0 ms"
    assert count_text(0) == "0"
    assert count_text(1234, "B") == "1.23 kB"


def test_what_is_written_in_vain_is_said(relay, tmp_path):
    path = tmp_path / "vain.rly"
    path.write_text(LISTS.replace("_ => 2", "_ => 2, N => 3"), encoding="utf-8")
    for command in ("check", "show"):
        ran = relay(command, path)
        assert ran.status == 0
        assert ran.err.count("warning[T042]") == 1

"""docs/how-to/classic-passes.md: every classic name is there, and does what its row says."""

import re
from pathlib import Path

import pytest

import relay
from relay.ir.equality import structural_equal
from relay.semantics.infer import infer
from relay.transform import tvm_passes

ROOT = Path(__file__).parents[2]
PAGE, ANALYSES, PATTERNS = re.split(
    r"## (?:Analyses|Dataflow patterns) of TVM",
    ROOT.joinpath("docs/how-to/classic-passes.md").read_text("utf-8"),
)
ROW = re.compile(r"^\| `(\w+)(.*?)` \| (\w+) \| (.*?) ?\|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
STATES = {name: state for name, _, state, _ in ROWS}
GOLDEN = ROOT / "tests/transform/golden"
WORKING = [(name + call, shown.strip("`")) for name, call, state, shown in ROWS if state == "works"]


def test_the_list_is_the_table_of_passes():
    offered = {*tvm_passes.PASSES, *tvm_passes.FUNCTIONS}
    assert {name for name, state in STATES.items() if state == "works"} == offered
    assert {name for name, state in STATES.items() if state == "absent"} == set(tvm_passes.ABSENT)


@pytest.mark.parametrize(("call", "shown"), WORKING, ids=[call for call, _ in WORKING])
def test_a_pass_that_works_changes_its_program(call: str, shown: str):
    if shown.startswith("tests/"):
        assert call.partition("(")[0] in ROOT.joinpath(shown).read_text("utf-8")
        return
    source = GOLDEN.joinpath(f"{shown}.rly").read_text("utf-8").partition("// ---")[0]
    before = infer(relay.parse(source))
    after = eval(call, {name: getattr(relay.transform, name) for name in tvm_passes.NAMES})(before)
    assert not structural_equal(before, after)


def test_the_list_is_the_table_of_analyses():
    for name, _, state, _ in ROW.findall(ANALYSES):
        if state == "works":
            assert callable(getattr(relay.analysis, name))
        else:
            with pytest.raises(relay.RelayError, match=name):
                getattr(relay.analysis, name)


def test_each_row_of_patterns_has_its_test():
    files = ROOT.joinpath("tests/classic/dataflow_pattern").glob("*.py")
    tests = {name for file in files for name in re.findall(r"def (test_\w+)", file.read_text())}
    shown = re.findall(r"\| `(test_\w+)` \|", PATTERNS)
    assert len(shown) == len(re.findall(r"^\| (?!---)", PATTERNS, re.MULTILINE)) - 4
    assert set(shown) <= tests


def test_the_blocks_of_the_page_run():
    blocks = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1
    exec("".join(blocks), {})

"""`relay opt` runs passes by their names."""

import re
from inspect import Parameter, signature
from pathlib import Path

import pytest

from relay import RelayError, parse, transform
from relay.ir.expr import Var
from relay.ir.types import TensorType
from relay.support.node import replace
from relay.transform import tvm_passes
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.parse_passes import definition, pass_class, pass_names, passes_of
from relay.transform.pipeline import kebab
from relay.transform.user_passes import ClassicPass
from tests.cli.conftest import Relay

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { (tanh(exp(%x) + 1f), exp(%x) * (2f * 3f)) }
"""


X = Var("out_of_scope", TensorType((2,)))


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "p.rly"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_passes_run_in_order_and_the_result_is_a_program(relay: Relay, program: str):
    ran = relay("opt", program, "-p", "fold-constants,fuse-ops{fuse_opt_level=0}")
    assert ran.status == 0
    assert ran.out.count("Primitive=1") == 5
    parse(ran.out)


def test_a_difference_is_what_each_pass_changed(relay: Relay, program: str):
    ran = relay(
        "opt",
        program,
        "-p",
        "fold-constants,eliminate-common-subexpressions,to-graph-form",
        "--diff",
    )
    assert [line for line in ran.out.splitlines() if line.startswith("//")] == [
        "// fold-constants", "// eliminate-common-subexpressions"
    ]  # fmt: skip
    assert "-  %4 = multiply(2f, 3f);" in ran.out


def test_programs_are_printed_after_passes(relay: Relay, program: str):
    names = "fold-constants,to-a-normal-form"
    after_one = relay("opt", program, "-p", names, "--print-after", "fold-constants")
    assert after_one.out.count("#[version") == 2
    assert relay("opt", program, "-p", names, "--print-after", "all").out.count("#[version") == 3


@pytest.mark.parametrize("name", ["fuse-ops", "simplify-expr", "SimplifyExpr"])
def test_each_option_takes_the_names_of_the_list_of_passes(relay: Relay, program: str, name: str):
    names = "fuse-ops,SimplifyExpr,DynamicToStatic"
    ran = relay("opt", program, "-p", names, "--print-after", name)
    assert ran.out.count("#[version") == 2
    ran = relay("opt", program, "-p", names, "--without", name, "--print-after", "all")
    assert ran.out.count("#[version") == 3


def test_without_names_the_passes_of_a_compilation_run(relay: Relay, program: str, tmp_path: Path):
    result = tmp_path / "o.rly"
    ran = relay("opt", program, "--time", "--verify", "-o", str(result))
    assert ran.status == 0
    assert "fuse-operators" in ran.out
    assert "Primitive=1" in result.read_text(encoding="utf-8")


def test_the_names_of_passes_are_listed(relay: Relay):
    listed = relay("opt", "--list").out
    assert {"combine-parallel-conv2d", "lambda-lift", "fold-constants"} <= {*pass_names()}
    assert all(name in listed for name in pass_names())
    assert not any(issubclass(pass_class(name), ClassicPass) for name in pass_names())
    assert "Replace products with a constant matrix by dense layers" in " ".join(listed.split())


def test_a_pass_is_explained(relay: Relay):
    explained = relay("opt", "--list", "sink-gathers").out
    assert explained.startswith("sink-gathers{limit=4194304}\n\nCompute functions of gathered rows")
    assert "2. A slice of a row" in explained
    assert "U320" in relay("opt", "--list", "sink-gather").err
    for name in ("fuse-ops", "FuseOps"):
        assert relay("opt", "--list", name).out.startswith("FuseOps{fuse_opt_level=-1, limit=64}")
    assert "The pass Inline is TVM's: relay" in relay("opt", "--list", "inline").out
    listed = relay("opt", "--list", "ConvertLayout").out
    assert listed.startswith("ConvertLayout{desired_layouts=…}")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "U320"), ("fold-constants,,inline", "U320"), ("fuze-ops", "U320"),
        ("inline{limit", "U320"), ("inline{limt=3}", "U321"), ("inline{3}", "U321"),
        ("fuse-operators{limit=8,limit=9}", "U321"),
        ("inline{limit=x}", "U321"), ("inline{**{}}", "U321"), ("split-args", "U321"),
        ("fuse-operators{limit='a'}", "U321"), ("inline{limit=True}", "U321"),
        ("fuse-operators{limit=-3}", "U321"), ("repeat{passes=5}", "U321"),
        ("repeat{passes=(5,)}", "U321"), ("partial-evaluate{steps=0}", "U321"),
        ("fuse-operators{apart=5}", "U321"), ("choose-checkpoints{budget=-7}", "U321"),
        ("choose-checkpoints{budget='x'}", "U321"), ("return-regions{names=5}", "U321"),
        ("remove-unused-functions{entries=5}", "U321"),
        ("remove-unused-functions{entries='main'}", "U321"),
        ("fuse-operators{accepts=5}", "U321"), ("to-mixed-precision{dtype=5}", "U321"),
        ("split-products{tables=5}", "U321"),
        ("ConvertLayout{desired_layouts={'nn.relu': ['NHWC']}}", "U310"),
        ('ToMixedPrecision{mixed_precision_type="int8"}', "U046"),
        ("PlanDevices{limit=3}", "U321"), ("fuse-ops{limt=8}", "U321"),
    ],
)  # fmt: skip
def test_mistakes_in_names_and_options(text: str, code: str):
    with pytest.raises(RelayError) as found:
        passes_of(text)
    assert found.value.code == code
    assert code != "U321" or text.partition("{")[0] in found.value.message


def test_options_are_fields_and_classic_passes_have_their_own():
    (fuse, eta, fold) = passes_of(" FuseOperators { limit = 3 } , eta-expand,fold-scale-axis")
    assert isinstance(fuse, FuseOperators)
    assert fuse.limit == 3
    assert [eta.title(), fold.info.name] == ["eta-expand", "FoldScaleAxis"]
    assert passes_of("PlanDevices{config=3}") == [transform.PlanDevices(3)]
    (limited, single, same) = passes_of(
        "fuse-ops{limit=8},FuseOps{fuse_opt_level=0},eliminate-common-subexpressions"
    )
    assert limited == transform.FuseOps(limit=8)
    assert single == transform.FuseOps(fuse_opt_level=0)
    assert same.title() == "eliminate-common-subexpressions"


def test_names_of_tvm_run_what_python_offers_under_them():
    for name, make in tvm_passes.PASSES.items():
        parameters = signature(make).parameters.values()
        if all(each.default is not Parameter.empty for each in parameters):
            assert passes_of(name) == [make()], name
        if kebab(name) not in pass_names():
            assert definition(kebab(name)) is make
    for (ours,) in map(passes_of, ("inline", "eta-expand", "to-mixed-precision")):
        assert not isinstance(ours, ClassicPass)


def test_a_pass_of_several_passes_runs_all_of_them(relay: Relay, program: str):
    both = "`fold-scale`, `fold-scale-forward`"
    assert both in relay("opt", "--list", "fold-scale-axis").out
    text = relay("opt", program, "-p", "DeadCodeElimination{inline_once=True}").out
    assert text == relay("opt", program, "-p", "drop-dead-lets,to-graph-form").out


def test_an_entry_that_is_no_function_is_a_wrong_option(relay: Relay, program: str):
    ran = relay("opt", program, "-p", "remove-unused-functions{entries=('zz',)}")
    assert "U321" in ran.err
    assert "raised this error" not in ran.err


def test_no_program_is_a_mistake(relay: Relay):
    assert "U321" in relay("opt").err


def test_no_passes_and_passes_that_do_not_run_are_mistakes(relay: Relay, program: str):
    assert "U320" in relay("opt", program, "-p", "").err
    assert "U320" in relay("opt", program, "-p", "inline", "--print-after", "fold-constants").err


@pytest.mark.parametrize("limit", ["-5", "nan"])
def test_a_time_limit_is_a_number_of_seconds(relay: Relay, program: str, limit: str):
    assert "U010" in relay("opt", program, "-p", "inline", "--time-limit", limit).err


def test_passes_are_disabled_by_their_names(relay: Relay, program: str):
    names = "fold-constants,eliminate-common-subexpressions"
    alone = relay("opt", program, "-p", "fold-constants").out
    disabled = "eliminate-common-subexpressions"
    assert relay("opt", program, "-p", names, "--without", disabled).out == alone
    assert "U320" in relay("opt", program, "-p", names, "--without", "inline").err


def test_passes_that_need_a_disabled_pass_are_disabled_together(relay: Relay, program: str):
    refused = relay("opt", program, "--without", "fuse-operators,fold-scale").err
    assert "what fuse-operators ensures: multi-output-fusion, serpentine-reads" in refused
    (together,) = re.findall("--without (.*)", refused)
    assert relay("opt", program, "--without", together).status == 0


def test_a_wrong_pass_leaves_a_small_program(relay: Relay, program: str, tmp_path: Path):
    small = tmp_path / "small.rly"
    ran = relay("opt", program, "-p", "fold-constants", "--minimize", small)
    assert ran.status == 0
    assert "all passes are correct" in ran.err
    assert not small.exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FoldConstants, "run", lambda _, function: replace(function, body=X))
        ran = relay("opt", program, "-p", "fold-constants", "--minimize", small)
    assert ran.status == 1
    assert "C040" in ran.err
    assert small.name in "".join(ran.err.split())
    assert small.read_text(encoding="utf-8").startswith("// passes: fold-constants")
    parse(small.read_text(encoding="utf-8"))


def test_levels_are_named_pipelines(relay: Relay, program: str):
    assert relay("opt", program, "-p", "O0").out.count("Primitive=1") > 2
    assert relay("opt", program, "-p", "O3").out == relay("opt", program).out
    listed = [relay("opt", "--list", level).out for level in ("O0", "O2")]
    assert "fold-scale" not in listed[0]
    assert "fold-scale" in listed[1]
    mixed = relay("opt", program, "-p", "to-a-normal-form,O1", "--print-after", "all").out
    assert mixed.startswith("// after to-a-normal-form")


def test_results_are_drawn_and_programs_dumped(relay: Relay, program: str, tmp_path: Path):
    page, folder = tmp_path / "page.html", tmp_path / "passes"
    names = "eliminate-common-subexpressions,fuse-operators"
    ran = relay("opt", program, "-p", names, "--html", page, "--dump", folder)
    assert "1 fused kernel," in ran.out
    assert "several kernels read its result" in page.read_text(encoding="utf-8")
    assert sorted(each.name for each in folder.iterdir()) == [
        "000-eliminate-common-subexpressions-after.rly",
        "000-eliminate-common-subexpressions-before.rly",
        "001-fuse-operators-after.rly", "001-fuse-operators-before.rly",
    ]  # fmt: skip
    assert "Primitive" in (folder / "001-fuse-operators-after.rly").read_text(encoding="utf-8")
    unwritten = relay("opt", program, "--dump", program).err
    assert "U015" in unwritten
    assert "raised this error" not in unwritten  # no pass did
    assert "reproduces" not in unwritten
    for option, name in (("--html", "a.html"), ("-o", "a.rly")):
        missing = relay("opt", program, "-p", names, option, tmp_path / "missing" / name)
        assert "U015" in missing.err
        assert "U010" in relay("opt", program, option, tmp_path / "a.relay").err


def test_a_misspelt_option_is_corrected():
    with pytest.raises(RelayError, match="fuse-operators has no option 'limt'") as found:
        passes_of("fuse-operators{limt=8}")
    assert found.value.help == "did you mean limit?"

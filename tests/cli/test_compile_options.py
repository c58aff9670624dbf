"""Every option of `relay.compile` on the command line, and completion in shells."""

import argparse
import inspect
import json
import shutil
import subprocess
from typing import Any

import pytest

import relay as library
from relay.cli import compile_options as compilation
from relay.cli.completion import SHELLS, options_of_commands
from relay.cli.main import COMMANDS, parser_of

FROM_PYTHON_ONLY = {"model", "example_inputs", "progress", "remarks"}


def chosen(*words):
    parser = argparse.ArgumentParser()
    compilation.add_compilation(parser)
    parser.add_argument("--target")
    return compilation.compilation_of(parser.parse_args(words))


def test_every_option_is_there():
    known = inspect.signature(library.compile).parameters.keys()
    assert chosen().keys() == known - FROM_PYTHON_ONLY


def test_a_misspelt_option_names_the_function():
    options: dict[str, Any] = {"threds": 3}
    with pytest.raises(TypeError, match=r"^compile\(\) got an unexpected .*'threds'"):
        library.compile(None, **options)


def test_options_become_arguments():
    found = chosen(
        *("--shape", "x=1,2", "--threads", "2", "--fast-math", "--verify", "--opt-level", "0"),
        *(
            "--donate",
            "a=b=1",
            "--schedule",
            "dense+relu:wide=7",
            "--schedule",
            "dense+relu:tall=2",
            "--schedule",
            "dense:turned.wide=4",
        ),
    )
    assert found["shapes"] == {"x": (1, 2)}
    assert (found["threads"], found["opt_level"]) == (2, 0)
    assert (found["fast_math"], found["verify"], found["batch"]) == (True, True, False)
    assert found["donate"] == {"a=b": 1}
    assert found["schedules"] == {
        "dense+relu": {"wide": 7, "tall": 2},
        "dense": {"turned": {"wide": 4}},
    }


@pytest.mark.parametrize(
    "words",
    [
        ("--donate", "x"),
        ("--donate", "x=y"),
        ("--donate", "x=0", "--donate", "x=1"),
        ("--schedule", "a=1"),
        ("--schedule", "a:b=("),
        ("--schedule", "a:b=1", "--schedule", "a:b.c=2"),
        ("--schedule", "a:b=1", "--schedule", "a:b=2"),
    ],
)
def test_options_that_cannot_be_read(words):
    with pytest.raises(library.RelayError, match="U010"):
        chosen(*words)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bench m.onnx --threads 0", "the number must be from 1 to 256, not 0"),
        ("run m.onnx --opt-level 4", "the number must be from 0 to 3, not 4"),
        ("run m.onnx --threads 2 --threads 1", "the option has two values; omit one of them"),
        ("opt m.onnx -p O1 --passes O2", "the option has two values; omit one of them"),
        ("bench m.onnx --vs ort,ort", "the name 'ort' is empty or given twice"),
        ("run m.onnx --compilers=", "the value is empty"),
        ("compile m.onnx --target=", "the value is empty"),
        ("compile m.onnx -o=", "the value is empty"),
    ],
)
def test_values_that_have_no_meaning(relay, line, message):
    ran = relay(*(each.removesuffix("=") for each in line.split()), *[""] * line.endswith("="))
    assert ran.status == 2
    assert ran.err.splitlines()[0].endswith(message)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("bench m.onnx --vs relay", "U020"),
        ("ops nn.relu --coverage", "U014"),
        ("ops nn.relu --pages pages", "U014"),
        ("explain T012 --kernels 3 --threads 2", "U014"),
        ("compile a.relay -o b.so --shape x=2", "U014"),
    ],
)
def test_options_without_an_effect(relay, line, code):
    assert f"error[{code}]" in relay(*line.split()).err


def test_options_reach_the_compiler(relay, open_model, tmp_path):
    path = tmp_path / "m.relay"
    ran = relay("compile", open_model, "-o", path, "--specialise")
    assert (ran.status, "U016" in ran.err) == (1, True)
    assert relay("compile", open_model, "-o", path, "--donate", "nothing=0").status == 1
    assert relay("run", open_model, "--random", "--fast-math", "--opt-level", "0").status == 0


def test_a_compiled_file_takes_no_options_of_the_compiler(relay, model, tmp_path):
    path = tmp_path / "m.relay"
    assert relay("compile", model, "-o", path).status == 0
    ran = relay("run", path, "--random", "--fast-math", "--opt-level", "0")
    assert ran.status == 1
    assert "--fast-math, --opt-level" in ran.err


def test_completion_knows_commands_and_options(relay):
    options = options_of_commands()
    assert options.keys() == COMMANDS.keys()
    assert {"--shape", "--output", "-o", "--debug"} <= set(options["compile"])
    for shell in SHELLS:
        ran = relay("completion", shell)
        assert ran.status == 0
        assert all(name in ran.out for name in (*COMMANDS, "fast-math"))
    assert parser_of("run").prog == "relay run"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("relay comp", ["compile", "completion"]), ("relay run x --se", ["--seed"])],
)
def test_bash_completes(relay, line, wanted):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    words = line.split()
    script = relay("completion", "bash").out + (
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _relay; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == wanted


def test_results_for_scripts(relay, model, tmp_path):
    ran = relay("run", model, "--input", "[[1, 2]]", "--json", "-o", tmp_path)
    found = json.loads(ran.out)
    assert found["outputs"] == {"y": [[0, 0, 3, 6, 9, 12]]}
    assert found["seconds"].keys() == {"ready", "median", "fastest"}
    assert (tmp_path / "y.npy").exists()
    assert "units" in json.loads(relay("ops", "nn.dense", "--json").out)["nn.dense"]
    for option in ("--onnx", "--tflite"):
        assert json.loads(relay("ops", option, "--json").out)


def test_errors_for_scripts(relay, model, tmp_path):
    bad = tmp_path / "bad.rly"
    bad.write_text('#[version = "0.0.5"]\ndef @main() { nonsense(1) }')
    ran = relay("check", model, bad, tmp_path / "absent.onnx", "--json")
    good, wrong, absent = json.loads(ran.out)
    assert (ran.status, ran.err) == (2, "")
    assert good["errors"] == []
    assert "2 operators" in good["summary"]
    (error,) = wrong["errors"]
    assert (error["code"], error["place"]) == ("T005", f"{bad}:2:15")
    assert absent["errors"][0]["code"] == "U017"


@pytest.mark.parametrize("given", ["run absent.onnx --random", "bench absent.onnx", "ops absent"])
def test_errors_of_commands_that_print_json(relay, given):
    ran = relay(*given.split(), "--json")
    (error,) = json.loads(ran.out)["errors"]
    assert (ran.status, ran.err) == (1, "")
    assert error["code"] in ("F001", "T005")
    assert error.keys() == {"code", "message", "place", "notes", "help"}


def test_lists_of_operators_for_scripts(relay):
    (found,) = json.loads(relay("ops", "logical_and", "--types", "--json").out)["logical_and"]
    assert found == {"arguments": ["lhs", "rhs"], "types": ["bool"]}
    covered = json.loads(relay("ops", "--coverage", "--json").out)
    assert covered["logical_and"].keys() == {"here", "derivative", "second", "reason"}
    assert [*json.loads(relay("ops", "Gemm", "--onnx", "--json").out)] == ["ai.onnx::Gemm"]


def test_outputs_are_read_as_inputs(relay, tmp_path):
    program = tmp_path / "same.rly"
    program.write_text("""#[version = "0.0.5"]
type Tree { Leaf, Node(Tree, Tensor[(3), float32]), }
def @main(%z: Tensor[(2), complex64], %t: Tree) { (%z, %t) }""")
    z, t = [[1.0, 2.0], ["nan", -1.0]], {"Node": [{"Leaf": []}, ["nan", "-inf", 1.0]]}
    inputs = [f"--input={name}={json.dumps(value)}" for name, value in (("z", z), ("t", t))]
    ran = relay("run", program, *inputs, "--json")
    assert [*json.loads(ran.out)["outputs"].values()] == [z, t]


def test_data_and_numbers_that_json_lacks(relay, tmp_path):
    program = tmp_path / "list.rly"
    program.write_text("""#[version = "0.0.5"]
import "prelude.rly"
def @main(%x: float32) -> List[(float32, Option[bfloat16])] {
  Cons((%x / 0f, Some(cast(%x, dtype="bfloat16"))), Cons((%x, None), Nil))
}""")
    ran = relay("run", program, "--input", "2", "--json")
    assert list(json.loads(ran.out)["outputs"].values()) == [[["inf", 2.0], [2.0, None]]]


def test_a_value_without_a_name_or_an_array(relay, tmp_path):
    program = tmp_path / "sum.rly"
    program.write_text('#[version = "0.0.5"]\ndef @main(%x: float32, %y: float32) { %x + %y }')
    ran = relay("run", program, "--input", "3")
    assert "the value '3' does not say which input of the model it is for" in ran.err
    assert "write NAME=3, with one of the names x, y" in ran.err
    ran = relay("run", program, "--random", "--input", "x=[[1, 2], [3]]")
    assert "error[R003]" in ran.err
    assert "some lengths differ" in ran.err


def test_another_machine_is_explained_by_kernel(relay, model):
    ran = relay("explain", model, "--target", "wasm32")
    assert "error[A007]" in ran.err
    assert "add --kernel NAME" in ran.err

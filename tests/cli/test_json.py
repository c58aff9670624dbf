"""The option `--json`: what commands print for scripts, and how they report errors there."""

import json

import numpy as np
import pytest

import relay as package
from relay.cli.compare_engines import Result, relative_error


def test_compile_says_what_it_wrote(relay, model, tmp_path):
    path = tmp_path / "a.relay"
    found = json.loads(relay("compile", model, "-o", path, "--json").out)
    assert found.pop("seconds") > 0
    assert found == {"output": str(path), "header": None, "bytes": path.stat().st_size}
    assert package.Executable.load(path)(np.zeros((1, 2), np.float32)).shape == (1, 6)


def test_compile_names_the_header_of_a_library(relay, model, tmp_path):
    path = tmp_path / "a.o"
    found = json.loads(relay("compile", model, "-o", path, "--json").out)
    assert found["header"] == str(tmp_path / "a.h")
    assert (tmp_path / "a.h").exists()


def test_tune_lists_its_trials(relay, model, tmp_path):
    path = tmp_path / "a.relay"
    options = ("--seconds", "1", "--threads", "1", "-o", path, "--json")
    found = json.loads(relay("tune", model, *options).out)
    assert found["before"] > 0
    assert found["after"] > 0
    assert found["output"] == str(path)
    verdicts = {"kept", "same", "slower", "wrong", "impossible"}
    assert {each["verdict"] for each in found["trials"]} <= verdicts
    for each in found["trials"]:
        assert (each["before"] is None) == (each["verdict"] not in ("kept", "slower"))
    assert package.Executable.load(path)(np.zeros((1, 2), np.float32)).shape == (1, 6)


def test_explain_measures_kernels(relay, model):
    found = json.loads(relay("explain", model, "--threads", "1", "--json").out)
    assert "fuse-operators" in [each["name"] for each in found["passes"]]
    (kernel,) = found["kernels"]
    assert kernel["flops"] == 2 * 2 * 6 + 6
    assert kernel["seconds"] > 0
    assert kernel["name"] in found["schedules"]
    assert found["bound_of_a_core"]["flops_per_second"] > 0
    none = json.loads(relay("explain", model, "--kernels", "0", "--json").out)
    assert none["kernels"] == []


def test_explain_lists_a_kernel_and_a_code(relay, tmp_path):
    path = tmp_path / "layer.rly"
    text = "def @main(%x: Tensor[(3, 4), float32]) { tanh(%x) }"
    path.write_text(f'#[version = "0.0.5"]\n{text}\n')
    (kernel,) = json.loads(relay("explain", path, "--kernel", "tanh", "--json").out)
    assert kernel["name"] == "tanh"
    assert "kernel tanh(" in kernel["loops"]
    found = json.loads(relay("explain", "t100", "--json").out)
    assert found["code"] == "T100"
    assert found["section"].startswith("## T100: ")


def test_show_counts(relay, open_model):
    found = json.loads(relay("show", open_model, "--summary", "--json").out)
    assert found["inputs"] == {"x": "Tensor[(batch, 2), float32]"}
    assert found["output"] == "Tensor[(batch, 6), float32]"
    assert found["sizes"] == {"batch": 1}
    assert found["operators"]["nn.relu"] == {"calls": 1, "flops": 6, "bytes": 48}
    assert found["parameters"] == {"constants": 1, "numbers": 12, "bytes": 48}
    assert json.loads(relay("show", open_model, "--json").out) == found
    refused = json.loads(relay("show", open_model, "--types", "--json").out)
    assert refused["errors"][0]["code"] == "U014"


def test_passes(relay, model):
    listed = json.loads(relay("opt", "--list", "--json").out)
    assert {"fold-constants", "sink-gathers"} <= {each["name"] for each in listed}
    assert all(each["about"] for each in listed)
    level = json.loads(relay("opt", "--list", "O2", "--json").out)
    assert 0 < len(level) < len(listed)
    (one,) = json.loads(relay("opt", "--list", "sink-gathers", "--json").out)
    assert one["name"] == "sink-gathers"
    assert "2. A slice of a row" in one["about"]
    refused = json.loads(relay("opt", model, "--json").out)
    assert refused["errors"][0]["code"] == "U014"


def test_an_engine_whose_results_differ_without_bound(relay, model, monkeypatch):
    """An error is infinite if an engine returns another shape, or NaN."""
    made = Result("ort", "1.0", error=relative_error([np.array(np.nan)], [np.array(1.0)]))
    monkeypatch.setattr("relay.cli.bench.compare", lambda *_, **__: [made])
    (found,) = json.loads(relay("bench", model, "--json").out)["engines"]
    assert found["error"] == "inf"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("compile", "the following arguments are required: MODEL"),
        ("completion", "the following arguments are required: SHELL"),
        ("run x.onnx --theads 2", "did you mean --threads?"),
        ("tune x.onnx --seconds", "expected one argument"),
        ("bench x.onnx --rounds 0", "at least 1"),
        ("explain T012 --seed 1 --seed 2", "has two values"),
        ("show x.onnx --summary --types", "not allowed with"),
        ("ops --types --onnx", "not allowed with"),
        ("rnu x.onnx", "did you mean run?"),
    ],
)
def test_a_wrong_command_line_is_an_object(relay, given, said):
    ran = relay(*given.split(), "--json")
    assert ran.status == 2
    assert ran.err == ""
    (error,) = json.loads(ran.out)["errors"]
    assert error["code"] == "U023"
    assert said in error["message"]
    assert error["help"].startswith("see `relay ")


@pytest.mark.parametrize("command", ["compile", "tune", "explain", "show --summary"])
def test_an_error_of_a_model_is_an_object(relay, tmp_path, command):
    ran = relay(*command.split(), tmp_path / "absent.onnx", "--json")
    assert ran.status == 1
    (error,) = json.loads(ran.out)["errors"]
    assert error["code"] == "F001"

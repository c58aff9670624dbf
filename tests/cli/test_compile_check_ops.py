"""`relay compile`, `relay check`, `relay ops`, `relay bench`."""

import importlib.util

import numpy as np
import onnx
import pytest

import relay as package
from relay.cli.compare_engines import relative_error
from relay.opdef.table import OPERATORS

TRANSFORM = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(n), float32]) {
  stft(%x, %w, n_fft=16, hop_length=4, win_length=16)
}
"""


def test_a_compiled_file_runs(relay, model, tmp_path):
    target = tmp_path / "scores.relay"
    ran = relay("compile", model, "-o", target)
    assert ran.status == 0, ran.err
    assert "compiled in" in ran.out
    x = np.array([[3.0, -1.0]], np.float32)
    weight = np.arange(12, dtype=np.float32).reshape(2, 6) - 5
    found = package.Executable.load(target)(x)
    np.testing.assert_allclose(found, np.maximum(x @ weight, 0), rtol=1e-6)
    assert relay("run", target, "--random").status == 0
    assert relay("check", target).status == 0


def test_the_file_of_a_compiled_model_is_named_like_it(relay, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert relay("compile", model).out.startswith("scores.relay: ")
    assert relay("check", "scores.relay").status == 0
    assert "F001" in relay("compile", "nothing.onnx").err
    assert not (tmp_path / "nothing.relay").exists()


def test_open_sizes_stay_open_in_a_file(relay, open_model, tmp_path):
    target = tmp_path / "a.relay"
    assert relay("compile", open_model, "-o", target).status == 0
    loaded = package.Executable.load(target)
    assert not loaded.signature.is_static
    one, three = (loaded(np.ones((rows, 2), np.float32)) for rows in (1, 3))
    np.testing.assert_allclose(np.repeat(one, 3, axis=0), three, rtol=1e-6)
    assert relay("compile", open_model, "-o", target, "--shape", "x=4,2").status == 0
    assert package.Executable.load(target).signature.is_static


def test_open_sizes_that_operators_want_to_know_are_asked_for(relay, tmp_path):
    (tmp_path / "c.rly").write_text(TRANSFORM)
    ran = relay("compile", tmp_path / "c.rly", "-o", tmp_path / "a.relay")
    assert ran.status == 1
    assert "error[U016]" in ran.err
    assert "--shape w=1" in ran.err


def test_wrong_kinds_of_files(relay, model, tmp_path):
    relay("compile", model, "-o", tmp_path / "a.relay")
    assert "U010" in relay("compile", model, "-o", tmp_path / "a.bin").err
    assert "U014" in relay("compile", tmp_path / "a.relay", "-o", tmp_path / "b.relay").err
    assert "U014" in relay("show", tmp_path / "a.relay").err
    assert "F001" in relay("run", tmp_path / "model.bin", "--random").err
    (tmp_path / "model.bin").write_bytes(b"nobody knows")
    assert "U002" in relay("run", tmp_path / "model.bin", "--random").err


def test_check_says_ok_in_a_line(relay, model):
    ran = relay("check", model)
    assert ran.status == 0
    assert ran.out == (
        f"{model}: ok, 2 operators, 12 parameters in 1 constant, "
        "inputs x: Tensor[(1, 2), float32]\n"
    )


def test_check_can_fix_open_sizes(relay, open_model):
    assert "Tensor[(batch, 2), float32]" in relay("check", open_model).out
    assert "Tensor[(7, 2), float32]" in relay("check", open_model, "--shape", "x=7,2").out


def test_check_reports_all_problems_of_all_files(relay, model, unsupported, tmp_path):
    ran = relay("check", unsupported, model)
    assert ran.status == 1
    assert "Frobnicate: 1 × (first)" in ran.err
    assert "Defrobnicate: 1 × (second)" in ran.err
    assert f"{model}: ok" in ran.out
    ran = relay("check", unsupported, tmp_path / "absent.onnx")
    assert ran.status == 2
    assert "U017" in ran.err


def test_check_looks_into_folders(relay, model, tmp_path):
    (tmp_path / "README").write_text("no model")
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "one.rly").write_text('#[version = "0.0.5"]\ndef @main(%x: int32) { %x }\n')
    ran = relay("check", tmp_path)
    assert ran.status == 0
    assert [line.split(":")[0] for line in ran.out.splitlines()] == [
        str(tmp_path / "one.rly"),
        str(model),
    ]
    ran = relay("check", tmp_path / "empty")
    assert ran.status == 2
    assert "contains no model" in ran.err


def test_check_reads_a_saved_model(relay, tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(b"damaged")
    assert "F092" in relay("check", folder).err
    assert relay("check", tmp_path).status == 1


def test_the_table_of_operators_is_whole(relay):
    ran = relay("ops")
    names = {line.split()[0] for line in ran.out.splitlines() if not line.startswith(" ")}
    assert set(OPERATORS) <= names


def test_an_operator_is_explained(relay):
    ran = relay("ops", "nn.conv2d")
    assert ran.out.startswith("# nn.conv2d\n\n```\nnn.conv2d(data, weight, *, strides=")
    assert "Convolve" in ran.out
    assert "in ONNX: Conv" in ran.out
    for heading in ("## Examples", "## Formula", "## Derivative"):
        assert heading in ran.out
    missing = relay("ops", "nn.conv2")
    assert missing.status == 1
    assert "nn.conv2d" in missing.err


def test_element_types_are_listed(relay):
    rows = [line.split("  ") for line in relay("ops", "logical_and", "--types").out.splitlines()]
    assert ["logical_and", "lhs, rhs", "bool"] in [[*filter(None, map(str.strip, r))] for r in rows]


def test_a_page_says_why_there_is_no_derivative(relay):
    assert "There is none, because" in relay("ops", "logical_and").out
    assert "%d_out" in relay("ops", "nn.leaky_relu").out.split("## Derivative")[1]


def test_onnx_operators_are_listed(relay):
    ran = relay("ops", "--onnx")
    assert any(line.split()[:1] == ["ai.onnx::Conv"] for line in ran.out.splitlines())
    assert relay("ops", "Gemm", "--onnx").out.endswith("1 ONNX operators\n")
    assert relay("ops", "ai.onnx::Gemm", "--onnx").out.endswith("1 ONNX operators\n")


def test_an_operator_that_is_not_translated_is_an_error(relay):
    ran = relay("ops", "Gem", "--onnx")
    assert (ran.status, ran.out) == (1, "")
    assert "U022" in ran.err
    assert "did you mean Gemm" in ran.err
    assert "relay ops --mxnet" in relay("ops", "NoSuchOperator", "--mxnet").err
    assert '"U022"' in relay("ops", "Gem", "--onnx", "--json").out


def test_litert_operators_are_listed(relay):
    pytest.importorskip("tflite")
    ran = relay("ops", "--tflite")
    assert "translate.convolution.conv_2d" in ran.out
    assert relay("ops", "CONV_2D", "--tflite").out.endswith("1 LiteRT operators\n")


def test_keras_layers_are_listed(relay):
    assert "translate.matrix_products.dense_layer" in relay("ops", "--keras").out
    assert relay("ops", "Dense", "--keras").out.endswith("1 Keras layers and operations\n")


@pytest.mark.torch
def test_pytorch_operators_are_listed(relay):
    pytest.importorskip("torch")
    ran = relay("ops", "--torch")
    assert any(line.split()[:1] == ["aten::conv2d"] for line in ran.out.splitlines())
    assert relay("ops", "conv2d", "--torch").out.endswith("2 PyTorch operators\n")


@pytest.mark.onnx
def test_bench_compares_with_onnxruntime(relay, model):
    pytest.importorskip("onnxruntime")
    ran = relay("bench", model, "--vs", "ort", "--threads", "1", "--rounds", "1")
    assert ran.status == 0, ran.out + ran.err
    lines = ran.out.splitlines()
    assert lines[0].split()[:3] == ["engine", "median", "fastest"]
    assert lines[1].startswith("Relay")
    assert float(lines[1].split()[-1]) < 1e-5
    assert lines[2].startswith("ONNX Runtime")


def test_bench_refuses_engines_that_are_not_there(relay, model, monkeypatch):
    assert "error[U020]" in relay("bench", model, "--vs", "abacus").err
    monkeypatch.setattr("relay.cli.compare_engines.find_spec", lambda _name: None)
    assert "error[U020]" in relay("bench", model, "--vs", "ort").err


def test_an_engine_that_fails_is_a_result(relay, model, tmp_path):
    if importlib.util.find_spec("onnxruntime") is None:
        pytest.skip("needs an engine that cannot read future files")
    ran = relay("bench", "program.rly", "--vs", "ort")
    assert "ort can run ONNX files only, not 'program.rly'" in ran.err
    future = onnx.load(model)
    future.ir_version = 99
    onnx.save(future, tmp_path / "future.onnx")
    ran = relay("bench", tmp_path / "future.onnx", "--vs", "ort", "--rounds", "1", "--threads", "1")
    assert ran.status == 1
    assert "ort failed" in ran.out
    assert ran.out.splitlines()[1].startswith("Relay")


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        ([1.0, 2.0], [1.0, 4.0], 0.5),
        ([np.nan, np.inf], [np.nan, np.inf], 0.0),
        ([np.nan], [1.0], np.inf),
        ([1.0], [1.0, 2.0], np.inf),
        ([], [], 0.0),
    ],
)
def test_relative_error(actual, expected, error):
    assert relative_error([np.array(actual)], [np.array(expected)]) == error


def test_a_text_without_a_main(relay, tmp_path):
    path = tmp_path / "parts.rly"
    path.write_text('#[version = "0.0.5"]\ndef @part(%x: int32) { %x }\n', encoding="utf-8")
    for command in (["check", path], ["run", path, "--random"]):
        said = relay(*command).err
        assert "U001" in said
        assert "has no function @main" in said
        assert "known: @part" in said
        assert "add the function to the text, def @main(" in said

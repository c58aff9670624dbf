"""`load`: what kind of file it is, and what happens if it is none."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay

PROGRAM = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) + 1f }\n'


def test_text_of_a_program(tmp_path: Path):
    file = tmp_path / "program.rly"
    file.write_text(PROGRAM)
    fast = relay.compile(relay.load(file), verify=True)
    np.testing.assert_array_equal(fast(-np.ones((2, 3), np.float32)), np.ones((2, 3)))


def code_of(path: Path) -> str:
    with pytest.raises(relay.RelayError) as caught:
        relay.load(path)
    return caught.value.code


def test_files_that_cannot_be_loaded(tmp_path: Path):
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / "latin.rly").write_bytes(PROGRAM.encode() + b"// caf\xe9\n")
    assert code_of(tmp_path / "image.png") == "U002"
    (tmp_path / "net.pth").touch()
    with pytest.raises(relay.RelayError, match=r"(?s)U002.*weights without a program"):
        relay.load(tmp_path / "net.pth")
    (tmp_path / "net.so").touch()
    with pytest.raises(relay.RelayError, match=r"(?s)U002.*a C library holds machine code"):
        relay.load(tmp_path / "net.so")
    assert code_of(tmp_path / "latin.rly") == "P009"
    with pytest.raises(relay.RelayError, match=r"F001.*the path of the file is empty"):
        relay.load("")
    assert code_of(tmp_path / "missing.rly") == "F001"
    assert code_of(tmp_path / "missing.onnx") == "F001"
    assert code_of(tmp_path / "missing.relay") == "F001"
    assert code_of(tmp_path / "missing.png") == "F001"
    (tmp_path / "empty.relay").touch()
    assert code_of(tmp_path / "empty.relay") == "A002"


@pytest.mark.parametrize(("content", "said"), [(b"", "empty"), (bytes(4096), "damaged")])
def test_a_saved_file_that_is_gone(tmp_path: Path, content: bytes, said: str):
    path = tmp_path / "model.relay"
    path.write_bytes(content)
    with pytest.raises(relay.RelayError, match=f"A002.*{said}"):
        relay.load(path)


@pytest.mark.parametrize("source", [None, 3, ["model.onnx"]])
def test_what_is_no_source_of_programs(source: object):
    with pytest.raises(relay.RelayError) as caught:
        relay.load(source)
    assert caught.value.code == "U002"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("name", ["model.onnx", "program.rly", "model"])
def test_a_pipe_is_no_file(tmp_path: Path, name: str):
    os.mkfifo(tmp_path / name)
    assert code_of(tmp_path / name) == "F001"


def test_a_device_is_no_file():
    assert code_of(Path("/dev/zero")) == "F001"


def test_a_byte_that_is_no_text_has_a_place(tmp_path: Path):
    (tmp_path / "latin.rly").write_bytes("// ok\n// café, caf".encode() + b"\xe9\n")
    with pytest.raises(relay.RelayError, match=r"P009") as caught:
        relay.load(tmp_path / "latin.rly")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, 13)


def test_control_characters_of_a_file_are_not_printed(tmp_path: Path):
    (tmp_path / "random.json").write_bytes(b"\x1b[31m\x00\xff\x07")
    with pytest.raises(relay.RelayError, match="P009") as caught:
        relay.load(tmp_path / "random.json")
    assert not {*str(caught.value)} & {"\x1b", "\x00", "\x07"}


IMPORTERS = {path.parent.name for path in Path(relay.frontend.__path__[0]).glob("*/load.py")}
IMPORTED = """
import sys, relay
relay.load(sys.argv[1])
print(*{name.split(".")[2] for name in sys.modules if name.startswith("relay.frontend.")})
"""


def relu_model() -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "graph", [x], [y])
    return helper.make_model(graph)


def test_an_onnx_model_in_memory_is_compiled():
    fast = relay.compile(relu_model())
    np.testing.assert_array_equal(fast(np.array([-1, 2], np.float32)), [0, 2])


def test_a_file_imports_the_importer_of_its_format_alone(tmp_path: Path):
    onnx.save(relu_model(), tmp_path / "relu.onnx")
    assert imported_by(tmp_path / "relu.onnx") & IMPORTERS == {"onnx"}
    assert imported_by(Path(__file__).parent / "keras/one_axis.keras") & IMPORTERS == {"keras"}


def imported_by(path: Path) -> set[str]:
    command = [sys.executable, "-c", IMPORTED, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "extra"), [("m.tflite", "tflite"), ("m.jax", "jax"), ("m.pt", "torch")]
)
def test_a_missing_package_has_an_extra(
    name: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / name).write_bytes(b"\0\0\0\0TFL3")
    monkeypatch.setattr("relay.frontend.lazy_importers.find_spec", lambda _: None)
    with pytest.raises(relay.RelayError, match="F050") as caught:
        relay.load(tmp_path / name)
    assert f"relay-compiler[{extra}]" in (caught.value.help or "")

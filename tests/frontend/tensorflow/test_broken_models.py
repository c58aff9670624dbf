"""Models of TensorFlow that are unsupported, wrong or damaged: each is an error."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.tensorflow.load import from_tensorflow, translated_tensorflow_operators
from relay.frontend.tensorflow.registry import OUTPUTS
from relay.frontend.tensorflow.schema import message_class
from relay.support.errors import RelayError
from tests.frontend.tensorflow.graphs import (
    FLOAT,
    GRAPHS,
    INT,
    X,
    const,
    graph,
    imported,
    model,
    node,
    of_type,
    placeholder,
    raised,
    text,
)


def strings(name: str, op: str, *inputs: str) -> Any:
    """Return the node of a ragged tensor whose rows are given by their ends."""
    kinds = message_class("Attribute")()
    kinds.list.s.extend([b"ROW_LIMITS"])
    return node(name, op, *inputs, row_partition_types=kinds)


def test_what_is_no_graph():
    assert raised(lambda: from_tensorflow(3)).code == "U003"


def test_operators_are_listed_by_name():
    assert translated_tensorflow_operators()["Conv2D"] == "translate.convolution.convolution"
    assert all(len(names) > 1 for names in OUTPUTS.values())


def test_random_operators_are_not_supported():
    noise = node("noise", "RandomPoisson", "n", T=of_type(INT), dtype=of_type(FLOAT))
    data = graph(const("n", np.array([2], np.int32)), noise, node("y", "Neg", "noise"))
    error = raised(lambda: imported(data))
    assert error.code == "F010"
    assert "pass them as an input of the model" in error.notes[-1]


def test_operators_and_strings_that_are_not_supported_are_listed_together():
    data = graph(
        text("words"), node("table", "HashTableV2", key_dtype=of_type(7)),
        node("a", "LookupTableFindV2", "table", "words", Tin=of_type(7)),
        node("b", "StringLower", "words"), node("c", "StringLower", "b"),
        node("unused", "DecodeJpeg", "c"), node("y", "StringToNumber", "c"),
        node("z", "Cast", "a", DstT=of_type(INT)),
    )  # fmt: skip
    error = raised(lambda: imported(data, outputs=["y", "z"]))
    assert error.code == "F010"
    assert any(note.startswith("StringLower: 2 × ('") for note in error.notes)
    assert any(note.startswith("strings: 3 × (") for note in error.notes)
    assert not any("DecodeJpeg" in note for note in error.notes)
    assert "after its strings" in str(error.help)


CYCLE = (("y", "Relu", "z"), ("z", "Relu", "y"), ("o", "Relu", "z"))
NO_RANK = node("x", "Placeholder", dtype=of_type(1))
WRONG = const("w", np.zeros((2, 3)))
WRONG.attr["value"].tensor.content = b"12345"
LOOP = (
    placeholder("x"), node("e", "Enter", "x", frame_name=b"f"), node("m", "Merge", "e", "n"),
    const("one", 1.0), node("l", "Less", "m", "one"), node("c", "LoopCond", "l"),
    node("s", "Switch", "m", "c"), node("n", "NextIteration", "s:1"), node("y", "Exit", "s"),
)  # fmt: skip

BROKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "F092"),
    "bytes": (b"\xff" * 40, "F092"),
    "no operators": (graph(node("x", "")), "F092"),
    "a reference": (graph(node("x", "Relu", "a:b:c:d")), "F092"),
    "two of one name": (graph(X, X), "F012"),
    "no such node": (graph(node("y", "Relu", "z")), "F018"),
    "a cycle": (graph(*(node(*each) for each in CYCLE)), "F011"),
    "a cycle before a loop": (
        graph(*LOOP[:7], node("n", "NextIteration", "i"), node("i", "Identity", "j"),
              node("j", "Identity", "i"), node("y", "Exit", "s"), node("o", "Relu", "y")), "F011",
    ),
    "a merge of nothing": (graph(X, node("y", "Merge", "x"), node("o", "Relu", "y")), "F094"),
    "a switch of nothing": (
        graph(X, node("s", "Switch"), node("y", "Merge", "s:0", "s:1"), node("o", "Relu", "y")),
        "F026",
    ),
    "an empty assertion": (graph(X, node("a", "Assert"), node("y", "Relu", "x", "^a")), "F026"),
    "no rank": (graph(NO_RANK, node("y", "Relu", "x")), "F013"),
    "data": (graph(WRONG, node("y", "Relu", "w")), "F015"),
    "no outputs": (graph(X), "F096"),
    "quantised numbers": (graph(placeholder("x", 2, dtype=11), node("y", "Neg", "x")), "F017"),
    "complex numbers": (graph(placeholder("x", 2, dtype=8), node("y", "Erf", "x")), "F030"),
    "shapes of complex numbers": (
        graph(placeholder("x", 2, 3, dtype=8), placeholder("z", 4, 2, dtype=8),
              node("y", "MatMul", "x", "z")), "T105",
    ),
    "a window over channels": (
        graph(placeholder("x", 1, 4, 4, 2), const("k", [1, 2, 2, 2]), const("s", [1, 1, 1, 1]),
              node("y", "MaxPoolV2", "x", "k", "s", padding=b"VALID")), "F052",
    ),
    "a transform of reals": (graph(placeholder("x", 2), node("y", "FFT", "x")), "F021"),
    "an input": (graph(X, node("y", "Add", "x")), "F020"),
    "a variable": (graph(node("v", "VarHandleOp"), node("y", "ReadVariableOp", "v")), "F093"),
    "a tensor for a variable": (graph(X, node("y", "ReadVariableOp", "x")), "F021"),
    "axes at run time": (
        graph(X, placeholder("a", 1, dtype=INT), node("y", "Sum", "x", "a")), "F022",
    ),
    "an attribute": (graph(X, node("y", "Cast", "x")), "F023"),
    "an attribute of another type": (graph(X, node("y", "LeakyRelu", "x", alpha=b"a")), "F024"),
    "an axis": (graph(X, const("a", [7]), node("y", "Sum", "x", "a")), "F026"),
    "a result": (graph(X, node("y", "Relu", "x"), node("z", "Relu", "y:3")), "F025"),
    "an option": (graph(X, node("y", "Relu", "x", magic=3)), "F052"),
    "ends of rows": (
        graph(*(const(e, [0, 1]) for e in "svdp"), strings("y", "RaggedTensorToTensor", *"svdp")),
        "F052",
    ),
    "rows of a set": (
        graph(X, const("a", [0]), node("y", "UniqueV2", "x", "a")), "F030",
    ),
    "a shape at run time": (
        graph(X, placeholder("s", 2, dtype=INT), const("b", [0, 0]),
              node("y", "BroadcastGradientArgs", "s", "b")), "F022",
    ),
    "a changed variable": (
        graph(X, node("v", "VarHandleOp"), node("a", "AssignVariableOp", "v", "x"),
              node("y", "Identity", "x", "^a")), "F095",
    ),
    "a changed row": (
        graph(X, node("v", "VariableV2"), node("a", "ScatterNdUpdate", "v", "x", "x"),
              node("y", "Identity", "x", "^a")), "F095",
    ),
    "a function": (graph(X, node("y", "PartitionedCall", "x", f="missing")), "F018"),
    "half a loop": (graph(*LOOP[:-1], node("y", "Exit", "m"), node("o", "Relu", "y")), "F094"),
    "half a conditional": (graph(X, node("y", "Merge", "x", "x")), "F094"),
    "shapes": (graph(X, placeholder("z", 4, 5), node("y", "MatMul", "x", "z")), "T105"),
}  # fmt: skip


def test_random_numbers_in_a_loop_are_refused():
    noise = node("noise", "RandomUniform", "sizes", T=of_type(INT), dtype=of_type(FLOAT))
    sizes, total = const("sizes", np.array([], np.int32)), node("total", "AddV2", "s:1", "noise")
    others = [each for each in LOOP if each.name != "n"]
    data = graph(*others, sizes, noise, total, node("n", "NextIteration", "total"))
    error = raised(lambda: imported(data, outputs=["y"]))
    assert error.code == "F030"
    assert "before the loop" in str(error.help)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_graphs(name: str, tmp_path: Path):
    data, code = BROKEN[name]
    path = tmp_path / "model.pb"
    path.write_bytes(data)
    error = raised(lambda: relay.load(path))
    assert error.code == code, error
    assert error.help or code.startswith("T"), error
    assert "model.pb" in str(error)


def test_a_function_that_calls_itself():
    whole = message_class("Graph")(node=[X, node("y", "PartitionedCall", "x", f="f")])
    function = whole.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="a")
    function.signature.output_arg.add(name="b")
    function.node.append(node("again", "PartitionedCall", "a", f="f"))
    function.ret["b"] = "again:output:0"
    assert raised(lambda: imported(whole.SerializeToString())).code == "F094"


def test_functions_that_call_each_other_very_often():
    whole = message_class("Graph")(node=[X, node("y", "PartitionedCall", "x", f="f0")])
    for depth in range(39):
        function = whole.library.function.add()
        function.signature.name = f"f{depth}"
        function.signature.input_arg.add(name="a")
        function.signature.output_arg.add(name="b")
        inner = f"f{depth + 1}" if depth < 38 else "f0"
        function.node.append(node("once", "PartitionedCall", "a", f=inner))
        function.ret["b"] = "once:output:0"
    assert raised(lambda: imported(whole.SerializeToString())).code == "F094"
    whole.library.function[38].node[0].CopyFrom(node("once", "Relu", "a"))
    assert imported(whole.SerializeToString()).main.body.tensor_type.shape == (2, 3)


def test_an_input_that_a_signature_lacks(tmp_path: Path):
    folder = model("classic", tmp_path)
    path = folder / "saved_model.pb"
    saved = message_class("SavedModel").FromString(path.read_bytes())
    saved.meta_graphs[0].signatures["serving_default"].inputs.clear()
    path.write_bytes(saved.SerializeToString())
    error = raised(lambda: relay.load(folder))
    assert error.code == "F096"
    assert "lacks: 'x'" in error.message


def test_a_loop_that_changes_a_rank():
    nodes = [*LOOP]
    nodes[7] = node("n", "NextIteration", "p")
    more = [const("zero", 0), node("p", "ExpandDims", "s:1", "zero"), node("o", "Relu", "y")]
    assert raised(lambda: imported(graph(*nodes, *more))).code == "F042"


def test_a_graph_with_wrong_bytes_is_an_error_or_a_model():
    rng = np.random.default_rng(0)
    for name in ("conv_2d", "squares", "nested_v1"):
        data = np.frombuffer(GRAPHS.read(f"{name}.pb"), np.uint8)
        for _ in range(40):
            broken = data.copy()
            broken[rng.integers(0, data.size, 3)] = rng.integers(0, 256, 3)
            with suppress(RelayError):
                imported(broken.tobytes())


def damaged(folder: Path, name: str, change: Callable[[bytes], bytes]) -> str:
    """Return the code of the error of a SavedModel with a changed file."""
    path = folder / name
    path.write_bytes(change(path.read_bytes()))
    return raised(lambda: relay.load(folder)).code


def flipped(data: bytes) -> bytes:
    """Return bytes of which one is another."""
    return data[:20] + bytes([data[20] ^ 1]) + data[21:]


@pytest.mark.parametrize(
    ("name", "change", "code"),
    [
        ("saved_model.pb", lambda data: data[:-50], "F092"),
        ("saved_model.pb", lambda _: b"", "F092"),
        ("variables/variables.index", lambda data: data[:-9], "F093"),
        ("variables/variables.index", flipped, "F093"),
        ("variables/variables.index", lambda _: b"", "F093"),
        ("variables/variables.data-00000-of-00001", lambda data: data[:2], "F093"),
        ("variables/variables.data-00000-of-00001", lambda _: b"", "F093"),
    ],
)
def test_broken_folders(name: str, change: Callable[[bytes], bytes], code: str, tmp_path: Path):
    assert damaged(model("counters", tmp_path), name, change) == code


def test_the_objects_that_own_variables_are_damaged(tmp_path: Path):
    def change(data: bytes) -> bytes:
        saved = message_class("SavedModel").FromString(data)
        saved.meta_graphs[0].objects.nodes[0].children[0].node_id = 1000
        return saved.SerializeToString()

    assert damaged(model("layers", tmp_path), "saved_model.pb", change) == "F093"


def test_lookup_tables_that_are_damaged(tmp_path: Path):
    def elsewhere(data: bytes) -> bytes:
        saved = message_class("SavedModel").FromString(data)
        saved.meta_graphs[0].assets[0].filename = "../saved_model.pb"
        return saved.SerializeToString()

    folder = model("tables", tmp_path)
    for name, change in (("assets/ids.txt", lambda _: b"0:5\n1\n"), ("saved_model.pb", elsewhere)):
        assert damaged(folder, name, change) == "F093"


def test_folders_without_a_model_or_its_variables(tmp_path: Path):
    assert raised(lambda: relay.load(tmp_path)).code == "F092"
    folder = model("counters", tmp_path)
    shutil.rmtree(folder / "variables")
    error = raised(lambda: relay.load(folder))
    assert error.code == "F093"
    assert "copy the whole folder" in str(error.help)

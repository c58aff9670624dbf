"""Doors, names, shapes and errors of the importer of TensorFlow."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.tensorflow.load import from_tensorflow, translated_tensorflow_operators
from relay.frontend.tensorflow.registry import OUTPUTS
from relay.frontend.tensorflow.schema import message_class
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Constant
from relay.ir.walk import post_order
from relay.ops.transcendental import Tanh
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError
from tests.frontend.tensorflow.graphs import (
    FLOAT,
    GRAPHS,
    INT,
    answers,
    const,
    graph,
    model,
    node,
    of_type,
    placeholder,
)

X = placeholder("x", 2, 3)
DOUBLE = graph(X, const("two", 2.0), node("y", "Mul", "x", "two"))


def raised(make: Callable[[], Any]) -> RelayError:
    """Return the error of an import."""
    with pytest.raises(RelayError) as caught:
        make()
    return caught.value


def imported(data: bytes | Path, *args: Any, **options: Any) -> relay.Module:
    """Return the module of a frozen graph."""
    return from_tensorflow(data, *args, **options)[0]


def text(name: str) -> Any:
    """Return a constant that is a text."""
    attribute = message_class("Attribute")()
    attribute.tensor.dtype = 7
    attribute.tensor.string_val.append(b"words")
    return node(name, "Const", value=attribute, dtype=of_type(7))


def strings(name: str, op: str, *inputs: str) -> Any:
    """Return the node of a ragged tensor whose rows are given by their ends."""
    kinds = message_class("Attribute")()
    kinds.list.s.extend([b"ROW_LIMITS"])
    return node(name, op, *inputs, row_partition_types=kinds)


def test_a_frozen_graph_is_loaded_by_its_ending(tmp_path: Path):
    path = tmp_path / "double.pb"
    path.write_bytes(DOUBLE)
    module = relay.load(path)
    assert [each.name for each in module.main.params] == ["x"]
    assert module.main.attrs["outputs"] == ("y",)
    np.testing.assert_array_equal(evaluate(module, np.ones((2, 3), np.float32)), np.full((2, 3), 2))


def test_the_classic_door_gives_a_mutable_module():
    module, params = relay.frontend.from_tensorflow(DOUBLE, shape={"x": (4, 3)})
    assert params == {}
    assert module["main"].body.tensor_type.shape == (4, 3)


def test_a_graph_may_be_a_message():
    module = imported(message_class("Graph").FromString(DOUBLE))
    assert module.main.body.tensor_type.shape == (2, 3)


def test_what_is_no_graph():
    assert raised(lambda: from_tensorflow(3)).code == "U003"


def test_inputs_and_outputs_of_a_folder_are_those_of_its_signature(tmp_path: Path):
    folder = model("counters", tmp_path)
    module = relay.load(folder)
    assert [each.name for each in module.main.params] == ["x"]
    assert module.main.attrs["outputs"] == ("rows", "sums")
    assert relay.load(folder / "saved_model.pb").main.attrs == module.main.attrs
    found: Any = evaluate(module, np.ones((2, 3), np.float32))
    np.testing.assert_allclose(np.asarray(found[0]), [[1.5, -2.0, 0.5]] * 2)
    np.testing.assert_allclose(np.asarray(found[1]), [0.0, 0.0])


def test_a_signature_and_outputs_may_be_chosen(tmp_path: Path):
    folder = model("counters", tmp_path)
    power, _ = from_tensorflow(folder, signature="power")
    np.testing.assert_allclose(np.asarray(evaluate(power, np.float32(2))), [2.25, 4.0, 0.25])
    sums, _ = from_tensorflow(folder, outputs=["sums"])
    assert sums.main.body.tensor_type.rank == 1
    error = raised(lambda: from_tensorflow(folder, signature="other"))
    assert error.code == "F096"
    assert "power, serving_default" in error.message
    assert raised(lambda: imported(folder, outputs=["other"])).code == "F096"


def test_open_sizes_are_symbols_unless_one_of_them_may_be_1():
    inputs = placeholder("a", -1, 3), placeholder("b", -1, 3)
    joined = imported(graph(*inputs, const("one", 1), node("y", "ConcatV2", "a", "b", "one")))
    first, second = (each.tensor_type.shape[0] for each in joined.main.params)
    assert isinstance(first, DimVar)
    assert isinstance(second, DimVar)
    assert joined.main.body.tensor_type.shape == (first, 6)
    added = imported(graph(*inputs, node("y", "AddV2", "a", "b")))
    assert added.main.body.tensor_type.shape[0] is ANY


def test_matrices_come_in_batches_of_any_size():
    data = graph(
        placeholder("a", -1, 2, 2), placeholder("b", -1, 2, 1), node("x", "MatrixSolve", "a", "b"),
        node("l", "Cholesky", "a"), node("y", "MatrixTriangularSolve", "l", "b"),
    )  # fmt: skip
    module = imported(data, outputs=["x", "y"])
    a = np.array([[[2, 1], [1, 3]], [[4, 0], [0, 1]], [[2, -1], [-1, 1]]], np.float32)
    b = np.ones((3, 2, 1), np.float32)
    found: Any = evaluate(module, a, b)
    np.testing.assert_allclose(found[0], np.linalg.solve(a, b), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.cholesky(a) @ found[1], b, rtol=1e-5)


def test_rows_are_stitched_at_indices_of_inputs():
    data = graph(
        placeholder("i", -1, dtype=INT), placeholder("x", -1, 2), const("j", [0, 3]),
        const("z", [[5.0, 6], [7, 8]]), node("y", "DynamicStitch", "i", "j", "x", "z"),
    )  # fmt: skip
    x = np.array([[1, 2], [3, 4], [9, 9]], np.float32)
    found: Any = evaluate(imported(data), np.array([2, 1, 0], np.int32), x)
    np.testing.assert_array_equal(found, [[5, 6], [3, 4], [1, 2], [7, 8]])


def test_axes_are_permuted_by_an_input():
    data = graph(
        placeholder("x", -1, 2, 3), placeholder("p", 3, dtype=INT), node("y", "Transpose", "x", "p")
    )
    x = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    found: Any = evaluate(imported(data), x, np.array([2, 0, 1], np.int32))
    np.testing.assert_array_equal(found, x.transpose(2, 0, 1))


def test_shapes_are_computed_from_open_sizes():
    data = graph(
        placeholder("x", -1, 6), node("s", "Shape", "x"), const("zero", [0]), const("one", [1]),
        node("n", "StridedSlice", "s", "zero", "one", "one", shrink_axis_mask=1), const("two", 2),
        node("d", "Mul", "n", "two"), const("three", 3), node("p", "Pack", "d", "three"),
        node("h", "FloorDiv", "d", "two"), node("q", "Pack", "h", "three"), const("fill", 1.0),
        node("f", "Fill", "q", "fill"), node("y", "Reshape", "x", "p"),
    )  # fmt: skip
    module = imported(data, outputs=["y", "f"])
    (n, _) = module.main.params[0].tensor_type.shape
    found: Any = module.main.body.type
    assert [each.shape for each in found.fields] == [(2 * n, 3), (n, 3)]


def test_static_sizes_are_constants_also_if_the_batch_is_open():
    data = graph(
        placeholder("x", -1, 6), node("s", "Shape", "x"), const("one", [1]), const("two", [2]),
        node("n", "StridedSlice", "s", "one", "two", "one", shrink_axis_mask=1),
        node("real", "Cast", "n", SrcT=of_type(INT), DstT=of_type(FLOAT)), const("half", 0.5),
        node("share", "Mul", "real", "half"),
        node("d", "Cast", "share", SrcT=of_type(FLOAT), DstT=of_type(INT)),
        node("p", "Pack", "d", "d"), const("fill", 1.0), node("y", "Fill", "p", "fill"),
    )  # fmt: skip
    assert imported(data).main.body.tensor_type.shape == (3, 3)


def test_inputs_take_other_shapes(tmp_path: Path):
    folder = model("transformer", tmp_path)
    module = relay.load(folder, shapes={"ids": (1, 4), "mask": (1, 4)})
    assert module.main.body.tensor_type.shape == (1, 4, 8)


def test_weights_are_in_the_memory_of_their_file(tmp_path: Path):
    module = relay.load(model("transformer", tmp_path))
    weights = [e for e in post_order(module.main) if isinstance(e, Constant) and e.data.size > 100]
    assert len(weights) > 2
    assert not any(each.data.flags.owndata for each in weights)


def test_weights_are_parameters_on_request(tmp_path: Path):
    module, params = from_tensorflow(model("classic", tmp_path), convert_params=False)
    assert [each.name for each in module.main.params] == ["x", "bias"]  # the kernel is transposed
    inputs, (expected,) = answers("classic")
    found = evaluate(module, *inputs.values(), *params.values())
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-5)


def test_images_are_normalised_by_given_statistics():
    factors = {"m": 1.0, "v": 2.0, "b": 0.5, "g": 3.0}
    vectors = {name: np.arange(1, 4) * factor for name, factor in factors.items()}
    data = graph(
        placeholder("x", 1, 2, 2, 3), *(const(*each) for each in vectors.items()),
        node("y", "BatchNormWithGlobalNormalization", "x", *vectors, variance_epsilon=0.1,
             scale_after_normalization=True),
    )  # fmt: skip
    x = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
    expected = (x - vectors["m"]) / np.sqrt(vectors["v"] + 0.1) * vectors["g"] + vectors["b"]
    found = evaluate(imported(data), x)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


def test_convolutions_take_another_layout(tmp_path: Path):
    path = model("conv_2d", tmp_path)
    module, params = from_tensorflow(path, layout="NCHW")
    assert params == {}
    assert 'data_layout="NCHW"' in str(module) or "data_layout" not in str(module)
    inputs, (expected,) = answers("conv_2d")
    found = np.asarray(evaluate(module, *inputs.values()))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert raised(lambda: from_tensorflow(path, layout="CHWN")).code == "U003"


def test_a_placeholder_with_a_default_is_an_input_on_request():
    data = graph(
        X, const("rate", 0.5), node("keep", "PlaceholderWithDefault", "rate", dtype=of_type(1)),
        node("y", "Mul", "x", "keep"),
    )  # fmt: skip
    assert len(imported(data).main.params) == 1
    assert len(imported(data, shape={"keep": ()}).main.params) == 2


def test_the_user_translates_operators():
    def bent(inputs: Sequence[Any], attributes: Any) -> Any:
        assert attributes["factor"] == 3.0
        return relay.Call(Tanh(), (inputs[0],))

    data = graph(X, node("y", "Bent", "x", factor=3.0))
    assert 'custom_convert_map={"Bent": f}' in str(raised(lambda: imported(data)).help)
    with pytest.warns(UserWarning, match=r"U326.* no operator Bend.*\n.*: Bent"):
        module = imported(data, custom_convert_map={"Bent": bent, "Bend": bent})
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(np.asarray(evaluate(module, x)), np.tanh(x), rtol=1e-6)


def test_an_assertion_traps():
    data = graph(
        placeholder("x"), const("most", 9.0), node("small", "Less", "x", "most"), text("words"),
        node("check", "Assert", "small", "words"), node("group", "NoOp", "^check"),
        node("y", "Identity", "x", "^group"),
    )  # fmt: skip
    module = imported(data)
    assert float(np.asarray(evaluate(module, np.float32(8)))) == 8
    error = raised(lambda: evaluate(module, np.float32(10)))
    assert error.code == "R040"
    assert "words" in str(error)


def test_operators_are_listed_by_name():
    assert translated_tensorflow_operators()["Conv2D"] == "translate.convolution.convolution"
    assert all(len(names) > 1 for names in OUTPUTS.values())


def test_random_operators_are_not_supported():
    noise = node("noise", "RandomUniform", "n", T=of_type(INT), dtype=of_type(FLOAT))
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


@pytest.mark.parametrize("name", BROKEN)
def test_broken_graphs(name: str, tmp_path: Path):
    data, code = BROKEN[name]
    path = tmp_path / "model.pb"
    path.write_bytes(data)
    error = raised(lambda: relay.load(path))
    assert error.code == code, error
    assert error.help or code.startswith("T"), error
    assert "model.pb" in str(error)


def test_constants_of_a_conditional_are_chosen_by_what_runs_before_them():
    yes, no = const("a", 1.0), const("b", 2.0)
    yes.input.append("^t")
    no.input.append("^f")
    data = graph(
        placeholder("p", dtype=10), node("s", "Switch", "p", "p"), node("t", "Identity", "s:1"),
        node("f", "Identity", "s:0"), yes, no, node("y", "Merge", "b", "a"),
    )  # fmt: skip
    module = imported(data, outputs=["y", "y:1"])
    for chosen, expected in ((True, (1.0, 1)), (False, (2.0, 0))):
        found: Any = evaluate(module, np.array(chosen))
        assert tuple(np.asarray(each).item() for each in found) == expected


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


@pytest.mark.parametrize(("shape", "code"), [({"x": (3,)}, "F014"), ({"z": (2, 3)}, "F019")])
def test_shapes_that_do_not_fit(shape: Any, code: str):
    assert raised(lambda: imported(DOUBLE, shape=shape)).code == code


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


def table(keys: Any, values: Any, *initialisers: str) -> bytes:
    """Return a frozen graph that looks up `x` in a table, which each initialiser fills."""
    of = {"key_dtype": of_type(3), "value_dtype": of_type(1)}
    return graph(
        placeholder("x", -1, dtype=3), const("keys", np.asarray(keys, np.int32)),
        const("values", np.asarray(values, np.float32)), const("none", np.float32(-1)),
        node("table", "HashTableV2", shared_name=b"t", **of),
        *(node(name, "InitializeTableV2", "table", "keys", "values") for name in initialisers),
        node("y", "LookupTableFindV2", "table", "x", "none"),
    )  # fmt: skip


def test_a_lookup_table_of_a_frozen_graph():
    x = np.array([7, 3, 0, 2**30], np.int32)
    module = imported(table([2**30, 3], [1, 2], "fill"), outputs=["y"])
    assert np.asarray(evaluate(module, x)).tolist() == [-1, 2, -1, 1]
    empty = imported(table([], [], "fill"), outputs=["y"])
    assert np.asarray(evaluate(empty, x)).tolist() == [-1, -1, -1, -1]
    for broken in (table([1], [1]), table([1, 1], [1, 2], "fill"), table([1], [1, 2], "fill"),
                   table([1], [1], "fill", "refill")):  # fmt: skip
        assert raised(lambda: imported(broken, outputs=["y"])).code == "F093"  # noqa: B023


def test_folders_without_a_model_or_its_variables(tmp_path: Path):
    assert raised(lambda: relay.load(tmp_path)).code == "F092"
    folder = model("counters", tmp_path)
    shutil.rmtree(folder / "variables")
    error = raised(lambda: relay.load(folder))
    assert error.code == "F093"
    assert "copy the whole folder" in str(error.help)


@pytest.mark.parametrize(("operator", "at"), [("Relu", [0.0]), ("Relu6", [0.0, 6.0])])
def test_the_derivative_of_relu_is_tensorflows_at_its_kinks(operator: str, at: list[float]) -> None:
    module = imported(graph(placeholder("x", len(at)), node("y", operator, "x")))
    found: Any = evaluate(relay.vjp(module), np.array(at, np.float32), np.ones(len(at), np.float32))
    np.testing.assert_array_equal(found[1], np.zeros(len(at)))


def test_products_of_8_bit_integers_are_added_in_the_type_of_the_result() -> None:
    types = {"Ta": of_type(6), "Tb": of_type(6), "Tout": of_type(INT)}
    y = node("y", "BatchMatMulV3", "x", "x", **types)
    module = imported(graph(placeholder("x", 2, 2, dtype=6), y))
    found: Any = np.asarray(evaluate(module, np.full((2, 2), 100, np.int8)))
    np.testing.assert_array_equal(found, np.full((2, 2), 20000, np.int32))


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        ([-3, 2, 70000], 2, [9, 4, 605032704]),  # 1: one constant, modulo 2 to the 32
        ([-3, 2, 1], 5, [-243, 32, 1]),  # 1
        ([-3, 2, 7], [3, 4, 0], [-27, 16, 1]),  # 2
    ],
)
def test_powers_of_integers(base: list[int], exponent: Any, expected: list[int]) -> None:
    x, y = placeholder("x", 3, dtype=INT), const("y", exponent)
    module = imported(graph(x, y, node("z", "Pow", "x", "y")))
    found: Any = np.asarray(evaluate(module, np.array(base, np.int32)))
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("lengths", [[4, 4], [2, 1]])
def test_ctc_losses_with_labels_of_run_time_in_both_versions(lengths: list[int]) -> None:
    # 1: all sequences fit; 2: one is too short, which traps
    def losses(op: str, x: np.ndarray, labels: list[int]) -> np.ndarray:
        inputs = placeholder("i", 3, 2, dtype=9), placeholder("v", 3, dtype=INT)
        y = node("y", op, "x", "i", "v", "s")
        module = imported(graph(placeholder("x", 4, 2, 3), *inputs, const("s", lengths), y))
        indices = np.array([[0, 0], [0, 1], [1, 0]])
        found: Any = evaluate(module, x, indices, np.array(labels, np.int32))
        return np.asarray(found[0] if isinstance(found, tuple) else found)

    x = np.random.default_rng(0).standard_normal((4, 2, 3)).astype(np.float32)
    if lengths == [2, 1]:
        error = raised(lambda: losses("CTCLoss", x, [1, 1, 0]))
        assert error.code == "R040"
        assert "a sequence is too short for its labels" in str(error)
    else:
        first = losses("CTCLossV2", np.roll(x, 1, 2), [2, 2, 1])
        np.testing.assert_allclose(losses("CTCLoss", x, [1, 1, 0]), first, rtol=1e-6)


def test_results_of_functions_after_results_that_are_lists() -> None:
    x, lengths = placeholder("x", 3, 2, 4), const("n", [3, 2])
    search = node("s", "CTCBeamSearchDecoder", "x", "n", beam_width=5, top_paths=2)
    call = node("y", "PartitionedCall", "x", "n", f="f")
    whole = message_class("Graph")(node=[x, lengths, call])
    function = whole.library.function.add()
    function.signature.name = "f"
    for name in ("x", "n"):
        function.signature.input_arg.add(name=name)
    function.node.append(search)
    named = {"a": "s:decoded_values:1", "b": "s:log_probability:0"}
    for name, result in named.items():
        function.signature.output_arg.add(name=name)
        function.ret[name] = result
    given = np.random.default_rng(0).standard_normal((3, 2, 4)).astype(np.float32)
    inner = imported(whole.SerializeToString(), outputs=["y", "y:1"])
    plain = imported(graph(x, lengths, search), outputs=["s:3", "s:6"])
    results: list[Any] = [evaluate(each, given) for each in (inner, plain)]
    for found, expected in zip(*results, strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_rows_of_a_sparse_tensor_whose_size_depends_on_data_are_filled() -> None:
    nodes = (
        placeholder("x", 3, 2), node("i", "Where", "x"), node("v", "GatherNd", "x", "i"),
        const("sizes", [3, 2]), node("s", "Cast", "sizes", DstT=of_type(9)), const("d", 9.0),
        node("f", "SparseFillEmptyRows", "i", "v", "s", "d"), node("y", "Identity", "f:1"),
    )  # fmt: skip
    x = np.array([[1, 2], [0, 0], [0, 3]], np.float32)
    found = relay.compile(imported(graph(*nodes), outputs=["y"]), threads=1)(x)
    assert np.asarray(found).tolist() == [1, 2, 9, 3]

"""Every way in which a model file may be broken gives its own error, and never anything else."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from relay.frontend.load import load
from relay.frontend.onnx import from_onnx
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import TRANSLATIONS, onnx_operator
from relay.ir.expr import Expr
from relay.ops.binary import add
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError
from tests.frontend.models import classifier, model


def code_of(broken: onnx.ModelProto | bytes | Path) -> str:
    """Return the code of the error that loading gives."""
    with pytest.raises(RelayError) as caught:
        load(broken)
    assert caught.value.span is not None or caught.value.code == "F001"
    return caught.value.code


def relu(name: str = "x", out: str = "y") -> onnx.NodeProto:
    return helper.make_node("Relu", [name], [out])


def test_no_file(tmp_path: Path) -> None:
    assert code_of(tmp_path / "absent.onnx") == "F001"
    (tmp_path / "folder.onnx").mkdir()
    assert code_of(tmp_path / "folder.onnx") == "F092"  # a folder may be a model of TensorFlow


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 100, b"a text\nof two lines\n", bytes(range(256)), b"PK\x03\x04zip"]
)
def test_not_a_model(content: bytes) -> None:
    assert code_of(content) == "F002"


def test_a_truncated_model() -> None:
    whole = classifier().SerializeToString()
    for length in range(1, len(whole) - 20, 37):
        assert code_of(whole[:length]) in {"F002", "F007", "F016", "F018"}


def test_a_name_that_is_not_utf8() -> None:
    whole = classifier().SerializeToString()
    assert code_of(whole.replace(b"Softmax", b"Soft\xff\xfe\xfd")) == "F002"


def with_external(tmp_path: Path, **fields: str) -> Path:
    """Write a model whose weight of 8 bytes is said to be in a file."""
    broken = model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": [2]}, ["y"])
    tensor = broken.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in fields.items():
        tensor.external_data.add(key=key, value=value)
    path = tmp_path / "models" / "m.onnx"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(broken.SerializeToString())
    return path


def test_external_data(tmp_path: Path) -> None:
    path = with_external(tmp_path, location="w.bin", offset="4", length="8")
    (path.parent / "w.bin").write_bytes(b"\x00" * 4 + np.array([1, 2], "f").tobytes())
    assert load(path).main.body.tensor_type.shape == (2,)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"location": "../secret.bin"}, "F003"),
        ({"location": "/etc/passwd"}, "F003"),
        ({"location": "absent.bin"}, "F004"),
        ({"location": "w.bin", "length": "99"}, "F005"),
        ({"location": "w.bin", "offset": "99"}, "F005"),
        ({"location": "w.bin", "offset": "-4"}, "F005"),
        ({"location": "w.bin", "offset": "99999999999999999999999"}, "F005"),
        ({"location": "w.bin", "offset": "four"}, "F005"),
        ({"location": "w\0.bin"}, "F005"),
        ({"location": "w.bin", "length": "4"}, "F015"),
    ],
)
def test_broken_external_data(tmp_path: Path, fields: dict[str, str], code: str) -> None:
    path = with_external(tmp_path, **fields)
    (path.parent / "w.bin").write_bytes(bytes(16))
    (tmp_path / "secret.bin").write_bytes(bytes(16))
    assert code_of(path) == code


def test_external_data_through_a_link(tmp_path: Path) -> None:
    path = with_external(tmp_path, location="w.bin")
    (tmp_path / "secret.bin").write_bytes(bytes(8))
    (path.parent / "w.bin").symlink_to(tmp_path / "secret.bin")
    assert code_of(path) == "F003"


def test_external_data_may_be_a_hard_link(tmp_path: Path) -> None:
    """As package installers make them; `SECURITY.md` says why they are read."""
    path = with_external(tmp_path, location="w.bin")
    (tmp_path / "stored.bin").write_bytes(bytes(8))
    (path.parent / "w.bin").hardlink_to(tmp_path / "stored.bin")
    assert load(path).main.body.tensor_type.shape == (2,)


def test_external_data_without_a_file(tmp_path: Path) -> None:
    assert code_of(with_external(tmp_path, location="w.bin").read_bytes()) == "F004"


@pytest.mark.parametrize(("opset", "code"), [(-3, "F006"), (1, ""), (6, "")])
def test_an_old_opset(opset: int, code: str) -> None:
    old = model([relu()], {"x": [2]}, ["y"], opset=opset)
    if code:
        assert code_of(old) == code
    else:
        assert load(old)


@pytest.mark.parametrize("opset", [onnx.defs.onnx_opset_version() + 1, 99, 2**40])
def test_a_new_opset(opset: int) -> None:
    assert code_of(model([relu()], {"x": [2]}, ["y"], opset=opset)) == "F006"


@pytest.mark.parametrize("opset", [7, onnx.defs.onnx_opset_version()])
def test_the_oldest_and_the_newest_opset(opset: int) -> None:
    assert load(model([relu()], {"x": [2]}, ["y"], opset=opset)).main.params[0].name == "x"


def test_an_empty_graph() -> None:
    assert code_of(model([], {}, [])) == "F007"
    assert code_of(model([relu()], {"x": [2]}, [])) == "F007"


def test_functions_that_cannot_be_expanded() -> None:
    broken = model([helper.make_node("f", ["x"], ["y"], domain="own")], {"x": [2]}, ["y"])
    body = helper.make_node("f", ["a"], ["b"], domain="own")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    broken.functions.append(helper.make_function("own", "f", ["a"], ["b"], [body], opsets))
    assert code_of(broken) in {"F008", "F010"}


def test_functions_are_expanded() -> None:
    called = model([helper.make_node("f", ["x"], ["y"], domain="own")], {"x": [2]}, ["y"])
    opsets = [helper.make_opsetid("", 17)]
    called.functions.append(
        helper.make_function("own", "f", ["a"], ["b"], [relu("a", "b")], opsets)
    )
    assert load(called).main.body.tensor_type.shape == (2,)


def test_unsupported_operators_are_all_named() -> None:
    nodes = [helper.make_node("StringConcat", ["x", "x"], ["y"], name="first")]
    nodes += [helper.make_node("Foo", ["y"], ["z"], name=f"n{i}", domain="me") for i in range(7)]
    with pytest.raises(RelayError, match=r"StringConcat, me\.Foo") as caught:
        load(model(nodes, {"x": [2, 2]}, ["z"]))
    assert caught.value.code == "F010"
    assert caught.value.notes[:2] == (
        "StringConcat: 1 × (first)",
        "me.Foo: 7 × (n0, n1, n2, n3, n4, …)",
    )


def test_an_operator_is_added_from_outside() -> None:
    given = model([helper.make_node("Twice", ["x"], ["y"], domain="me")], {"x": [2]}, ["y"])
    with pytest.raises(RelayError, match="F010") as caught:
        load(given)
    assert '@onnx_operator("Twice", domain="me")' in str(caught.value.help)
    assert 'register_reference("me.Twice", lambda attrs, x: np.tanh(x))' in caught.value.notes[1]

    @onnx_operator("Twice", domain="me")
    def twice(node: OnnxNode) -> Expr:
        return add(node.expr(0), node.expr(0))

    try:
        found = np.asarray(evaluate(load(given), np.array([1, 2], "f")))
        assert found.tolist() == [2, 4]
    finally:
        del TRANSLATIONS["me", "Twice"]


def test_cycle() -> None:
    assert code_of(model([relu("b", "a"), relu("a", "b")], {"x": [2]}, ["a"])) == "F011"


def test_nodes_in_any_order() -> None:
    assert load(model([relu("a", "y"), relu("x", "a")], {"x": [2]}, ["y"]))


def test_duplicate_names() -> None:
    assert code_of(model([relu(), relu()], {"x": [2]}, ["y"])) == "F012"
    twice = model([relu()], {"x": [2]}, ["y"], weights={"w": np.zeros(1)})
    twice.graph.input.append(twice.graph.input[0])
    assert code_of(twice) == "F012"
    del twice.graph.input[1]
    twice.graph.initializer.append(twice.graph.initializer[0])
    assert code_of(twice) == "F012"
    del twice.graph.initializer[1]
    twice.graph.node.append(relu("x", "w"))
    assert code_of(twice) == "F012"


def test_an_input_that_is_no_tensor() -> None:
    broken = model([relu()], {"x": [2]}, ["y"])
    broken.graph.input[0].type.Clear()
    assert code_of(broken) == "F013"


def test_shapes_that_do_not_fit() -> None:
    given = model([relu()], {"x": [2, "n"]}, ["y"])
    with pytest.raises(RelayError) as caught:
        load(given, {"x": [2]})
    assert caught.value.code == "F014"
    with pytest.raises(RelayError) as caught:
        load(given, {"z": [2]})
    assert caught.value.code == "F019"


def test_weights_that_do_not_fit_their_shape() -> None:
    broken = classifier()
    broken.graph.initializer[0].dims[0] = 5
    assert code_of(broken) == "F015"
    broken.graph.initializer[0].dims[0] = 2**62
    assert code_of(broken) == "F015"
    broken.graph.initializer[0].dims[0] = -4
    assert code_of(broken) == "F015"


def test_a_size_beyond_64_bits() -> None:
    assert code_of(model([relu()], {"x": [2**40, 2**40]}, ["y"])) == "T003"


def test_unknown_names() -> None:
    assert code_of(model([relu()], {"x": [2]}, ["z"])) == "F016"
    assert code_of(model([relu("a")], {"x": [2]}, ["y"])) == "F018"


def test_declared_outputs() -> None:
    """As in ONNX Runtime, a declared element type binds, and a declared size does not."""
    broken = model([relu()], {"x": [2]}, ["y"], types={"y": TensorProto.INT64})
    with pytest.raises(RelayError, match=r"F027.*'y'.*type int64, but.*type float32[^|]*node y"):
        load(broken)
    between = model([relu("x", "t"), relu("t")], {"x": [2]}, ["y"])
    between.graph.value_info.append(helper.make_tensor_value_info("t", TensorProto.DOUBLE, [2]))
    assert code_of(between) == "F027"
    sized = model([relu()], {"x": [2]}, ["y"])
    sized.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, [4]))
    assert load(sized)


@pytest.mark.parametrize(("carried", "computed"), [("DOUBLE", "FLOAT"), ("FLOAT", "DOUBLE")])
def test_declared_values_of_a_body(carried: str, computed: str) -> None:
    kinds = {"i": TensorProto.INT64, "on": TensorProto.BOOL, "go": TensorProto.BOOL}
    kinds |= {"v": TensorProto.DataType.Value(carried), "w": TensorProto.DataType.Value(computed)}
    infos = {name: helper.make_tensor_value_info(name, kind, []) for name, kind in kinds.items()}
    nodes = [helper.make_node("Identity", ["on"], ["go"]), helper.make_node("Abs", ["v"], ["w"])]
    into, out = [infos[each] for each in ("i", "on", "v")], [infos[each] for each in ("go", "w")]
    body = helper.make_graph(nodes, "body", into, out)
    loop = helper.make_node("Loop", ["", "", "x"], ["y"], body=body)
    assert code_of(model([loop], {"x": []}, ["y"])) == "F027"


@pytest.mark.parametrize("element", [0, TensorProto.STRING, 12345])
def test_element_types(element: int) -> None:
    broken = model([relu()], {"x": [2]}, ["y"])
    broken.graph.input[0].type.tensor_type.elem_type = element
    assert code_of(broken) == "F017"


@pytest.mark.parametrize(
    ("node", "code"),
    [
        (helper.make_node("Add", ["x", ""], ["y"]), "F020"),
        (helper.make_node("Reshape", ["x", "x"], ["y"]), "T100"),
        (helper.make_node("TopK", ["x", "k"], ["y", "i"]), ""),
        (helper.make_node("Concat", ["x", "x"], ["y"]), "F023"),
        (helper.make_node("Softmax", ["x"], ["y"], axis=1.5), "F024"),
        (helper.make_node("Relu", ["x"], ["y"], name="r", alpha="a"), "F052"),
        (helper.make_node("Relu", ["x", "x"], ["y"]), "F025"),
        (helper.make_node("Relu", ["x"], []), "F025"),
        (helper.make_node("Transpose", ["x"], ["y"], perm=[0, 7]), "T103"),
        (helper.make_node("Conv", ["x", "x"], ["y"], kernel_shape=[3, 3, 3]), "F031"),
        (helper.make_node("MatMul", ["x", "v"], ["y"]), "T105"),
        (helper.make_node("Conv", ["x", "v"], ["y"]), "F031"),
    ],
)
def test_nodes_that_make_no_sense(node: onnx.NodeProto, code: str) -> None:
    broken = model([node], {"x": [2, 3], "v": [7, 7], "k": []}, ["y"], types={"k": 7})
    if code:
        assert code_of(broken) == code
    else:
        assert load(broken)


def test_a_product_of_matrices_that_do_not_fit_names_them_as_the_file_does() -> None:
    for rows, shapes, said in (
        (5, {}, "rows of the second matrix: expected 3, found 5"),
        (3, {"x": (2, 7)}, "x has the size 7 on axis 1, but the model declares 3"),
    ):
        weights = {"w": np.ones((rows, 4), np.float32)}
        node = helper.make_node("MatMul", ["x", "w"], ["y"])
        built = model([node], {"x": [2, 3]}, ["y"], weights=weights)
        with pytest.raises(RelayError, match=said) as caught:
            load(built, shapes=shapes)
        assert caught.value.code == "T105"


def test_independent_errors_are_reported_together() -> None:
    """The second node needs the first one's result, so it is not reported."""
    nodes = [
        helper.make_node("MatMul", ["x", "v"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
        helper.make_node("Add", ["x", "v"], ["c"], name="third"),
    ]
    with pytest.raises(RelayError) as caught:
        load(model(nodes, {"x": [2, 3], "v": [7, 7]}, ["b", "c"]))
    errors = (caught.value, *caught.value.others)
    assert [str(each.span).rpartition(" ")[2] for each in errors] == ["first", "third"]


def test_mutated_bytes_give_errors_only() -> None:
    """Flip, cut out and insert bytes, most of them outside of the weights."""
    whole, draw = classifier().SerializeToString(), random.Random(7)
    survived = 0
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(draw.choice([1, 1, 2, 4])):
            place = draw.randrange(min(len(data), draw.choice([250, len(data)])))
            match draw.randrange(8):
                case 0:
                    del data[place : place + draw.randrange(1, 9)]
                case 1:
                    data[place:place] = draw.randbytes(draw.randrange(1, 5))
                case _:
                    data[place] = draw.randrange(256)
        try:
            load(bytes(data))
            survived += 1
        except RelayError as error:
            assert error.code[0] in "FT"  # noqa: PT017 - most of these models are broken
    assert 100 < survived < 1900


def test_a_deep_chain_is_read_in_linear_time() -> None:
    nodes = [relu(f"v{i}", f"v{i + 1}") for i in range(5_000)]
    assert from_onnx(model(nodes, {"v0": [2]}, ["v5000"])).main.body.tensor_type.shape == (2,)


def sparse(shape: list[int], indices: Any) -> onnx.SparseTensorProto:
    """Return a sparse tensor `w` with the elements 1, 2, …"""
    places = np.array(indices, np.int64)
    values = numpy_helper.from_array(np.arange(len(places)).astype("f") + 1, "w")
    return helper.make_sparse_tensor(values, numpy_helper.from_array(places, "places"), shape)


def test_sparse_weights() -> None:
    """Indices are linear or one for each axis; functions and subgraphs have such weights, too."""
    added = model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": [2, 3]}, ["y"])
    expected = np.array([[1, 2, 1], [1, 1, 3]], np.float32)
    cases: list[list[Any]] = [[1, 5], [[0, 1], [1, 2]]]
    for indices in cases:
        stored = onnx.ModelProto.FromString(added.SerializeToString())
        stored.graph.sparse_initializer.append(sparse([2, 3], indices))
        constant = helper.make_node("Constant", [], ["w"], sparse_value=sparse([2, 3], indices))
        own = model([constant, added.graph.node[0]], {"x": [2, 3]}, ["y"])
        for each in (stored, own):
            found = evaluate(load(each), np.ones((2, 3), np.float32))
            np.testing.assert_array_equal(found, expected)
        assert len(stored.graph.sparse_initializer) == 1  # the caller's model stays as it is


@pytest.mark.parametrize(
    ("shape", "indices", "code"),
    [
        ([2**40, 2**40], [3], "F009"),
        ([2, 3], [6], "F015"),
        ([2, 3], [-1], "F015"),
        ([2, 3], [[1, 3]], "F015"),
        ([2, 3], [[1, 2, 0]], "F015"),
        ([2, -3], [0], "F015"),
    ],
)
def test_broken_sparse_weights(shape: list[int], indices: Any, code: str) -> None:
    broken = model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": [2]}, ["y"])
    broken.graph.sparse_initializer.append(sparse(shape, indices))
    assert code_of(broken) == code


def test_one_value_for_two_indices_of_a_sparse_weight() -> None:
    broken = model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": [2]}, ["y"])
    tensor = sparse([2], [0, 1])
    tensor.values.CopyFrom(numpy_helper.from_array(np.ones(1, np.float32), "w"))
    broken.graph.sparse_initializer.append(tensor)
    assert code_of(broken) == "F015"


def test_versions_and_values_that_onnx_runtime_refuses() -> None:
    gelu = model([helper.make_node("Gelu", ["x"], ["y"])], {"x": [2]}, ["y"], opset=17)
    with pytest.raises(RelayError, match=r"F006.*opset 17 has no operator Gelu.* since opset 20"):
        load(gelu)
    for domain, version in (("com.microsoft", 9), ("ai.onnx.ml", 77)):
        newer = model([relu()], {"x": [2]}, ["y"])
        newer.opset_import.append(helper.make_opsetid(domain, version))
        assert code_of(newer) == "F006"
    pool = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], auto_pad="SAME")
    assert code_of(model([pool], {"x": [1, 1, 4, 4]}, ["y"])) == "F026"

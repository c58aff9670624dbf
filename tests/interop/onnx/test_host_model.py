"""Models with strings against ONNX Runtime: the host computes what handles them."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay
from relay.interop.onnx import HostedModel, compile_onnx
from relay.support.errors import RelayError

pytestmark = pytest.mark.onnx
ML = "ai.onnx.ml"
TEXT, INT64, FLOAT = TensorProto.STRING, TensorProto.INT64, TensorProto.FLOAT


def model(
    nodes: list[onnx.NodeProto], inputs: dict[str, tuple[int, Any]], outputs: dict[str, int]
) -> onnx.ModelProto:
    first = [helper.make_tensor_value_info(name, *each) for name, each in inputs.items()]
    last = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()]
    graph = helper.make_graph(nodes, "g", first, last)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def check(made: onnx.ModelProto, **given: Any) -> HostedModel:
    """Compare all results with ONNX Runtime's; return what was compiled."""
    run = compile_onnx(made, threads=1)
    assert isinstance(run, HostedModel)
    expected: Any = onnxruntime.InferenceSession(made.SerializeToString()).run(None, given)
    found = run(**given)
    results = found if len(expected) > 1 else (found,)
    for one, other in zip(results, expected, strict=True):
        if isinstance(other, np.ndarray) and other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, 1e-5, 1e-6, strict=True)
        elif isinstance(other, np.ndarray):
            np.testing.assert_array_equal(one, other)
        else:
            assert [list(row) for row in one] == [list(row) for row in other]
    return run


def classifier(**labels: Any) -> onnx.NodeProto:
    weights = np.arange(12, dtype=np.float32) / 7 - 0.8
    return helper.make_node(
        "LinearClassifier", ["x"], ["label", "score"], domain=ML, coefficients=weights.tolist(),
        intercepts=[0.1, 0.2, -0.3], post_transform="SOFTMAX", **labels,
    )  # fmt: skip


def test_labels_that_are_strings() -> None:
    node = classifier(classlabels_strings=["cat", "dog", "cow"])
    made = model([node], {"x": (FLOAT, [5, 4])}, {"label": TEXT, "score": FLOAT})
    rows = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    run = check(made, x=rows)
    assert repr(run) == "HostedModel(x -> compiled, host)"


def test_scores_by_label() -> None:
    nodes = [
        classifier(classlabels_ints=[3, 5, 8]),
        helper.make_node("ZipMap", ["score"], ["z"], domain=ML, classlabels_int64s=[3, 5, 8]),
    ]
    made = model(nodes, {"x": (FLOAT, [2, 4])}, {"label": INT64})
    made.graph.output.append(onnx.ValueInfoProto(name="z"))
    rows = np.ones((2, 4), np.float32)
    label, table = compile_onnx(made, threads=1)(rows)
    scores = compile_onnx(model(nodes[:1], {"x": (FLOAT, [2, 4])}, {"score": FLOAT}))(rows)
    assert [*table[0]] == [3, 5, 8]
    np.testing.assert_array_equal([list(row.values()) for row in table], scores)
    assert label.shape == (2,)


def test_words_become_numbers() -> None:
    nodes = [
        helper.make_node("StringNormalizer", ["text"], ["low"], case_change_action="NONE",
                         stopwords=["the"], is_case_sensitive=1),
        helper.make_node("TfIdfVectorizer", ["low"], ["n"], mode="TF", min_gram_length=1,
                         max_gram_length=2, max_skip_count=0, ngram_counts=[0, 3],
                         ngram_indexes=[0, 1, 2, 3], pool_strings=["a", "b", "c", "a", "b"]),
        helper.make_node("Mul", ["n", "n"], ["y"]),
    ]  # fmt: skip
    words = np.array(["a", "the", "b", "a", "b", "d", "c"], object)
    made = model(nodes, {"text": (TEXT, [7])}, {"y": FLOAT})
    made.graph.value_info.append(helper.make_tensor_value_info("n/words", INT64, [6]))
    run = check(made, text=words)
    assert repr(run) == "HostedModel(text -> host, compiled)"


def test_strings_between_programs() -> None:
    tables = [
        helper.make_node("LabelEncoder", ["i"], ["s"], domain=ML, keys_int64s=[2, 4, 6],
                         values_strings=["two", "four", "six"], default_string="?"),
        helper.make_node("LabelEncoder", ["s"], ["f"], domain=ML, keys_strings=["two", "six", "?"],
                         values_floats=[2.0, 6.0, -1.0], default_float=0.5),
    ]  # fmt: skip
    nodes = [
        helper.make_node("Add", ["x", "x"], ["i"]),
        *tables,
        helper.make_node("Neg", ["f"], ["y"]),
    ]
    made = model(nodes, {"x": (INT64, ["n"])}, {"y": FLOAT, "s": TEXT})
    run = check(made, x=np.array([1, 2, 3, 4]))
    assert repr(run) == "HostedModel(x -> compiled, host, compiled)"


def test_a_model_without_strings_is_one_program(tmp_path: Path) -> None:
    made = model([helper.make_node("Neg", ["x"], ["y"])], {"x": (FLOAT, [2])}, {"y": FLOAT})
    onnx.save(made, tmp_path / "m.onnx")
    run = compile_onnx(tmp_path / "m.onnx", threads=1)
    assert isinstance(run, relay.Executable)
    assert run(np.ones(2, np.float32)).tolist() == [-1.0, -1.0]


def test_what_is_wrong_is_said() -> None:
    node = helper.make_node("StringNormalizer", ["text"], ["y"])
    run = compile_onnx(model([node], {"text": (TEXT, [2])}, {"y": TEXT}))
    with pytest.raises(RelayError, match="R001"):
        run()
    with pytest.raises(RelayError, match=r"R058.*StringNormalizer"):
        run(np.ones((2, 2, 2), object))
    with pytest.raises(RelayError, match="F017") as caught:
        relay.load(
            model([helper.make_node("Identity", ["t"], ["y"])], {"t": (TEXT, [2])}, {"y": 8})
        )
    assert "compile_onnx" in (caught.value.help or "")
    unknown = helper.make_node("StringSplit", ["text"], ["parts", "count"])
    made = model(
        [unknown, helper.make_node("Neg", ["count"], ["y"])], {"text": (TEXT, None)}, {"y": INT64}
    )
    made.opset_import[0].version = 20
    with pytest.raises(RelayError, match="F013"):
        compile_onnx(made)

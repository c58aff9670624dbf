"""String operators on the host, against ONNX Runtime."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay
from relay.interop.onnx import compile_onnx
from relay.support.errors import RelayError

pytestmark = pytest.mark.onnx

WORDS = np.array(["Hello wOrld", "foo bar", "FOO bar", "", " a  b "], object)
FLOATS = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0, 1e10, 1e-7, 123456.789, 1 / 3, 2**24])
ML = "ai.onnx.ml"


def model(name: str, x: np.ndarray, results: tuple[int, ...], **attributes: Any) -> Any:
    kind = TensorProto.STRING if x.dtype == object else helper.np_dtype_to_tensor_dtype(x.dtype)
    names = [f"y{number}" for number in range(len(results))]
    domain = ML if name == "CategoryMapper" else ""
    graph = helper.make_graph(
        [helper.make_node(name, ["x"], names, domain=domain, **attributes)],
        "strings",
        [helper.make_tensor_value_info("x", kind, list(x.shape))],
        [helper.make_tensor_value_info(*each, None) for each in zip(names, results, strict=True)],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(ML, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def check(name: str, x: np.ndarray, results: tuple[int, ...], **attributes: Any) -> None:
    made = model(name, x, results, **attributes)
    wanted = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"x": x})
    found: Any = compile_onnx(made)(x)
    for ours, theirs in zip(found if len(results) > 1 else (found,), wanted, strict=True):
        assert np.asarray(ours).tolist() == np.asarray(theirs).tolist()


@pytest.mark.parametrize("exact", [0, 1])
@pytest.mark.parametrize("change", ["LOWER", "UPPER", "NONE"])
def test_stop_words(exact: int, change: str) -> None:
    given = {"is_case_sensitive": exact, "case_change_action": change, "locale": "C"}
    check("StringNormalizer", WORDS, (TensorProto.STRING,), stopwords=["foo bar", ""], **given)
    check("StringNormalizer", WORDS[None, :1], (TensorProto.STRING,), stopwords=[WORDS[0]], **given)


@pytest.mark.parametrize("given", [{}, {"delimiter": " "}, {"maxsplit": 1}])
def test_parts_of_strings(given: dict[str, Any]) -> None:
    check("StringSplit", WORDS, (TensorProto.STRING, TensorProto.INT64), **given)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, np.bool_, np.int8])
def test_numbers_as_strings(kind: type) -> None:
    numbers = FLOATS if np.issubdtype(kind, np.floating) else np.arange(3)
    with np.errstate(all="ignore"):
        check("Cast", numbers.astype(kind), (TensorProto.STRING,), to=TensorProto.STRING)


def test_categories() -> None:
    table = {"cats_strings": ["a", "b"], "cats_int64s": [3, 4]}
    check("CategoryMapper", np.array(["b", "z"], object), (TensorProto.INT64,), **table)
    check("CategoryMapper", np.array([[4, 9]]), (TensorProto.STRING,), **table)


def test_the_importer_says_where_strings_run() -> None:
    made = model("StringSplit", np.array([1.0], np.float32), (TensorProto.FLOAT,) * 2)
    with pytest.raises(RelayError, match=r"F010(?s:.*)compile_onnx\(model\)"):
        relay.load(made)

"""Trees, linear models, support vectors and features (`ai.onnx.ml`) against ONNX Runtime."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay
from relay.support.errors import RelayError

pytestmark = pytest.mark.onnx
ML = "ai.onnx.ml"
RNG = np.random.default_rng(12)
ROWS = RNG.standard_normal((40, 4)).astype(np.float32)
ROWS[3, 1] = np.nan
PLAIN = np.nan_to_num(ROWS)


def model(op: str, inputs: list[int], outputs: list[int], version: int, **attributes: Any) -> Any:
    """Return a model of one node, whose tensors are of these element types."""
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(op, names, results, domain=ML, **attributes)
    first, last = (
        [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(n, k, strict=True)]
        for n, k in ((names, inputs), (results, outputs))
    )
    graph = helper.make_graph([node], "g", first, last)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def check(made: Any, *given: Any, tolerance: float = 1e-5) -> None:
    """Compare all results with ONNX Runtime's."""
    session = onnxruntime.InferenceSession(made.SerializeToString())
    expected: Any = session.run(None, {f"x{i}": each for i, each in enumerate(given)})
    shapes = {f"x{i}": each.shape for i, each in enumerate(given)}
    found = relay.compile(relay.load(made, shapes=shapes), threads=1)(*given)
    results = found if len(expected) > 1 else (found,)
    for one, other in zip(results, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, tolerance, tolerance, strict=True)


def forest(kind: str, modes: list[str], targets: int, seed: int, **more: Any) -> dict[str, Any]:
    """Return the attributes of a forest of three trees with seven nodes each."""
    rng = np.random.default_rng(seed)
    trees, nodes = 3, 7
    inner = [True, True, True, False, False, False, False]
    chosen = [rng.choice(modes) if each else "LEAF" for _ in range(trees) for each in inner]
    leaves = [(t, n) for t in range(trees) for n in range(3, nodes)]
    return {
        "nodes_treeids": [t for t in range(trees) for _ in range(nodes)],
        "nodes_nodeids": list(range(nodes)) * trees,
        "nodes_modes": chosen,
        "nodes_featureids": rng.integers(0, 4, trees * nodes).tolist(),
        "nodes_values": rng.choice(PLAIN.ravel(), trees * nodes).tolist(),
        "nodes_truenodeids": [1, 3, 5, 0, 0, 0, 0] * trees,
        "nodes_falsenodeids": [2, 4, 6, 0, 0, 0, 0] * trees,
        "nodes_missing_value_tracks_true": rng.integers(0, 2, trees * nodes).tolist(),
        f"{kind}_treeids": [t for t, _ in leaves],
        f"{kind}_nodeids": [n for _, n in leaves],
        f"{kind}_ids": [i % targets for i in range(len(leaves))],
        f"{kind}_weights": rng.standard_normal(len(leaves)).tolist(),
        **more,
    }


QUESTIONS = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


@pytest.mark.parametrize("mode", QUESTIONS)
def test_a_question(mode: str) -> None:
    attributes = forest("target", [mode], 2, 1, n_targets=2)
    check(model("TreeEnsembleRegressor", [1], [1], 3, **attributes), ROWS)


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("targets", [1, 3])
def test_trees_together(aggregate: str, targets: int) -> None:
    attributes = forest("target", ["BRANCH_LEQ"], targets, 2, n_targets=targets)
    attributes["aggregate_function"] = aggregate
    check(model("TreeEnsembleRegressor", [1], [1], 3, **attributes), ROWS)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
def test_a_forest_of_three_classes(transform: str) -> None:
    attributes = forest("class", QUESTIONS[:4], 3, 3, classlabels_int64s=[7, 3, 5])
    attributes |= {"post_transform": transform, "base_values": [0.1, -0.2, 0.3]}
    check(model("TreeEnsembleClassifier", [1], [TensorProto.INT64, 1], 3, **attributes), PLAIN)


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC"])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("scored", [0, 1])
def test_a_forest_of_two_classes_with_one_score(
    transform: str, positive: bool, scored: int
) -> None:
    attributes = forest("class", ["BRANCH_LEQ"], 1, 4, classlabels_int64s=[10, 20])
    attributes["class_ids"] = [scored] * len(attributes["class_ids"])
    attributes["post_transform"] = transform
    if positive:
        attributes["class_weights"] = [abs(w) / 3 for w in attributes["class_weights"]]
    check(model("TreeEnsembleClassifier", [1], [TensorProto.INT64, 1], 3, **attributes), PLAIN)


def test_a_forest_that_leads_nowhere() -> None:
    attributes = forest("target", ["BRANCH_LEQ"], 1, 5, n_targets=1)
    attributes["nodes_featureids"] = [9] * 21
    with pytest.raises(RelayError, match="F026"):
        relay.load(model("TreeEnsembleRegressor", [1], [1], 3, **attributes), shapes={"x0": (2, 4)})


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
@pytest.mark.parametrize("classes", [1, 3])
def test_a_linear_classifier(transform: str, classes: int) -> None:
    made = model(
        "LinearClassifier", [1], [TensorProto.INT64, 1], 1,
        coefficients=RNG.standard_normal(4 * classes).tolist(),
        intercepts=RNG.standard_normal(classes).tolist(),
        classlabels_ints=list(range(3, 3 + max(classes, 2))), post_transform=transform,
        multi_class=1,  # as skl2onnx writes it
    )  # fmt: skip
    check(made, PLAIN)


def test_a_linear_regressor() -> None:
    weights = RNG.standard_normal(8).tolist()
    check(model("LinearRegressor", [1], [1], 1, coefficients=weights, intercepts=[0.5, 1.0],
                targets=2), PLAIN)  # fmt: skip


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_support_vectors(kernel: str) -> None:
    vectors = RNG.standard_normal(12).tolist()
    common = {"kernel_type": kernel, "kernel_params": [0.3, 0.2, 2.0], "support_vectors": vectors}
    weights = RNG.standard_normal(3).tolist()
    check(model("SVMRegressor", [1], [1], 1, n_supports=3, coefficients=weights, rho=[0.3],
                **common), PLAIN)  # fmt: skip
    check(model("SVMClassifier", [1], [TensorProto.INT64, 1], 1, classlabels_ints=[4, 2, 9],
                vectors_per_class=[1, 1, 1], coefficients=RNG.standard_normal(6).tolist(),
                rho=[0.1, -0.2, 0.3], **common), PLAIN)  # fmt: skip


@pytest.mark.parametrize("chances", [False, True])
def test_support_vectors_of_two_classes(chances: bool) -> None:
    more = {"prob_a": [-1.2], "prob_b": [0.1]} if chances else {}
    made = model(
        "SVMClassifier", [1], [TensorProto.INT64, 1], 1, classlabels_ints=[4, 2],
        vectors_per_class=[2, 1], coefficients=[0.5, 0.7, -1.2], rho=[0.1], kernel_type="RBF",
        kernel_params=[0.3, 0.0, 3.0], support_vectors=RNG.standard_normal(12).tolist(), **more,
    )  # fmt: skip
    check(
        made, PLAIN, tolerance=5e-3 if chances else 1e-5
    )  # ONNX Runtime iterates, and stops early


def test_probabilities_of_pairs_are_not_joined() -> None:
    made = model(
        "SVMClassifier", [1], [TensorProto.INT64, 1], 1, classlabels_ints=[4, 2, 9],
        vectors_per_class=[1, 1, 1], coefficients=[1.0] * 6, rho=[0.0] * 3, prob_a=[1.0] * 3,
        prob_b=[0.0] * 3, kernel_type="LINEAR", support_vectors=[1.0] * 12,
    )  # fmt: skip
    with pytest.raises(RelayError, match="F030"):
        relay.load(made, shapes={"x0": (2, 4)})


FEATURES: list[tuple[str, int, dict[str, Any]]] = [
    ("Scaler", 1, {"offset": [0.1, 0.2, 0.3, 0.4], "scale": [2.0, 3.0, 4.0, 5.0]}),
    ("Scaler", 1, {"offset": [0.5], "scale": [2.0]}),
    ("Normalizer", 1, {"norm": "L1"}),
    ("Normalizer", 1, {"norm": "L2"}),
    ("Normalizer", 1, {"norm": "MAX"}),
    ("Binarizer", 1, {"threshold": 0.2}),
    ("Imputer", 1, {"imputed_value_floats": [1.0, 2.0, 3.0, 4.0], "replaced_value_float": np.nan}),
]


@pytest.mark.parametrize(("op", "version", "attributes"), FEATURES)
def test_features(op: str, version: int, attributes: dict[str, Any]) -> None:
    check(model(op, [1], [1], version, **attributes), ROWS if op == "Imputer" else PLAIN)


def test_columns_and_categories() -> None:
    places = np.array([2, 0], np.int64)
    check(model("ArrayFeatureExtractor", [1, TensorProto.INT64], [1], 1), PLAIN, places)
    table = np.array([[3, 0], [1, 2]], np.int64)
    check(model("ArrayFeatureExtractor", [1, TensorProto.INT64], [1], 1), PLAIN[0], table)
    check(model("FeatureVectorizer", [1, 1], [1], 1, inputdimensions=[4, 2]), PLAIN, PLAIN[:, :2])
    whole = RNG.integers(0, 5, (6,))
    check(model("OneHotEncoder", [TensorProto.INT64], [1], 1, cats_int64s=[3, 1, 0]), whole)


def test_tables_of_numbers() -> None:
    keys = {"keys_int64s": [5, 1, 3], "values_floats": [0.5, 0.1, 0.3], "default_float": -9.0}
    given = np.array([[1, 2], [3, 5]], np.int64)
    check(model("LabelEncoder", [TensorProto.INT64], [1], 2, **keys), given)


def test_n_grams() -> None:
    attributes = {
        "mode": "TFIDF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 1,
        "ngram_counts": [0, 3], "ngram_indexes": [2, 0, 1, 3, 4],
        "weights": [2.0, 1.0, 3.0, 0.5, 4.0],
        "pool_int64s": [1, 2, 3, 1, 2, 2, 3],
    }  # fmt: skip
    made = model("TfIdfVectorizer", [TensorProto.INT64], [1], 1, **attributes)
    made.graph.node[0].domain = ""
    check(made, RNG.integers(1, 4, (3, 8)))

"""What imported models of TensorFlow compute where the archives of models have no case."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.tensorflow.schema import message_class
from relay.semantics.evaluate import evaluate
from tests.frontend.tensorflow.graphs import (
    FLOAT,
    INT,
    const,
    graph,
    imported,
    node,
    of_type,
    placeholder,
    raised,
    text,
)


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


def test_a_lookup_table_of_a_frozen_graph():
    x = np.array([7, 3, 0, 2**30], np.int32)
    module = imported(table([2**30, 3], [1, 2], "fill"), outputs=["y"])
    assert np.asarray(evaluate(module, x)).tolist() == [-1, 2, -1, 1]
    empty = imported(table([], [], "fill"), outputs=["y"])
    assert np.asarray(evaluate(empty, x)).tolist() == [-1, -1, -1, -1]
    for broken in (table([1], [1]), table([1, 1], [1, 2], "fill"), table([1], [1, 2], "fill"),
                   table([1], [1], "fill", "refill")):  # fmt: skip
        assert raised(lambda: imported(broken, outputs=["y"])).code == "F093"  # noqa: B023


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


def test_random_numbers_without_a_seed_differ_by_node():
    first, second = (
        node(name, "RandomUniform", "sizes", T=of_type(INT), dtype=of_type(FLOAT)) for name in "yz"
    )
    data = graph(const("sizes", np.array([50], np.int32)), first, second)
    found: Any = evaluate(imported(data, outputs=["y", "z"]))
    one, other = map(np.asarray, found)
    assert 0.3 < np.mean(one) < 0.7
    assert np.abs(one - other).max() > 0.1

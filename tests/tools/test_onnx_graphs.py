"""Random ONNX graphs: they follow from their numbers, and compiled ones equal ONNX Runtime."""

import pytest

from tools.fuzz_onnx import check, onnx_runtime
from tools.fuzzing.onnx_graphs import random_graph

pytestmark = pytest.mark.onnx


def test_a_graph_follows_from_its_number():
    graphs = [random_graph(7, onnx_runtime, is_open=True) for _ in range(2)]
    assert graphs[0].model == graphs[1].model
    assert 5 <= len(graphs[0].operators) <= 40
    dims = [dim for info in graphs[0].model.graph.input for dim in info.type.tensor_type.shape.dim]
    assert any(dim.dim_param for dim in dims)


@pytest.mark.parametrize(("number", "sizes"), [(0, "fixed"), (3, "open")])
def test_a_graph_equals_onnx_runtime(number: int, sizes: str):
    assert check(number, show=False)[f"graphs of {sizes} sizes"] == 1

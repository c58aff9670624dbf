"""Random ONNX graphs over the common operators, for comparisons with another engine."""

from relay.testing.onnx_graphs.graphs import RandomGraph, random_graph
from relay.testing.onnx_graphs.grower import Array, Run

__all__ = ["Array", "RandomGraph", "Run", "random_graph"]

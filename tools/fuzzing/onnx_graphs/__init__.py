"""Random ONNX graphs over the common operators, for comparisons with another engine."""

from tools.fuzzing.onnx_graphs.graphs import RandomGraph, random_graph
from tools.fuzzing.onnx_graphs.grower import Array, Run

__all__ = ["Array", "RandomGraph", "Run", "random_graph"]

"""The benchmark networks: one description each, built for ONNX or for PyTorch, random weights."""

from benchmarks.networks.catalogue import NETWORKS, Network

__all__ = ["NETWORKS", "Network"]

"""OpenVINO restricted to AVX2, except for its matrix products by MLAS, which cannot be."""

from benchmarks.contenders.openvino import COMPILES, load, version

__all__ = ["COMPILES", "load", "version"]

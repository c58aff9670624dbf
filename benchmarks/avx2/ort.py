"""ONNX Runtime, which cannot be restricted to AVX2: it uses AVX-512 if available."""

from benchmarks.contenders.ort import COMPILES, load, version

__all__ = ["COMPILES", "load", "version"]

"""ONNX Runtime, which chooses its instructions itself: AVX-512 where there is one."""

from benchmarks.contenders.ort import COMPILES, load, version

__all__ = ["COMPILES", "load", "version"]

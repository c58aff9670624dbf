"""OpenVINO without AVX-512 where it can be told: its products of matrices by MLAS cannot."""

from benchmarks.contenders.openvino import COMPILES, load, version

__all__ = ["COMPILES", "load", "version"]

"""Compile ONNX models that use strings: string operators are executed in Python."""

from relay.interop.onnx.hosted import HostedModel as HostedModel
from relay.interop.onnx.hosted import compile_onnx as compile_onnx

"""Compile ONNX models that use strings: string operators are executed in Python."""

from relay.interop.onnx.host_model import HostedModel as HostedModel
from relay.interop.onnx.host_model import compile_onnx as compile_onnx

"""Compile ONNX models partly for the host: strings, image files, dictionaries of scores."""

from relay.interop.onnx.hosted import HostedModel as HostedModel
from relay.interop.onnx.hosted import compile_onnx as compile_onnx

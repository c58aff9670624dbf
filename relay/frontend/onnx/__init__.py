"""Import ONNX models: `from_onnx` turns a file, bytes or a `ModelProto` into a Relay module."""

from relay.frontend.onnx.load import from_onnx as from_onnx

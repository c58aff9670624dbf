"""Import ONNX models: `from_onnx` converts a file, bytes or a `ModelProto` to a Relay module."""

from relay.frontend.onnx.load import from_onnx as from_onnx

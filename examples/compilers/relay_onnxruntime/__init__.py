"""ONNX Runtime as an external compiler: regions are exported to ONNX."""

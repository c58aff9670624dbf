"""What the compilers for ONNX Runtime and for PyTorch share: calls of ordinary networks."""

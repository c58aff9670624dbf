"""Translations of ONNX operators, with one module per family."""

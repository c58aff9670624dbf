"""Translations of ONNX operators, a module for each family."""

"""Translations of TensorFlow operators, one module per family."""

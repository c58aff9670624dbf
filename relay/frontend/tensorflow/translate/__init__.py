"""Translations of TensorFlow operators, with one module per family."""

"""Translations of TensorFlow Lite operators, with one module per family."""

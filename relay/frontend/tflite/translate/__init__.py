"""Translations of TensorFlow Lite's operators, one module per family."""

"""Translations of TensorFlow Lite's operators, a module a family."""

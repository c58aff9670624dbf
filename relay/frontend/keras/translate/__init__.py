"""Translations of Keras layers and operations, with one module per family."""

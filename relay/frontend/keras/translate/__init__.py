"""Translations of layers and operations, one module per family."""

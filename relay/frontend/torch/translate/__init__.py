"""Translations of PyTorch operators, with one module per family."""

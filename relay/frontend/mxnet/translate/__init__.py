"""Translations of MXNet operators, with one module per family."""

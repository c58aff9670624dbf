"""Translations of operators, one module per family."""

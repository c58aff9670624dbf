"""Translations of StableHLO operations, with one module per family."""

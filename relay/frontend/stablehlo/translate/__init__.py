"""Translations of StableHLO's operations, one module per family."""

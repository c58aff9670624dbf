"""Translations of StableHLO's operations, a module a family."""

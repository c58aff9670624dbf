"""Translations of operators, a module a family."""

"""Translations of layers and operations, a module a family."""

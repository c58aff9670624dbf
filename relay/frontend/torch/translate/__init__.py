"""Translations of PyTorch's operators, a module for each family."""

"""Operators on symbolic sizes: programs made from their examples, and comparisons."""

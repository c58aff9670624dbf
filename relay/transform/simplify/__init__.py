"""Rewrites that make a program smaller or cheaper without changing its results."""

"""Passes over loops, which are functions with self tail calls."""

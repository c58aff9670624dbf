"""Passes over loops, which are local functions that call themselves in tail position."""

"""Modules that TVM saved as JSON."""

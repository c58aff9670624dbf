"""Recompile Python functions with calls of hooks in places that a trace cannot observe."""

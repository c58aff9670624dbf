"""Helpers with which several importers build expressions, for example loops and lists."""

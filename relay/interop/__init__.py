"""Relay beside other frameworks: their models compiled in one step."""

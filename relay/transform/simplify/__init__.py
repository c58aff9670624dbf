"""Passes that simplify a program or make it cheaper without changing its results."""

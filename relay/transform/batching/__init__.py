"""Automatic batching: which parts of a program are calls that can wait for others like them."""

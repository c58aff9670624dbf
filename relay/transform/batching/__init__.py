"""Automatic batching: finds the operators of a program that can be deferred and run in batches."""

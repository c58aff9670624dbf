"""Benchmarks of Relay and other engines.

Every claim about speed refers to a row that one printed.
"""

"""Partial evaluation: the domain of static values, and the evaluator over it."""

"""Partial evaluation: one domain of static values, and what computes with them."""

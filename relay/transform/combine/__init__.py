"""Combination of parallel operators on one tensor into one operator."""

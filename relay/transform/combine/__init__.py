"""Parallel operators on one tensor become one operator."""

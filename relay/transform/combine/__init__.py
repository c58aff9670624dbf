"""Passes that combine several operators on the same tensor into one operator."""

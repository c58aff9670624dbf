"""Random calls of operators, derived from their examples, against their NumPy references."""

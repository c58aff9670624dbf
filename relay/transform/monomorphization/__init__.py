"""Monomorphisation: generic functions and data types, copied for each choice of type arguments."""

"""Generic functions and data types, written out once for each choice of their type parameters."""

"""What Python and NumPy do with tensors: operators, functions, methods, indices and ranges."""

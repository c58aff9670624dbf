"""Operations of Python and NumPy on tensors: operators, functions, indexing, loops."""

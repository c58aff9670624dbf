"""The cases of the benchmark of less common operators, a module for each family."""

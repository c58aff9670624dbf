"""Values of the program as Python sees them, and their conversion to expressions."""

"""Values of the program as Python sees them, and as expressions."""

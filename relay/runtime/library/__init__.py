"""Export a program as a C library: a shared library or an object file, and its header."""

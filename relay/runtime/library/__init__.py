"""Export of a program as a library for C: a shared library or an object file, and its header."""

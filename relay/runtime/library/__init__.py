"""A program as a library for C: a shared library or an object file, and the header beside it."""

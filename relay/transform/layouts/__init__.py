"""Layouts and forms of operators that a user asks for."""

"""Automatic differentiation of programs: the derivative of a program is again a program."""

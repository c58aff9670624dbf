"""Differentiation of programs: derivatives are programs again."""

"""Minimisation of programs that show a compiler defect, by delta debugging."""

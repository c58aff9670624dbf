"""Minimisation of programs that show a defect, by delta debugging."""

"""Targets: preferred layouts and schedules of operators, one folder for each kind of machine."""

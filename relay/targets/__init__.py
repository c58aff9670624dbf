"""How a machine runs operators: preferred layouts and schedules, one folder per kind of machine."""

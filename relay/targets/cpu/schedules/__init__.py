"""Schedules of operators on a CPU: rules for classes of formulas, with an analytical cost model."""

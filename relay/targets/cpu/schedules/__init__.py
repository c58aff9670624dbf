"""Schedules of operators on a CPU: rules for tensor expressions, with a cost model."""

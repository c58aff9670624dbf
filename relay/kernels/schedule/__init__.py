"""Schedules: in which order and where tensor expressions are computed and stored."""

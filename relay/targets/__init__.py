"""Targets: the layouts and schedules with which each kind of machine computes operators."""

"""Passes over loops: functions that call themselves last."""

"""Schedules: the order, the place and the manner in which tensor expressions are computed."""

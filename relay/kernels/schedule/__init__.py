"""Schedules: in what order, where and how what tensor expressions say is computed."""

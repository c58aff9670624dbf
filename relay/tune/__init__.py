"""Searches by measurement: which passes, in which order, make a program fastest."""

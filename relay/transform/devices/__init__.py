"""Passes that place parts of a program on devices."""

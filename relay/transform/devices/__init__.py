"""Passes about the devices on which parts of a program run."""

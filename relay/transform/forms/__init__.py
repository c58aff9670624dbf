"""Passes that change how a program represents control flow and functions."""

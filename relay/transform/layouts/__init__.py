"""Passes that convert operators to layouts and forms that a user requests."""

"""Passes that convert operators to layouts, or to other forms, that users request."""

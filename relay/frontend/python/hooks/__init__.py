"""Hooks that rewritten functions call: for control flow, `match`, calls and attributes."""

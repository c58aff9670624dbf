"""Operators whose sizes are open: programs made of their examples, and what is compared of them."""

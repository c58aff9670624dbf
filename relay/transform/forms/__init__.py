"""Program forms: representations of control flow and of functions."""

"""Program forms: how control and functions are written."""

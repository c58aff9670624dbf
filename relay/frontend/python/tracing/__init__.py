"""The trace: the program that is written down, and what paths and rounds of loops change."""

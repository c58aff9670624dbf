"""Recomputation: chooses the values that the backward part computes again instead of reading."""

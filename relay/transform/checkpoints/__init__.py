"""Recomputation in derivatives: choice of the values that the backward part does not keep."""

"""Dimensions of tensors: algebra, bounds and the solver; `relay.ir.dims` is the door."""

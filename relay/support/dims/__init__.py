"""Dimensions of tensors: algebra, bounds and the solver, which `relay.ir.dims` re-exports."""

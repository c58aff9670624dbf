"""A small accelerator, simulated: a matrix unit, a vector unit, and scratchpads filled by DMA."""

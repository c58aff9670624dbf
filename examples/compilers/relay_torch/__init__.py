"""PyTorch as an external compiler: regions are lists of PyTorch's operators."""

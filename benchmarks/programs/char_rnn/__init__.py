"""The name generator of PyTorch's tutorial: a recurrent network that reads its own letters."""

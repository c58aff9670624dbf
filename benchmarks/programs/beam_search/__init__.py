"""Beam search over a small decoder: a GRU cell and the probabilities of the next symbol."""

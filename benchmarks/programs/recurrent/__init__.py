"""Layers of RNN, GRU and LSTM cells over a sequence, or over sentences of many lengths."""

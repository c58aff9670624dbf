"""Operators of neural networks: layers, activations, normalisations, poolings, losses."""

from relay.ops.nn import conv_operators as conv_operators

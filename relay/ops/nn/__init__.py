"""Operators of neural networks: layers, activations, normalisations, poolings, losses."""

from relay.ops.nn import conv_operators as conv_operators
from relay.ops.nn import pool_grad as pool_grad
from relay.ops.nn import pool_operators as pool_operators
from relay.ops.nn import pool_target_operators as pool_target_operators

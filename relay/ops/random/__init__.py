"""Operators that return random numbers, as functions of an explicit key."""

from relay.ops.random import distributions as distributions
from relay.ops.random import generator as generator

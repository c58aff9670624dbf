"""Helpers that several Relay programs share."""

import numpy as np

import relay
from relay.frontend.python import Tensor


@relay.function
def sigmoid(x: Tensor["n"]) -> Tensor["n"]:
    """Return the logistic sigmoid of each element."""
    return 1 / (1 + np.exp(-x))

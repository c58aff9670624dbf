"""What several Relay programs use."""

import numpy as np

import relay
from relay.frontend.python import Tensor


@relay.function
def sigmoid(x: Tensor["n"]) -> Tensor["n"]:
    """Return values between 0 and 1."""
    return 1 / (1 + np.exp(-x))

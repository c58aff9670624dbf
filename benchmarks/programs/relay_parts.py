"""What several Relay programs use."""

import numpy as np

import relay
from relay.frontend.python import Tensor, int32


@relay.function
def sigmoid(x: Tensor["n"]) -> Tensor["n"]:
    """Return values between 0 and 1."""
    return 1 / (1 + np.exp(-x))


@relay.function
def with_row(rows: Tensor["n", "h"], t: int32, row: Tensor["h"]) -> Tensor["n", "h"]:
    """Return the rows with another one in the place of row `t`."""
    place: Tensor[1, 1, int32] = np.reshape(t, (1, 1))
    return relay.scatter_nd(rows, place, row[None])

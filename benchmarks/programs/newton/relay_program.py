"""Newton's iteration as a `while` loop in a Python function."""

import numpy as np

import relay
from benchmarks.programs.newton.case import LIMIT, Sizes
from benchmarks.programs.workload import Weights
from relay.frontend.python import PythonFunction, Tensor, float32, int32


@relay.function
def root(a: float32) -> tuple[float32, int32]:
    """Return the cube root of a number, and how many steps it took."""
    x = a
    steps = 0
    while abs(x**3 - a) > LIMIT:
        x = x - (x**3 - a) / (3 * x**2)
        steps += 1
    return x, steps


def build(sizes: Sizes, _weights: Weights) -> PythonFunction:
    """Return the iteration."""
    if sizes.numbers is None:
        return root
    size = sizes.numbers

    @relay.function
    def roots(a: Tensor[size]) -> tuple[Tensor[size], int32]:
        x = a
        steps = 0
        while np.abs(x**3 - a).max() > LIMIT:
            x = x - (x**3 - a) / (3 * x**2)
            steps += 1
        return x, steps

    return roots

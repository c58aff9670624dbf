"""The selective scan as a loop over rows that are computed from the inputs."""

import numpy as np

import relay
from benchmarks.programs.selective_scan.case import Sizes
from benchmarks.programs.workload import Weights
from relay.frontend.python import PythonFunction, Tensor


def build(sizes: Sizes, weights: Weights) -> PythonFunction:
    """Return the function from inputs to outputs."""
    weights = relay.frozen(weights)
    down, up, bias = weights["down"], weights["up"], weights["bias"]
    enter, leave = weights["enter"], weights["leave"]
    decay, skip = weights["decay"], weights["skip"]
    length, width, size = sizes.length, sizes.width, sizes.state

    @relay.function
    def scan(xs: Tensor[length, width]) -> Tensor[length, width]:
        steps = np.log(1 + np.exp(xs @ down @ up + bias))
        entries, exits = xs @ enter, xs @ leave
        state = np.zeros((width, size), np.float32)
        out = np.zeros((length, width), np.float32)
        for t in range(length):
            entry = (steps[t] * xs[t])[:, None] * entries[t]
            state = np.exp(steps[t][:, None] * decay) * state + entry
            out[t] = state @ exits[t] + skip * xs[t]
        return out

    return scan

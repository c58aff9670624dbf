"""The name generator as a loop in a Python function."""

import numpy as np

import relay
from benchmarks.programs.char_rnn.case import CATEGORIES, LETTERS, STEPS, Sizes
from benchmarks.programs.workload import Weights
from relay.frontend.python import PythonFunction, Tensor, int32

ONE_HOT = relay.frozen(np.eye(LETTERS, dtype=np.float32))


def build(sizes: Sizes, weights: Weights) -> PythonFunction:
    """Return the function that writes letters."""
    weights = relay.frozen(weights)
    to_state, state_bias = weights["to_state"], weights["state_bias"]
    to_output, output_bias = weights["to_output"], weights["output_bias"]
    to_letter, letter_bias = weights["to_letter"], weights["letter_bias"]
    size = sizes.hidden

    @relay.function
    def write(
        category: Tensor[CATEGORIES], letter: int32
    ) -> tuple[Tensor[STEPS, int32], Tensor[size]]:
        hidden = np.zeros(size, np.float32)
        letters = np.zeros(STEPS, np.int32)
        for step in range(STEPS):
            read = np.concatenate([category, ONE_HOT[letter], hidden])
            hidden = read @ to_state + state_bias
            output = read @ to_output + output_bias
            both: Tensor[LETTERS] = np.concatenate([hidden, output]) @ to_letter + letter_bias
            chances: Tensor[LETTERS] = relay.nn.log_softmax(both)
            letter = np.argmax(chances)
            letters[step] = letter
        return letters, hidden

    return write

"""A character language model: a long short-term memory is trained on a story, and goes on with it.

    python examples/language_model.py [STEPS]

The story is in examples/texts. A step of training reads 16 pieces of 48 letters; afterwards the
network writes, one letter after another, as one native function with a loop.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from training_report import Report

import relay
from relay import Expr, layers
from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.layers import LSTM, Embedding, Linear, Mode

TEXT = (Path(__file__).parent / "texts" / "lighthouse.txt").read_text(encoding="utf-8")
LETTERS = sorted(set(TEXT))
PIECES, LENGTH, WIDTH, STEPS = 16, 48, 128, 1200


@dataclass(eq=False)
class Writer(layers.Layer):
    """Letters looked up, followed by a long short-term memory, and scored by a linear layer."""

    table: Embedding
    memory: LSTM
    score: Linear

    def __call__(self, x: Expr, mode: Mode = layers.INFERENCE) -> Expr:
        """Return the scores of the next letter behind each of the letters `(length, pieces)`."""
        return self.score(self.memory(self.table(x), mode), mode)

    def write(self, key: Expr, first: Expr, count: int) -> Expr:
        """Return `count` letters that are drawn one after another."""

        def step(_: Expr, now: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            key, letter, h, c = now
            gates = self.table(letter) @ relay.transpose(self.memory.by_input) + self.memory.bias
            h, c = self.memory.step(gates, h, c)
            scores = relay.nn.softmax(self.score(h) / 0.5, axis=-1)
            key, drawn = relay.random.multinomial(key, scores, 1)
            letter = relay.reshape(drawn, (1,))
            return (key, letter, h, c, letter), None

        zero = relay.zeros((1, WIDTH), "float32")
        begin = (key, first, zero, zero)
        kinds = [each.type for each in begin]
        total = relay.const(count, "int64")
        letters = Collection(first.tensor_type, count, total)
        *_, written = collecting(total, None, begin, kinds, (letters,), step)
        return written


def network() -> Writer:
    """Return the network for the letters of the text."""
    count = len(LETTERS)
    return Writer(Embedding(count, 32), LSTM(32, WIDTH), Linear(WIDTH, count))


def loss(model: Writer, mode: Mode, x: Expr, following: Expr) -> Expr:
    """Return how surprising the letters are that follow, in nats a letter."""
    return layers.cross_entropy(model(x, mode), following)


def pieces(random: np.random.Generator) -> tuple[Any, Any]:
    """Return pieces of the text `(length, pieces)`, and the same one letter later."""
    numbers = np.array([LETTERS.index(letter) for letter in TEXT], np.int32)
    begins = random.integers(0, len(numbers) - LENGTH - 1, PIECES)
    both = np.stack([numbers[begin : begin + LENGTH + 1] for begin in begins], axis=1)
    return both[:-1], both[1:]


def main(steps: int) -> None:
    """Train, draw the loss, and let the network write."""
    random = np.random.default_rng(0)
    model = network()
    rate = layers.cosine_decay(1e-2, steps)
    optimizer = layers.chain(layers.clip_by_norm(1.0), layers.adam(rate))
    state = layers.start(model, optimizer)
    step = layers.training_step(loss, optimizer, state, *pieces(random))
    with Report("language model", steps) as report:
        for _ in range(steps):
            state, value = step(state, *pieces(random))
            report.step(value)
    report.draw(Path("language_model.svg"))
    key, first = relay.random.threefry_key(1).data, np.array([LETTERS.index("T")], np.int32)
    write = layers.compile_function(
        lambda m, key, first: m.write(key, first, 400), model, key, first
    )
    written = write(state.model, key, first)
    print("T" + "".join(LETTERS[letter] for letter in written[:, 0]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)

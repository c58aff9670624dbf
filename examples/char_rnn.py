"""A recurrent network that writes text, one character after another.

    python examples/char_rnn.py [START [COUNT]]

The network's recurrent weights are random and stay so; what reads a character off its state is
fitted to a poem by least squares, which takes a moment. Generating is a loop in Python: Relay runs
it as one program, in which the loop is a function that calls itself.
"""

import sys
from typing import Any

import numpy as np

import relay
from relay.frontend.python import Tensor, int32

POEM = """
Tyger Tyger, burning bright,
In the forests of the night;
What immortal hand or eye,
Could frame thy fearful symmetry?

In what distant deeps or skies,
Burnt the fire of thine eyes?
On what wings dare he aspire?
What the hand, dare seize the fire?

And what shoulder, & what art,
Could twist the sinews of thy heart?
And when thy heart began to beat,
What dread hand? & what dread feet?
"""
LETTERS = sorted(set(POEM))
SIZE, STATE, WIDTH = len(LETTERS), 400, 300
END = LETTERS.index("\n")

RANDOM = np.random.default_rng(1)
BY_LETTER = relay.frozen(RANDOM.normal(0, 1.0, (SIZE, STATE)).astype(np.float32))
BY_STATE = relay.frozen(RANDOM.normal(0, 0.9 / STATE**0.5, (STATE, STATE)).astype(np.float32))


def numbers(text: str) -> Any:
    """Return the number of each letter."""
    return np.array([LETTERS.index(letter) for letter in text], np.int32)


def fitted() -> Any:
    """Return weights that give the next letter of the poem from the state, by ridge regression."""
    state, states = np.zeros(STATE, np.float32), list[Any]()
    for letter in numbers(POEM)[:-1]:
        state = np.tanh(BY_LETTER[letter] + state @ BY_STATE)
        states.append(state)
    x, y = np.array(states), np.eye(SIZE, dtype=np.float32)[numbers(POEM)[1:]]
    return np.linalg.solve(x.T @ x + 1e-3 * np.eye(STATE, dtype=np.float32), x.T @ y)


TO_LETTER = relay.frozen(fitted())


@relay.function
def read(text: Tensor["n", int32]) -> Tensor[STATE]:
    """Return the state of the network behind a text."""
    state = np.zeros(STATE, np.float32)
    for letter in text:
        state = np.tanh(BY_LETTER[letter] + state @ BY_STATE)
    return state


@relay.function
def write(start: Tensor["n", int32], count: int32) -> Tensor[WIDTH, int32]:
    """Return the text that goes on from `start` until a line is empty: so many letters at most."""
    state = read(start)
    text = np.full(WIDTH, END, np.int32)
    last = END
    for place in range(count):
        letter = np.argmax(state @ TO_LETTER)
        text[place] = letter
        if letter == END and last == END:
            break
        state = np.tanh(BY_LETTER[letter] + state @ BY_STATE)
        last = letter
    return text


def main(start: str, count: int) -> None:
    """Print what follows the start, and whether plain Python writes the same."""
    text = numbers(start)
    written = write(text, count)
    print((start + "".join(LETTERS[i] for i in written)).strip(), end="\n\n")
    plain = write.python(text, count)
    print("plain Python writes", "the same" if np.array_equal(plain, written) else "OTHER text")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "\nIn what", WIDTH)

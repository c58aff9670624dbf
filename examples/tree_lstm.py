"""A TreeLSTM: a network that follows the structure of a sentence (Tai et al., 2015).

    python examples/tree_lstm.py

Sentences are trees of a dataclass; the network is a recursive function with a `match`. The weights
are random, so the vectors mean little, but one thing shows: the same words in another structure are
another sentence.
"""

from typing import Any

import numpy as np

import relay
from relay.frontend.python import Tensor, int32

WORDS = ("old", "men", "and", "women", "cats")
SIZE, HIDDEN = 16, 24

RANDOM = np.random.default_rng(5)


def matrix(*shape: int) -> Any:
    """Return random weights that keep the size of what they multiply."""
    return relay.frozen((RANDOM.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32))


EMBEDDING = relay.frozen(matrix(len(WORDS), SIZE) * 4)
OF_WORD, BIAS = matrix(SIZE, 3 * HIDDEN), relay.frozen(np.ones(HIDDEN, np.float32))
OF_LEFT, OF_RIGHT = matrix(HIDDEN, 5 * HIDDEN), matrix(HIDDEN, 5 * HIDDEN)


@relay.data
class Word:
    """A leaf: the number of a word."""

    index: int32


@relay.data
class Phrase:
    """Two parts that belong together."""

    left: "Sentence"
    right: "Sentence"


Sentence = Word | Phrase
State = tuple[Tensor[HIDDEN], Tensor[HIDDEN]]


@relay.function
def sigmoid(x: Tensor["n"]) -> Tensor["n"]:
    """Return values between 0 and 1."""
    return 1 / (1 + np.exp(-x))


@relay.function
def encode(sentence: Sentence) -> State:
    """Return the hidden state and the content of the cell for a sentence."""
    match sentence:
        case Word(index):
            entry, exit_, content = np.split(EMBEDDING[index] @ OF_WORD, 3)
            cell = sigmoid(entry) * np.tanh(content)
        case Phrase(left, right):
            h_left, c_left = encode(left)
            h_right, c_right = encode(right)
            sums = h_left @ OF_LEFT + h_right @ OF_RIGHT
            entry, exit_, content, keep_left, keep_right = np.split(sums, 5)
            kept = sigmoid(keep_left + BIAS) * c_left + sigmoid(keep_right + BIAS) * c_right
            cell = kept + sigmoid(entry) * np.tanh(content)
    return sigmoid(exit_) * np.tanh(cell), cell


@relay.function
def similarity(a: Sentence, b: Sentence) -> float:
    """Return the cosine of the angle between the vectors of two sentences."""
    x, _ = encode(a)
    y, _ = encode(b)
    return x @ y / np.sqrt((x @ x) * (y @ y))


def parsed(text: str) -> Sentence:
    """Return the tree of a sentence with brackets around its phrases: `((old men) and) women`."""
    stack: list[list[Any]] = [[]]
    for sign in text.replace("(", " ( ").replace(")", " ) ").split():
        if sign == "(":
            stack.append([])
        else:
            part = _joined(stack.pop()) if sign == ")" else Word(WORDS.index(sign))
            stack[-1].append(part)
    return _joined(stack.pop())


def _joined(parts: list[Any]) -> Sentence:
    left, *rest = parts
    for right in rest:
        left = Phrase(left, right)
    return left


def main() -> None:
    """Print how similar some sentences are to one, and whether plain Python agrees."""
    first = "(old men) (and women)"
    others = (first, "(old cats) (and women)", "old (men (and women))", "women (and (old men))")
    print(f"similar to {first}:")
    for other in others:
        a, b = parsed(first), parsed(other)
        value, plain = similarity(a, b), similarity.python(a, b)
        print(f"  {other:<24} {value:6.3f}   plain Python {plain:6.3f}")


if __name__ == "__main__":
    main()

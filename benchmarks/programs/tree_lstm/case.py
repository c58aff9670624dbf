"""The child-sum TreeLSTM: trees, weights and the states of their roots.

A node has a word and any number of children. With `x` for the word's vector and `h`, `c` for the
children's states: the input, output and content gates depend on `x` and the sum of all `h`; a
forget gate for each child depends on `x` and its `h` and scales its `c`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders.case import Feeds, Outputs
from benchmarks.programs.sentences import sentences
from benchmarks.programs.weights import Drawing
from benchmarks.programs.workload import Calls, Weights, Workload

Array = NDArray[Any]


@dataclass(frozen=True)
class Sizes:
    """The sizes of word vectors and states, and the number of sentences."""

    input: int
    hidden: int
    sentences: int = 32
    words: int = 1000


@dataclass(frozen=True)
class Node:
    """A word and the nodes that depend on it."""

    word: int
    children: tuple["Node", ...]


def weights(sizes: Sizes) -> Weights:
    """Draw a vector for each word, and matrices of words (`w`) and states (`u`) for the gates."""
    drawn, hidden = Drawing(4), sizes.hidden
    return {
        "vectors": drawn.normal(sizes.words, sizes.input),
        "w": drawn.matrix(sizes.input, 3 * hidden),
        "u": drawn.matrix(hidden, 3 * hidden),
        "b": drawn.matrix(3 * hidden, over=hidden),
        "w_keep": drawn.matrix(sizes.input, hidden),
        "u_keep": drawn.matrix(hidden, hidden),
        "b_keep": drawn.matrix(hidden, over=hidden),
    }


def inputs(sizes: Sizes) -> Feeds:
    """Return for each sentence two rows: the head of each word, and the word's number."""
    drawn = Drawing(5)
    return {
        f"tree{i}": np.stack([np.array(heads, np.int32), drawn.integers(sizes.words, len(heads))])
        for i, heads in enumerate(sentences(sizes.sentences))
    }


def calls(feeds: Feeds) -> Calls:
    """Return a call for each sentence."""
    return [(tree(rows),) for rows in feeds.values()]


def tree(rows: Array) -> Node:
    """Return the tree of a sentence; recursion is as deep as sentences are."""
    heads, words = rows.tolist()

    def below(place: int) -> tuple[Node, ...]:
        found = [k for k, head in enumerate(heads, 1) if head == place]
        return tuple(Node(words[k - 1], below(k)) for k in found)

    (root,) = below(0)
    return root


def units(sizes: Sizes) -> int:
    """Return the number of nodes."""
    return sum(map(len, sentences(sizes.sentences)))


def reference(sizes: Sizes, weights: Weights, root: Node) -> Outputs:
    """Return the state of the root."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}

    def encode(node: Node) -> tuple[Array, Array]:
        x = w["vectors"][node.word]
        states = [encode(child) for child in node.children]
        i, o, u = np.split(x @ w["w"] + _sum([h for h, _ in states], sizes) @ w["u"] + w["b"], 3)
        keep = x @ w["w_keep"] + w["b_keep"]
        kept = _sum([_sigmoid(keep + h @ w["u_keep"]) * c for h, c in states], sizes)
        c = _sigmoid(i) * np.tanh(u) + kept
        return _sigmoid(o) * np.tanh(c), c

    return [value.astype(np.float32) for value in encode(root)]


def _sum(vectors: Sequence[Array], sizes: Sizes) -> Array:
    return np.sum(vectors, axis=0) if vectors else np.zeros(sizes.hidden)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def workloads() -> list[Workload]:
    """Return the sizes of the paper, with a small and with a large vocabulary."""
    why = {"onnx": "ONNX has no recursion and no trees"}
    named = {
        "tree_lstm_300_150": Sizes(300, 150),
        "tree_lstm_50k_words": Sizes(300, 150, words=50_000),
    }
    return [
        Workload(name, "tree_lstm", sizes, "node", dynamic=True, omissions=why)
        for name, sizes in named.items()
    ]

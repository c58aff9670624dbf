"""The TreeLSTM as one scan over the nodes of a tree, children before parents.

JAX traces a program once for all values, so it has no recursion over data: the states of all nodes
are arrays, and a node reads the rows of its children. Missing children refer to the last row, which
is zero.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.programs.tree_lstm.case import Node, Sizes
from benchmarks.programs.workload import Weights


def argument(root: Node) -> tuple[Any, Any]:
    """Return the words of the nodes, and the rows of their children."""
    words: list[int] = []
    rows: list[list[int]] = []

    def visit(node: Node) -> int:
        below = [visit(child) for child in node.children]
        words.append(node.word)
        rows.append(below)
        return len(rows) - 1

    visit(root)
    most = max(map(len, rows))
    padded = [row + [len(rows)] * (most - len(row)) for row in rows]
    return np.array(words, np.int32), np.array(padded, np.int32).reshape(len(rows), most)


def build(sizes: Sizes, weights: Weights) -> Callable[[Any], Any]:
    """Return the function from nodes to the state of the last one."""
    w = {name: jnp.asarray(value) for name, value in weights.items()}

    def encode(tree: Any) -> Any:
        words, rows = tree
        x = w["vectors"][words]
        of_words = x @ w["w"] + w["b"]
        keeps = x @ w["w_keep"] + w["b_keep"]
        nothing = jnp.zeros((len(words) + 1, sizes.hidden))

        def node(states: Any, item: Any) -> Any:
            place, row, of_word, keep = item
            h, c = states[0][row], states[1][row]
            i, o, u = jnp.split(of_word + h.sum(0) @ w["u"], 3)
            kept = (jax.nn.sigmoid(keep + h @ w["u_keep"]) * c).sum(0)
            cell = jax.nn.sigmoid(i) * jnp.tanh(u) + kept
            state = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (states[0].at[place].set(state), states[1].at[place].set(cell)), None

        items = (jnp.arange(len(words)), rows, of_words, keeps)
        (h, c), _ = lax.scan(node, (nothing, nothing), items)
        return h[-2], c[-2]

    return encode

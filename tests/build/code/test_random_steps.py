"""Random recurrences over random trees: many calls at once against each tree by itself."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.semantics.infer import infer
from relay.transform.bind_parameters import bind_parameters

UNARY = ("tanh({})", "sigmoid({})", "negative({})", "reverse({}, axis=0)", "nn.softmax({})")
BINARY = ("add({}, {})", "multiply({}, {})", "subtract({}, {})", "maximum({}, {})")
ROWS = 300


def formula(choices: Random, operands: Sequence[str], depth: int) -> str:
    """Return a formula of vectors: arithmetic, products, rows of a table."""
    if depth == 0:
        return choices.choice(operands)
    parts = [formula(choices, operands, depth - 1) for _ in range(2)]
    match choices.randrange(8):
        case 0 | 1:
            return choices.choice(UNARY).format(parts[0])
        case 2:
            return f"nn.dense({parts[0]}, %w)"
        case 3:
            row = 'take(%table, %i, axis=0, mode="clip")'
            return f"add({parts[0]}, {row})"
        case _:
            return choices.choice(BINARY).format(*parts)


def recurrence(choices: Random, size: int) -> str:
    """Return a program whose nodes have two states, made of those of their children."""
    vector = f"Tensor[({size}), float32]"
    state = f"({vector}, {vector})"
    weights = f"%w: Tensor[({size}, {size}), float32]"
    table = f"%table: Tensor[({ROWS}, {size}), float32]"
    node = [formula(choices, ("%x", "%a", "%b", "%c", "%d"), choices.randint(1, 3)) for _ in "hc"]
    leaf = [formula(choices, ("%x", "%z"), choices.randint(0, 2)) for _ in "hc"]
    return f"""#[version = "0.0.5"]
type Tree {{ Leaf({vector}, int32), Node({vector}, int32, Tree, Tree) }}
def @run(%t: Tree, {weights}, {table}) -> {state} {{
  match (%t) {{
    Leaf(%x, %i) => {{
      let %z = zeros(shape=[{size}], dtype="float32");
      ({leaf[0]}, {leaf[1]})
    }},
    Node(%x, %i, %left, %right) => {{
      let %l = @run(%left, %w, %table);
      let %r = @run(%right, %w, %table);
      let %a = %l.0; let %b = %l.1; let %c = %r.0; let %d = %r.1;
      ({node[0]}, {node[1]})
    }}
  }}
}}
def @main(%t: Tree, {weights}, {table}) -> {state} {{ @run(%t, %w, %table) }}
"""


def tree(choices: Random, values: np.random.Generator, size: int, depth: int) -> Data:
    fields: list[Any] = [values.standard_normal(size).astype(np.float32) / 2]
    fields.append(np.int32(choices.randrange(ROWS)))
    if depth == 0 or choices.random() < 0.3:
        return Data("Leaf", tuple(fields))
    fields += [tree(choices, values, size, depth - 1) for _ in range(2)]
    return Data("Node", tuple(fields))


def check(number: int) -> None:
    """Compare what two programs give; in every other case the weights are known beforehand."""
    choices, values = Random(number), np.random.default_rng(number)
    size = choices.choice((3, 16, 64, 70, 128))
    module = infer(relay.parse(recurrence(choices, size)))
    weights = {
        "w": (values.standard_normal((size, size)) / size).astype(np.float32),
        "table": values.standard_normal((ROWS, size)).astype(np.float32) / 4,
    }
    if number % 2:
        module, weights = bind_parameters(module, weights), {}
    count = choices.choice((3, 40))
    trees = [tree(choices, values, size, choices.randint(0, 5)) for _ in range(count)]
    many: Any = relay.compile(module, threads=1, batch=True)
    single: Any = relay.compile(module, threads=1)
    found = many.each(trees, **weights)
    for each, states in zip(trees, found, strict=True):
        for one, right in zip(states, single(each, **weights), strict=True):
            np.testing.assert_allclose(one, right, rtol=2e-4, atol=2e-4, err_msg=f"number {number}")


@pytest.mark.parametrize("first", range(0, 12, 3))
def test_many_calls_at_once_give_what_each_gives(first: int):
    for number in range(first, first + 3):
        check(number)

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
    """Return a program whose nodes have two states, made of those of their two children."""
    vector, weights = of_size(size)
    state = f"({vector}, {vector})"
    node = [formula(choices, ("%x", "%a", "%b", "%c", "%d"), choices.randint(1, 3)) for _ in "hc"]
    leaf = [formula(choices, ("%x", "%z"), choices.randint(0, 2)) for _ in "hc"]
    return f"""#[version = "0.0.5"]
type Tree {{ Leaf({vector}, int32), Node({vector}, int32, Tree, Tree) }}
def @run(%t: Tree, {weights}) -> {state} {{
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
def @main(%t: Tree, {weights}) -> {state} {{ @run(%t, %w, %table) }}
"""


def sums(choices: Random, size: int) -> str:
    """Return a program whose nodes know a word and any number of children, of which sums are made.

    The sums begin with constants: so leaves are known by their words, and what is made of them.
    """
    vector, weights = of_size(size)
    state = f"({vector}, {vector})"
    row = 'take(%table, %i, axis=0, mode="clip")'
    node = [formula(choices, (row, "%a", "%b"), choices.randint(1, 2)) for _ in "hc"]
    each = [formula(choices, ("%q", "%b", "%c", "%d"), choices.randint(0, 2)) for _ in "hc"]
    product = choices.choice(("nn.dense(%a, %w)", f"add(nn.dense(%a, %w), {row})", "%a"))
    begin = choices.choice(("zeros", "ones"))
    first = f'{begin}(shape=[{size}], dtype="float32")'
    return f"""#[version = "0.0.5"]
type List[A] {{ Cons(A, List[A]), Nil }}
type Rose {{ Rose(int32, List[Rose]) }}
def @run(%t: Rose, {weights}) -> {state} {{
  match (%t) {{
    Rose(%i, %l) => {{
      let %s = @sum(%l, %i, %w, %table);
      let %p = nn.dense(%s.{choices.randrange(2)}, %w);
      let %a = add(%p, {row}); let %b = %s.1;
      ({node[0]}, {node[1]})
    }}
  }}
}}
def @sum(%l: List[Rose], %i: int32, {weights}) -> {state} {{
  match (%l) {{
    Nil => ({first}, {first}),
    Cons(%t, %rest) => {{
      let %n = @run(%t, %w, %table);
      let %s = @sum(%rest, %i, %w, %table);
      let %a = %n.0; let %b = %n.1; let %c = %s.0; let %d = %s.1;
      let %q = {product};
      (add(%a, %c), add({each[0]}, tanh({each[1]})))
    }}
  }}
}}
def @main(%t: Rose, {weights}) -> {state} {{ @run(%t, %w, %table) }}
"""


def of_size(size: int) -> tuple[str, str]:
    """Return the type of a state, and the parameters that all functions have."""
    weights = f"%w: Tensor[({size}, {size}), float32]"
    return f"Tensor[({size}), float32]", f"{weights}, %table: Tensor[({ROWS}, {size}), float32]"


def tree(choices: Random, values: np.random.Generator, size: int, depth: int) -> Data:
    fields: list[Any] = [values.standard_normal(size).astype(np.float32) / 2]
    fields.append(np.int32(choices.randrange(ROWS)))
    if depth == 0 or choices.random() < 0.3:
        return Data("Leaf", tuple(fields))
    fields += [tree(choices, values, size, depth - 1) for _ in range(2)]
    return Data("Node", tuple(fields))


def rose(choices: Random, depth: int) -> Data:
    children = Data("Nil")
    for _ in range(choices.randrange(4) if depth else 0):
        children = Data("Cons", (rose(choices, depth - 1), children))
    return Data("Rose", (np.int32(choices.randrange(ROWS)), children))


def check(number: int) -> None:
    """Compare what two programs give; in every other case the weights are known beforehand."""
    choices, values = Random(number), np.random.default_rng(number)
    size = choices.choice((3, 16, 64, 70, 128))
    is_binary = number % 4 < 2
    program = recurrence(choices, size) if is_binary else sums(choices, size)
    module = infer(relay.parse(program))
    weights = {
        "w": (values.standard_normal((size, size)) / size).astype(np.float32),
        "table": values.standard_normal((ROWS, size)).astype(np.float32) / 4,
    }
    if number % 2:
        module, weights = bind_parameters(module, weights), {}
    depths = [choices.randint(0, 4) for _ in range(choices.choice((3, 40)))]
    trees = [
        tree(choices, values, size, depth) if is_binary else rose(choices, depth)
        for depth in depths
    ]
    many: Any = relay.compile(module, threads=1, batch=True)
    single: Any = relay.compile(module, threads=1)
    found = many.each(trees, **weights)
    for each, states in zip(trees, found, strict=True):
        for one, right in zip(states, single(each, **weights), strict=True):
            np.testing.assert_allclose(one, right, rtol=2e-4, atol=2e-4, err_msg=f"number {number}")


@pytest.mark.parametrize("first", range(0, 4, 2))
def test_many_calls_at_once_give_what_each_gives(first: int):
    for number in range(first, first + 2):
        check(number)

"""Calls that give rows of tables, and calls that are given some, against NumPy."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.semantics.infer import infer
from relay.support.errors import RunError
from relay.transform.bind_parameters import bind_parameters
from tests.build.code.test_batching import items, list_of

RANDOM = np.random.default_rng(12)
V = "Tensor[(8), float32]"
U = RANDOM.standard_normal((8, 8)).astype(np.float32) / 3
WORDS = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
type Tree { Node(int32, List[Tree]) }
"""
TABLE = RANDOM.standard_normal((10, 8)).astype(np.float32)
WEIGHTS = "%e: Tensor[(10, 8), float32], %u: Tensor[(8, 8), float32]"
NODE = f"""def @node(%t: Tree, {WEIGHTS}) -> ({V}, {V}) {{
  match (%t) {{
    Node(%i, %children) => {{
      let %c = add(take(%e, %i, axis=0, mode="raise"), nn.dense(@sum(%children, %e, %u), %u));
      (tanh(%c), %c)
    }}
  }}
}}
"""


def of_words(text: str) -> Any:
    module = bind_parameters(infer(relay.parse(WORDS + text)), {"e": TABLE, "u": U})
    return relay.compile(module, threads=1, batch=True)


def word(index: int, *children: Data) -> Data:
    return Data("Node", (np.int32(index), list_of(list(children))))


def test_leaves_that_are_rows_of_tables_wait_for_nothing():
    """A row that is not there, or counts from the end, is none: then the call is made."""
    network = of_words(f"""{NODE}def @sum(%l: List[Tree], {WEIGHTS}) -> {V} {{
  match (%l) {{
    Cons(%t, %rest) => {{
      let %parts = @node(%t, %e, %u);
      add(multiply(%parts.0, %parts.1), @sum(%rest, %e, %u))
    }},
    Nil => zeros(shape=[8], dtype="float32")
  }}
}}
def @main(%t: Tree, {WEIGHTS}) -> ({V}, {V}) {{
  @node(%t, %e, %u)
}}
""")

    def expected(tree: Data) -> Any:
        below = [expected(child) for child in items(tree.fields[1])]
        total = sum((h * c for h, c in below), np.zeros(8, np.float32))
        c = TABLE[tree.fields[0]] + U @ total
        return np.tanh(c), c

    leaves = [word(i) for i in (3, 9, 0, -1, -10)]
    trees = [*leaves, word(2, *leaves), word(-3, word(4, *leaves[:2], word(5, *leaves)), leaves[0])]
    for _ in range(2):
        for found, tree in zip(network.each(trees), trees, strict=True):
            for each, right in zip(found, expected(tree), strict=True):
                np.testing.assert_allclose(each, right, rtol=1e-4, atol=1e-5)
                each.fill(0)  # its own memory, not that of the table
    assert network.profile_each(leaves[:3], repeats=1).total.flops == 0
    for wrong in (10, -11):
        with pytest.raises(RunError, match=f"R056.*index {wrong} "):
            network(word(1, word(wrong)))


def test_products_with_states_of_leaves_are_looked_up():
    """Also where a child is a leaf and another is none, and where the row counts from the end."""
    network = of_words(f"""{NODE}def @sum(%l: List[Tree], {WEIGHTS}) -> {V} {{
  match (%l) {{
    Cons(%t, %rest) => {{
      let %parts = @node(%t, %e, %u);
      add(multiply(sigmoid(nn.dense(%parts.0, %u)), %parts.1), @sum(%rest, %e, %u))
    }},
    Nil => zeros(shape=[8], dtype="float32")
  }}
}}
def @main(%t: Tree, {WEIGHTS}) -> {V} {{ @node(%t, %e, %u).0 }}
""")

    def expected(tree: Data) -> Any:
        total = np.zeros(8, np.float32)
        for h, c in map(expected, items(tree.fields[1])):
            total = total + c / (1 + np.exp(-(U @ h)))
        c = TABLE[tree.fields[0]] + U @ total
        return np.tanh(c), c

    leaves = [word(i) for i in (3, 9, 0, -1, -10, 3)]
    deep = word(4, leaves[0], word(5, *leaves), leaves[1])
    trees = [*leaves, word(2, *leaves), word(1, deep, leaves[2], deep), *[deep] * 70]
    for found, tree in zip(network.each(trees), trees, strict=True):
        np.testing.assert_allclose(found, expected(tree)[0], rtol=1e-4, atol=1e-5)
    flops = [
        network.profile_each([word(1, *[word(n)] * 9)], repeats=1).total.flops for n in (1, -1)
    ]
    assert flops[0] + 9 * 2 * 8 * 8 <= flops[1]


def test_the_second_step_of_a_sequence_stands_behind_a_row():
    network = of_words(f"""
def @run(%l: List[int32], %h: {V}, {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => %h,
    Cons(%i, %rest) => @run(%rest, tanh(add(take(%e, %i, axis=0), nn.dense(%h, %u))), %e, %u)
  }}
}}
def @main(%l: List[int32], {WEIGHTS}) -> {V} {{
  @run(%l, zeros(shape=[8], dtype="float32"), %e, %u)
}}
""")
    sequences = [[int(i) for i in RANDOM.integers(10, size=n % 5)] for n in range(90)]
    found = network.each([list_of([np.int32(i) for i in each]) for each in sequences])
    for each, sequence in zip(found, sequences, strict=True):
        h = np.zeros(8, np.float32)
        for i in sequence:
            h = np.tanh(TABLE[i] + U @ h)
        np.testing.assert_allclose(each, h, rtol=1e-4, atol=1e-5)
    two, three = (
        network.profile_each([list_of([np.int32(1)] * n)] * 9, repeats=1).total.flops
        for n in (2, 3)
    )
    assert two < 9 * 2 * 8 * 8 <= three


def test_rows_of_two_leaves_are_no_leaf():
    """The state of one word and the cell of another: both are rows, but not the same."""
    network = of_words(f"""
def @leaf(%i: int32, %h: {V}, {WEIGHTS}) -> ({V}, {V}) {{
  let %c = add(take(%e, %i, axis=0), nn.dense(%h, %u));
  (tanh(%c), %c)
}}
def @fold(%l: List[int32], %h: {V}, %c: {V}, {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => %h,
    Cons(%i, %rest) => {{
      let %parts = @leaf(%i, zeros(shape=[8], dtype="float32"), %e, %u);
      let %next = multiply(sigmoid(nn.dense(%h, %u)), %c);
      match (%rest) {{
        Nil => %next,
        Cons(_, _) => @fold(%rest, %parts.0, %c, %e, %u)
      }}
    }}
  }}
}}
def @main(%l: List[int32], {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => zeros(shape=[8], dtype="float32"),
    Cons(%i, %rest) => {{
      let %parts = @leaf(%i, zeros(shape=[8], dtype="float32"), %e, %u);
      @fold(%rest, %parts.0, %parts.1, %e, %u)
    }}
  }}
}}
""")
    sequences = [[int(i) for i in RANDOM.integers(10, size=n)] for n in (2, 3, 4, 4, 5, 6, 3, 2)]
    found = network.each([list_of([np.int32(i) for i in each]) for each in sequences])
    for each, sequence in zip(found, sequences, strict=True):
        h, c = np.tanh(TABLE[sequence[-2]]), TABLE[sequence[0]]
        np.testing.assert_allclose(each, c / (1 + np.exp(-(U @ h))), rtol=1e-4, atol=1e-5)

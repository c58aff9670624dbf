"""What calls made at once are given: side by side, where it is, shared out among threads."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime import Data
from tests.build.code.test_batching import HEAD, RANDOM, TYPES, compiled, list_of


@pytest.mark.parametrize("size", [15, 16, 37, 1100])
def test_rows_of_all_lengths_are_gathered(size: int):
    row = f"Tensor[({size}), float32]"
    network = compiled(f"""{TYPES}
def @run(%xs: List[{row}], %h: {row}) -> {row} {{
  match (%xs) {{ Nil => %h, Cons(%x, %rest) => tanh(add(%x, @run(%rest, %h))) }}
}}
def @main(%xs: List[{row}], %h: {row}) -> {row} {{ @run(%xs, %h) }}
""")
    first = RANDOM.standard_normal(size).astype(np.float32)
    rows = [RANDOM.standard_normal((n % 4, size)).astype(np.float32) for n in range(90)]
    found = network.each([list_of(list(each)) for each in rows], first)
    for each, sequence in zip(found, rows, strict=True):
        expected = first
        for x in reversed(sequence):
            expected = np.tanh(x + expected)
        np.testing.assert_allclose(each, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [64, 75, 600])
@pytest.mark.parametrize("count", [1, 2, 9, 64, 65, 200])
def test_values_are_read_where_they_are(size: int, count: int):
    """Of few calls, of a full batch, and of several batches at once."""
    row, weights = f"Tensor[({size}), float32]", f"Tensor[({size}, {size}), float32]"
    network = compiled(f"""{TYPES}
def @run(%xs: List[{row}], %h: {row}, %w: {weights}) -> {row} {{
  match (%xs) {{
    Nil => %h,
    Cons(%x, %rest) => {{
      let %s = @run(%rest, %h, %w);
      add(multiply(%x, tanh(nn.dense(%s, %w))), multiply(%s, %x))
    }}
  }}
}}
def @main(%xs: List[{row}], %h: {row}, %w: {weights}) -> {row} {{ @run(%xs, %h, %w) }}
""")
    first = RANDOM.standard_normal(size).astype(np.float32)
    w = (RANDOM.standard_normal((size, size)) / size**0.5).astype(np.float32)
    rows = [RANDOM.standard_normal((1 + n % 3, size)).astype(np.float32) for n in range(count)]
    found = network.each([list_of(list(each)) for each in rows], first, w)
    for each, sequence in zip(found, rows, strict=True):
        expected = first
        for x in reversed(sequence):
            expected = x * np.tanh(w @ expected) + expected * x
        np.testing.assert_allclose(each, expected, rtol=1e-3, atol=1e-4)


def test_kernels_of_many_calls_share_their_work_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Workers need memory for as many calls as there are; one of the loops does not name them."""
    monkeypatch.setenv("RELAY_CACHE_DIR", str(tmp_path))  # made anew
    state = "Tensor[(2, 64), float32]"
    text = f"""{HEAD}
type Tree {{ Leaf({state}), Pair(Tree, Tree) }}
def @run(%t: Tree, %w: Tensor[(64, 64), float32]) -> {state} {{
  match (%t) {{
    Leaf(%x) => %x,
    Pair(%l, %r) => {{
      let %a = @run(%l, %w);
      let %b = @run(%r, %w);
      where(greater(%b, nn.dense(%a, %w)), %a, %b)
    }}
  }}
}}
def @main(%t: Tree, %w: Tensor[(64, 64), float32]) -> {state} {{ @run(%t, %w) }}
"""
    network: Any = relay.compile(relay.parse(text), threads=2, batch=True)
    w = RANDOM.standard_normal((64, 64)).astype(np.float32)
    values = RANDOM.standard_normal((70, 2, 2, 64)).astype(np.float32)
    pairs = [Data("Pair", (Data("Leaf", (a,)), Data("Leaf", (b,)))) for a, b in values]
    for found, (a, b) in zip(network.each(pairs, w), values, strict=True):
        np.testing.assert_array_equal(found, np.where(b > a @ w.T, a, b))

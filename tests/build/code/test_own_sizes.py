"""Functions with names of sizes of their own, in all ways to run a program."""

import numpy as np
import pytest

import relay
from tests.build.ways import WAYS
from tests.semantics.test_quantified_dims import HEAD, PROGRAMS, X

TWICE = {
    "passed": """
def @id(%t: Tensor[(m), float32]) -> Tensor[(m), float32] { %t * 2f }
def @both(%f: fn (Tensor[(?), float32]) -> Tensor[(?), float32],
          %x: Tensor[(2), float32], %y: Tensor[(3), float32]) { (%f(%x), %f(%y)) }
def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) { @both(@id, %x, %y) }""",
    "returned": """
def @make(%k: int32) { fn (%t: Tensor[(m), float32]) -> Tensor[(m), float32] { %t * 2f } }
def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) {
  let %f = @make(1);
  (%f(%x), %f(%y))
}""",
    "bound": """
def @main(%x: Tensor[(?), float32], %y: Tensor[(?), float32]) {
  let %f = fn (%t: Tensor[(m), float32]) { %t * 2f };
  (%f(%x), %f(%y))
}""",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_place_chooses_the_sizes(name: str, way: str):
    body, _, expected = PROGRAMS[name]
    run = WAYS[way](relay.parse(HEAD + "{ " + body + " }"))
    np.testing.assert_array_equal(np.asarray(run(X)), expected)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", TWICE)
def test_one_function_is_called_at_two_sizes(name: str, way: str):
    run = WAYS[way](relay.parse('#[version = "0.0.5"]' + TWICE[name]))
    first, second = run(X, np.ones(3, np.float32))
    np.testing.assert_array_equal(np.asarray(first), 2 * X)
    np.testing.assert_array_equal(np.asarray(second), np.full(3, 2, np.float32))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", ["n", "m"])
def test_a_function_that_is_called_where_it_stands_is_no_kernel(size: str, way: str):
    text = f"""#[version = "0.0.5"]
    def @maker(%s: float32) {{
      fn (%x: Tensor[(n), float32]) -> Tensor[(n), float32] {{ %x * %s }}
    }}
    def @main(%a: Tensor[({size}), float32]) {{ @maker(2f)(%a) }}"""
    np.testing.assert_array_equal(np.asarray(WAYS[way](relay.parse(text))(X)), 2 * X)

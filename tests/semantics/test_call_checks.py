"""Sizes of global functions that are computed from names: `2 * n` tells what n is."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.match_dims import instantiate_dims, match_dims
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, TupleType
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

N, M, K = DimVar("n"), DimVar("m"), DimVar("k")
ROWS = """#[version = "0.0.5"]
def @rows(%x: Tensor[(2 * n + 1), float32]) -> Tensor[(n, 2), float32] {
  reshape(strided_slice(%x, begin=[1], end=[2 * n + 1]), newshape=[n, 2])
}
"""


@pytest.mark.parametrize(
    ("dims", "sizes", "found"),
    [
        ((2 * N,), (4,), {N: 2}),
        ((2 * N,), (0,), {N: 0}),
        ((2 * N,), (5,), {}),
        ((2 * N + 3,), (1,), {}),
        ((2 * N,), (ANY,), {N: ANY}),
        ((2 * N + 1,), (6 * K + 3,), {N: 3 * K + 1}),
        ((2 * N,), (K,), {}),
        ((N * M, N), (6, 2), {N: 2, M: 3}),
        ((N * M,), (6,), {}),
        ((N + M, N + K, K), (5, 4, 1), {N: 3, M: 2, K: 1}),
        ((2 * N, N), (6, 2), {N: 2}),
        ((N * M, N), (2 * K, K), {N: K, M: 2}),
        ((N + M, N), (5, ANY), {N: ANY, M: ANY}),
        ((N * M, N), (0, 0), {N: 0}),
        ((N * M, 3 * M, N), (0, 6, 0), {N: 0, M: 2}),
    ],
)
def test_a_linear_form_tells_its_name(dims: tuple[Dim, ...], sizes: tuple[Dim, ...], found: object):
    param, arg = TupleType((TensorType(dims),)), TupleType((TensorType(sizes),))
    assert match_dims([param], [arg]) == found


def _program(size: str) -> Module:
    main = f"def @main(%x: Tensor[({size}), float32]) {{ @rows(%x) }}"
    return relay.parse(ROWS + main)


@pytest.mark.parametrize("size", ["7", "2 * k + 1", "6 * k + 1"])
def test_evaluated_and_compiled_alike(size: str):
    module, x = _program(size), np.arange(7, dtype="float32")
    wanted = x[1:].reshape(3, 2)
    np.testing.assert_array_equal(evaluate(module, x), wanted)
    np.testing.assert_array_equal(relay.compile(module, threads=1)(x), wanted)


@pytest.mark.parametrize("size", ["2 * k + 1", "6 * k + 1"])
def test_a_size_that_is_none_of_the_form(size: str):
    module, x = _program(size), np.arange(8, dtype="float32")
    for run in (relay.compile(module, threads=1), lambda x: evaluate(module, x)):
        with pytest.raises(RelayError) as caught:
            run(x)
        assert caught.value.code == "R054"


@pytest.mark.parametrize(
    ("size", "form", "help_"),
    [("8", "2 * n + 1 and 8", "has the form"), ("k", "2 * n + 1 and k", "has the form")],
)
def test_both_sides_are_said(size: str, form: str, help_: str):
    with pytest.raises(RelayError) as caught:
        _program(size)
    assert caught.value.code == "T034"
    assert form in "".join(caught.value.notes)
    assert help_ in str(caught.value.help)


def test_two_unknown_names_are_given_by_another_parameter():
    text = """#[version = "0.0.5"]
    def @f(%x: Tensor[(n * m), float32]) { %x }
    def @main(%x: Tensor[(6), float32]) { @f(%x) }"""
    with pytest.raises(RelayError, match="add a parameter") as caught:
        relay.parse(text)
    assert caught.value.code == "T034"


@pytest.mark.parametrize(
    ("shapes", "found"),
    [([(0,), (0,)], 0), ([(3,), (6,)], 2), ([(2,), (7,)], None)],
    ids=["factor-0", "divides", "does-not-divide"],
)
def test_a_factor_that_is_a_variable(shapes: list[tuple[int]], found: int | None):
    text = """#[version = "0.0.5"]
    def @main(%x: Tensor[(n), float32], %y: Tensor[(n * m), float32]) {
      full(1f, shape=[m], dtype="float32")
    }"""
    module, inputs = relay.parse(text), [np.zeros(shape, "float32") for shape in shapes]
    for run in (relay.compile(module, threads=1), lambda *args: evaluate(module, *args)):
        if found is None:
            with pytest.raises(RelayError) as caught:
                run(*inputs)
            assert caught.value.code == "R054"
        else:
            result: Any = run(*inputs)
            assert result.shape == (found,)


def test_a_size_that_the_arguments_do_not_determine_stays_inside():
    callee = FuncType((TensorType((N + M, K)),), TensorType((N, K)))
    found = instantiate_dims(callee, [TensorType((N + M, 3))])
    assert found.params == (TensorType((N + M, 3)),)
    assert found.result is TensorType((ANY, 3))

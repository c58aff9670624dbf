"""Fresh sizes, and programs whose scopes have sizes of one name."""

from pathlib import Path
from typing import Any, cast

import numpy as np

import relay
from relay.build.verify_passes import Verifier
from relay.ir.alpha_rename import (
    fresh_dims,
    rebound_variables,
    with_fresh_variables,
    with_renamed_dims,
)
from relay.ir.dims import DimVar, fresh_copies, substitute
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Function, Let, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, dim_variables
from relay.ir.walk import post_order
from relay.ops.transcendental import Tanh
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types
from relay.transform.forms.to_continuation_passing import ToContinuationPassing
from relay.transform.run_passes import run_passes

N = DimVar("n")
ONE, OTHER = N.fresh(), N.fresh()


def of_shape(*shape: DimVar) -> Module:
    x = Var("x", TensorType(shape))
    return Module.of(Function((x,), x))


def test_a_fresh_size_is_equal_to_itself_alone():
    assert N is DimVar("n")
    assert len({N, ONE, OTHER}) == 3
    assert ONE + OTHER is OTHER + ONE
    assert ONE - OTHER != 0
    assert substitute(ONE + OTHER + N, {ONE: 2}) is N + OTHER + 2
    assert set(fresh_copies((N, ONE)).values()).isdisjoint((N, ONE, OTHER))


def test_which_fresh_sizes_are_equal_is_kept_in_texts_and_files(tmp_path: Path):
    for shape in ((ONE, N, OTHER, ONE), (ONE, ONE), (ONE, OTHER), (N, ONE)):
        module = of_shape(*shape)
        path = tmp_path / "module.relay"
        relay.save(module, path)
        for again in (relay.parse(str(module)), relay.load(path)):
            assert relay.structural_equal(again, module)
            found = again["main"].params[0].tensor_type.shape
            assert len(set(found)) == len(set(shape))
            assert all((a is N) == (b is N) for a, b in zip(found, shape, strict=True))


def test_fresh_sizes_are_numbered_as_they_are_written():
    text = str(of_shape(OTHER, ONE, OTHER))
    assert """Tensor[(dim("n'1"), dim("n'2"), dim("n'1")), float32]""" in text


def test_lets_beside_each_other_bind_two_sizes():
    module = infer(
        relay.parse("""
#[version = "0.0.5"]
def @main(%c: bool, %x: Tensor[(n), float32]) -> Tensor[(?), float32] {
  if (%c) {
    let %y: Tensor[(m), float32] = @positive(%x);
    %y * ones(shape=[m], dtype="float32")
  } else {
    let %y: Tensor[(m), float32] = @positive(negative(%x));
    let %z: Tensor[(m), float32] = tanh(%y);
    %z * ones(shape=[m], dtype="float32")
  }
}
def @positive(%x: Tensor[(n), float32]) -> Tensor[(?), float32] {
  take(%x, squeeze(argwhere(%x > 0f), axis=[1]), axis=0)
}
""")
    )
    first, *others = (e.var for e in post_order(module.main) if isinstance(e, Let))
    sizes = [dim_variables(var.type) for var in others]
    assert sizes[0] == sizes[1] != dim_variables(first.type)
    assert structural_equal(infer(relay.parse(str(module))), module)
    x = np.array([1, -2, 3], np.float32)
    for condition, expected in ((True, x[x > 0]), (False, np.tanh(-x[x < 0]))):
        for found in (evaluate(module, condition, x), relay.compile(module)(condition, x)):
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


def test_a_function_is_renamed_in_its_types_and_attributes():
    function = infer(
        relay.parse("""
#[version = "0.0.5"]
def @main(%x: Tensor[(n, m), float32]) -> Tensor[(m, n), float32] {
  reshape(%x, newshape=[m, n]) + zeros(shape=[m, n], dtype="float32")
}
""")
    ).main
    renaming = fresh_dims(function)
    other = with_renamed_dims(function, renaming)
    assert {each.name for each in renaming} == {"n", "m"}
    assert dim_variables(other.type).isdisjoint(dim_variables(function.type))
    assert structural_equal(Module.of(other), Module.of(function))
    assert not structural_equal(other, function)


def test_kernels_may_be_shared_by_functions():
    p, *params = (Var("x", TensorType((2,))) for _ in range(3))
    kernel = Function((p,), Call(Tanh(), (p,)), attrs={"Primitive": 1})
    one, other = (Function((x,), Call(kernel, (x,))) for x in params)
    assert not list(rebound_variables(Module({"main": one, "other": other})))
    assert list(rebound_variables(Module({"main": one, "other": one})))


def test_sizes_of_one_name_in_continuations():
    module = infer(
        relay.parse("""
#[version = "0.0.5"]
def @main(%x: Tensor[(n), float32], %y: Tensor[(m), float32]) -> Tensor[(2 * n), float32] {
  let %z = @twice(%y);
  if (sum(%z) > 0f) { @main(%x, negative(%z)) } else { @twice(%x) * @last(%x) }
}
def @twice(%x: Tensor[(n), float32]) -> Tensor[(2 * n), float32] { concatenate((%x, %x)) }
def @last(%m: Tensor[(m), float32]) -> float32 { take(%m, -1, mode="wrap") }
""")
    )
    after, _ = run_passes(module, [ToContinuationPassing()], check=Verifier(values=True))
    x, y = np.array([1, -2, 3], np.float32), np.array([4, 5], np.float32)
    expected = np.concatenate((x, x)) * x[-1]
    for found in (evaluate(after, x, y), relay.compile(after)(x, y)):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


def test_a_type_argument_has_sizes_of_the_caller():
    module = infer(
        relay.parse("""
#[version = "0.0.5"]
def @beside[A](%x: Tensor[(n), float32], %a: A) -> (Tensor[(2 * n), float32], A) {
  (concatenate((%x, %x)), %a)
}
def @main(%y: Tensor[(n), float32], %z: Tensor[(3), float32]) { @beside(%z, %y) }
""")
    )
    again = infer(
        module.with_function("main", with_fresh_variables(module.main))
    )  # with the types of calls
    assert again.main.type == module.main.type
    check_types(again)
    y, z = np.ones(2, np.float32), np.zeros(3, np.float32)
    for found in (evaluate(again, y, z), relay.compile(again)(y, z)):
        assert [np.shape(each) for each in cast("Any", found)] == [(6,), (2,)]

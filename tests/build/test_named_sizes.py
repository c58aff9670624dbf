"""What compilation finds out of sizes that types leave open, by the names that it gives them."""

from typing import cast

import numpy as np
import pytest

import relay
from relay.build.kernel_sizes import kernel_key
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Function, Tuple, Var
from relay.ir.types import TensorType
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.reshape import Reshape
from relay.runtime.code.check_code import check_code
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError
from tests.build.ways import ways

MISFITS = """#[version = "0.0.5"]
def @main(%long: bool) -> Tensor[(3), float32] {
  %0 = fn (%x: Tensor[(?), float32]) -> Tensor[(?), float32] { %x };
  %1 = %0(ones(shape=[2], dtype="float32"));
  if (%long) { ones(shape=[3], dtype="float32") + %1 } else { ones(shape=[3], dtype="float32") }
}"""


def test_a_program_stops_where_sizes_that_do_not_fit_meet():
    for name, run in ways(relay.parse(MISFITS)).items():
        assert sum(run(False)) == 3, name
        with pytest.raises(RelayError, match="R054"):
            run(True)


SLICED = """#[version = "0.0.5"]
type Box { Box(Tensor[(3, 2), float32]) }
def @open(%x: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { %x }
def @main(%x: Tensor[(3, 2), float32], %y: Tensor[(?, 2), float32]) {
  let %rows = match (Box(%x)) {
    Box(%z) => { strided_slice(@open(%z), begin=[0], end=[9], strides=[2]) }
  };
  concatenate((%rows, %y))
}"""


def test_sizes_within_a_match_are_not_known_outside():
    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((2, 2), np.float32)
    for name, run in ways(relay.parse(SLICED)).items():
        np.testing.assert_array_equal(run(x, y), np.concatenate([x[::2], y]), name)


OPENED = """#[version = "0.0.5"]
def @last(%x: Tensor[(2, 3), float32], %k: int32) -> Tensor[(?), float32] {
  let %cell = ref(%x);
  let %sums: Tensor[(?), float32] = sum(ref_read(%cell), axis=[0]);
  if (%k <= 0) { %sums } else { @last(%x, %k - 1) }
}
def @main(%x: Tensor[(2, 3), float32]) { @last(%x, 2) }"""


def test_a_let_that_opens_sizes_of_a_call_that_waits():
    module = relay.parse(OPENED)
    check_code(relay.vm.compile(module, "llvm", batch=True).program.code)
    for name, run in ways(module).items():
        np.testing.assert_array_equal(run(np.ones((2, 3), np.float32)), [2, 2, 2], name)


OF_ITS_OWN = """#[version = "0.0.5"]
def @open(%x: Tensor[(?), float32]) -> Tensor[(?), float32] { %x }
def @main(%x: Tensor[(?), float32], %y: Tensor[(?, ?), float32]) -> Tensor[(?), float32] {
  %0 = (let %z: Tensor[(?, 2 * n), float32] = %y; %x);
  %1 = fn (%v: Tensor[(n), float32]) -> Tensor[(n), float32] { %v };
  %0 + %1(@open(ones(shape=[2], dtype="float32")))
}"""


def test_a_local_function_has_names_of_its_own():
    """A let elsewhere says that n is 1, which is nothing to the function."""
    for name, run in ways(relay.parse(OF_ITS_OWN)).items():
        found = run(np.ones(2, np.float32), np.ones((2, 2), np.float32))
        np.testing.assert_array_equal(found, [2, 2], name)


def _kernel(first: str, second: str, result: str) -> Function:
    x, y = (Var("x", TensorType((DimVar(name),))) for name in (first, second))
    joined = Call(Concatenate(axis=0), (Tuple((x, y)),))
    return Function((x, y), Call(Reshape((DimVar(result), -1)), (joined,)))


def test_kernels_do_not_depend_on_the_names_of_sizes():
    key = kernel_key(_kernel("n", "m", "n"))
    assert kernel_key(_kernel("m", "n", "m")) == kernel_key(_kernel("?1", "?0", "?1")) == key
    assert kernel_key(_kernel("n", "m", "m")) != key
    assert kernel_key(_kernel("n", "n", "n")) != key


SHAPES = """#[version = "0.0.5"]
def @main(%x: Tensor[(a, 1), float32], %y: Tensor[(b, c), float32]) {
  (shape_of(%x, dtype="int64"), shape_of(%y, dtype="int64"))
}"""


def test_a_size_of_1_is_no_second_dimension():
    """The kernels of both shapes had one key, in which the second dimension was the number 1."""
    keys = [
        kernel_key(Function((x,), Call(ShapeOf("int64"), (x,))))
        for x in (Var("x", TensorType((DimVar("n"), size))) for size in (1, DimVar("m")))
    ]
    assert keys[0] != keys[1]
    found = relay.compile(relay.parse(SHAPES))(np.ones((3, 1), "f"), np.ones((4, 5), "f"))
    assert [each.tolist() for each in found] == [[3, 1], [4, 5]]


SWAPPED = """#[version = "0.0.5"]
def @main(%x: Tensor[(n), float32], %y: Tensor[(m), float32]) {
  (concatenate((%x, %y)), concatenate((%y, %x)), concatenate((%y, %y)))
}"""


def test_equal_kernels_are_told_their_own_sizes():
    x, y = np.arange(2, dtype=np.float32), np.arange(3, dtype=np.float32) + 5
    for name, run in ways(relay.parse(SWAPPED)).items():
        for found, parts in zip(run(x, y), ((x, y), (y, x), (y, y)), strict=True):
            np.testing.assert_array_equal(found, np.concatenate(parts), name)


FILLED = """#[version = "0.0.5"]
def @main(%i: Tensor[(?, 2), int64], %v: Tensor[(?), float32], %s: Tensor[(2), int64]) {
  let %once = sparse_fill_empty_rows(%i, %v, %s, 0f);
  sparse_fill_empty_rows(%once.0, nn.l2_normalize(%once.1, eps=1f, axis=[0]), %s, 1f)
}"""


def test_parts_of_operators_whose_operands_have_unknown_sizes() -> None:
    """The decomposition of each call makes sizes that depend on data, the second on the first."""
    calls = [
        ([[0, 1], [2, 0], [0, 2]], [-1, 0, 1], [4, 3]),
        (np.zeros((0, 2), np.int64), np.zeros(0), [2, 3]),
    ]
    module = relay.parse(FILLED)
    run = relay.compile(module, opt_level=0, threads=1)
    for indices, values, shape in calls:
        args = (np.array(indices), np.array(values, np.float32), np.array(shape))
        expected = cast("tuple[np.ndarray, ...]", evaluate(module, *args))
        for found, wanted in zip(run(*args), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)

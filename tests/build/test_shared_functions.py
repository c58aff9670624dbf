"""Functions that bind one variable, as programs that build them in Python may."""

import numpy as np

import relay
from relay.ir.expr import Call, Function, Let, Var
from relay.ir.module import Module
from tests.build.ways import ways

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { @once(%x) + @again(%x) }
def @once(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { %x }
def @again(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %again = fn (%k: int32, %y: Tensor[(2), float32]) -> Tensor[(2), float32] {
    if (%k <= 0) { %y } else { %again(%k - 1, %y + %x) }
  };
  %again(3, %x)
}"""


def test_one_variable_is_bound_to_two_functions():
    module = relay.parse(TEXT)
    x, y = module["once"].params[0], Var("y")
    again = module["again"].body
    assert isinstance(again, Let)
    square = Let(again.var, Function((y,), y * y), Call(again.var, (x,)))
    module = Module({**module.functions, "once": Function((x,), square)})
    value = np.array([1, 2], np.float32)
    for name, run in ways(module).items():
        np.testing.assert_array_equal(run(value), value * value + 4 * value, name)

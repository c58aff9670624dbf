"""A function that is called with two sizes: each instance binds variables of its own."""

import numpy as np

import relay
from tests.build.ways import ways

TEXT = """#[version = "0.0.5"]
def @doubled(%x: Tensor[(n, 2), float32]) -> Tensor[(n, 2), float32] {
  let %cell = ref(%x);
  let %write: fn (int32) -> int32 = fn (%k: int32) -> int32 {
    if (%k <= 0) { ref_write(%cell, %x + %x); 3 } else { 5 }
  };
  let %done = %write(0);
  ref_read(%cell)
}
def @main(%x: Tensor[(1, 2), float32], %y: Tensor[(2, 2), float32]) {
  (@doubled(%x), @doubled(%y))
}"""


def test_local_functions_of_instances_are_others():
    x, y = np.ones((1, 2), np.float32), np.ones((2, 2), np.float32)
    for name, run in ways(relay.parse(TEXT)).items():
        one, two = run(x, y)
        np.testing.assert_array_equal(one, x + x, name)
        np.testing.assert_array_equal(two, y + y, name)

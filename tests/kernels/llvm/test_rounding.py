"""Rounding to the nearest integer, against NumPy."""

import numpy as np
import pytest
from kernels.llvm.running import HOST, masked_map, run

from relay.kernels.machine_names import machine_named
from relay.kernels.scalar import Apply, Fn
from relay.support.dtype import dtype

MACHINES = {"host": HOST, "x86-64": machine_named("x86-64")}  # which has no instruction for it


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", MACHINES)
def test_halves_are_rounded_to_even(name: str, kind: str):
    machine = MACHINES[name]
    if machine.is_x86 is not HOST.is_x86:
        pytest.skip("this machine runs no code of that one")
    small = [0.0, 0.5, 1.5, 2.5, 0.49999997, 1e-40, 3.7, 1e6 + 0.5, 2.0**23 - 0.5, 2.0**52 + 1]
    large = [2.0**23 + 1, 2.0**22 + 0.5, 2.0**51 + 0.5, 1e30, np.inf, np.nan]
    x = np.array(small + large, kind)
    x = np.concatenate([x, -x])
    found = np.zeros_like(x)
    element = dtype(kind)
    kernel = masked_map(
        len(x), [element], element, lambda v: Apply(Fn.ROUND_EVEN, (v,), v.dtype), 4
    )
    run(kernel, x, found, machine=machine)
    np.testing.assert_array_equal(found, np.rint(x))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(np.rint(x)))

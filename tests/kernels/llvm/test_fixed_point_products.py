"""Fixed-point products of vectors of any length, against Python's integers."""

import numpy as np
import pytest
from kernels.llvm.running import HOST, masked_map, run

from relay.kernels.machine_names import machine_named
from relay.kernels.scalar import Apply, Broadcast, Const, Fn, Scalar
from relay.support.dtype import int32

MACHINES = {"host": HOST, **{name: machine_named(name) for name in ("x86-64-v3", "x86-64")}}


@pytest.mark.parametrize("places", [31, None])
@pytest.mark.parametrize("name", MACHINES)
def test_products_are_exact_and_rounded_once(name: str, places: int | None):
    machine = MACHINES[name]
    if machine.is_x86 is not HOST.is_x86:
        pytest.skip("this machine runs no code of that one")
    rng = np.random.default_rng(0)
    ends = np.array([0, 1, -1, 2**31 - 1, -(2**31), 2**30], "i4")
    a = np.concatenate([ends, rng.integers(-(2**31), 2**31, 41, "i4")])
    b = np.abs(rng.permutation(a[a > -(2**31)])[: len(a) - 1]).astype("i4")
    a, p = a[: len(b)], rng.integers(31, 63, len(b), "i4")

    def product(x: Scalar, y: Scalar, by: Scalar) -> Scalar:
        fixed = Broadcast(Const(places, int32), x.dtype.lanes) if places else by
        return Apply(Fn.ROUNDED_PRODUCT, (x, y, fixed), x.dtype)

    by = np.full_like(p, places) if places else p
    rows = (map(int, row) for row in zip(a, b, by, strict=True))
    exact = [(x * y + (1 << q - 1)) >> q for x, y, q in rows]
    for width in (2, 3, 8, 16):
        found = np.zeros_like(a)
        kernel = masked_map(len(a), [int32] * 3, int32, product, width)
        run(kernel, a, b, p, found, machine=machine)
        np.testing.assert_array_equal(found, np.array(exact).astype("i4"))

"""Kernels that differ only in integers: which become arguments, and what the shared code does."""

from collections.abc import Callable

import numpy as np
import pytest
from kernels import interpret
from kernels.llvm.running import HOST, add, mul, serial

from relay.kernels.general_kernel import general_kernel
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.kernel_templates import arguments_of, template
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Buffer, Kernel, Load, Mode, Store
from relay.kernels.scalar import Const, Ramp, Scalar, Var
from relay.support.dtype import float32

LANES, COPIES = 16, 256


def doubled(rows: int, name: str = "doubled") -> Kernel:
    """Return a kernel of much code that doubles rows of vectors."""
    x, y = (Buffer(each, (rows, COPIES * LANES), float32) for each in "xy")
    i, r = Var("i"), Var("r")
    place = i, Ramp(mul(r, Const(LANES)), Const(1), LANES)
    value = Load(x, place)
    store = Store(y, place, add(value, value))
    return Kernel(name, (x, y), (), serial(i, rows, serial(r, COPIES, store, Mode.UNROLL)))


def shifted(
    count: int, shift: int, copies: int, index: Callable[[Var, Var], Scalar], name: str = "shifted"
) -> Kernel:
    """Return a kernel that copies elements from computed places, in an unrolled inner loop."""
    x, y = Buffer("x", (1000,), float32), Buffer("y", (count, copies), float32)
    i, r = Var("i"), Var("r")
    value = Load(x, (add(index(i, r), Const(shift)),))
    body = serial(r, copies, Store(y, (i, r), value), Mode.UNROLL)
    return Kernel(name, (x, y), (), serial(i, count, body))


def test_kernels_of_different_sizes_share_their_code(tmp_path):
    sizes = 3, 5, 7
    kernels = [doubled(rows) for rows in sizes]
    codes = compile_kernels(kernels, HOST, Options(), KernelCache(tmp_path))
    assert codes[0].shared is not None
    assert {code.shared for code in codes} == {codes[0].shared}
    again = compile_kernels(kernels, HOST, Options(), KernelCache(tmp_path))
    assert again == codes  # from the cache
    for code, kernel, rows in zip(again, kernels, sizes, strict=True):
        x = np.random.default_rng(0).random((rows, COPIES * LANES), np.float32)
        y = np.zeros_like(x)
        Engine(again).function(kernel, code)(x, y)
        np.testing.assert_array_equal(y, 2 * x)


def test_shared_code_polls_if_one_of_its_kernels_does():
    short, long = [doubled(rows) for rows in range(3, 7)], [doubled(rows) for rows in (2000, 3000)]
    codes = compile_kernels([*short, *long], HOST)
    assert [code.polls for code in codes] == [False] * 4 + [True] * 2
    assert codes[0].shared != codes[4].shared


def test_kernels_of_other_names_or_of_little_code_share_none():
    codes = compile_kernels([doubled(3), doubled(5, "other")], HOST)
    assert [code.shared for code in codes] == [None, None]
    codes = compile_kernels([shifted(3, 7, 2, add), shifted(4, 7, 2, add)], HOST)
    assert [code.shared for code in codes] == [None, None]


@pytest.mark.parametrize(
    ("copies", "factors", "expected"),
    [
        (8, (3, 4), None),  # the distance between copies of the body stays a constant
        (4, (3, 4), [(3, 4), (5, 6), (7, 9)]),  # for a few copies, it is an argument
        (8, (3, 3), [(5, 6)]),  # a term beside the index of an unrolled loop stays a constant
        (8, (1, 2), None),  # 1 simplifies the code
    ],
)
def test_integers_of_unrolled_loops_stay_constants(copies, factors, expected):
    shifts = (7, 7) if copies == 8 else (7, 9)
    made = [
        template(shifted(count, shift, copies, lambda i, r, f=factor: add(i, mul(r, Const(f)))))
        for count, shift, factor in zip((5, 6), shifts, factors, strict=True)
    ]
    if expected is None:
        assert made[0].key != made[1].key
    else:
        assert made[0].key == made[1].key
        assert sorted(arguments_of(made)) == expected


def test_a_general_kernel_computes_what_its_members_do():
    rows = (5, 7, 3), (6, 9, 4), (6, 2, 4)
    members = [
        shifted(count, shift, 4, lambda i, r, f=factor: add(mul(i, Const(f)), mul(r, Const(f))))
        for count, shift, factor in rows
    ]
    made = [template(member) for member in members]
    numbers = list(zip(*arguments_of(made), strict=True))
    x = np.arange(1000, dtype=np.float32)
    for member, given, (count, *_) in zip(members, numbers, rows, strict=True):
        expected, found = (np.zeros((count, 4), np.float32) for _ in range(2))
        interpret.run(member, x, expected)
        interpret.run(general_kernel(made), x, found, scalars=given)
        np.testing.assert_array_equal(found, expected)


def test_divisors_stay_constants_and_dividends_do_not():
    by = [shifted(5, 7, 2, lambda i, _, d=d: i // d) for d in (3, 4)]
    assert len({template(kernel).key for kernel in by}) == 2
    of = [shifted(5, 7, 2, lambda i, _, n=n: Const(n) // (i + 1)) for n in (30, 40)]
    assert arguments_of([template(kernel) for kernel in of]) == [(30, 40)]

"""Loops of known length become straight-line programs; others stay as they are."""

from collections.abc import Callable

import numpy as np
import pytest

from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, scalar_type
from relay.ir.walk import post_order
from relay.ops.binary import Add, Multiply
from relay.ops.comparison import Less
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.dtype import int64
from relay.support.errors import CompileError
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.unroll import UnrollLoops
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from tests.frontend import evaluate

VECTOR = TensorType((3,))


def number(value: int) -> Constant:
    return Constant(np.array(value))


def counted(count: Expr, start: Expr, step: Callable[[Expr], Expr]) -> Expr:
    """Return `let f = fn(t, v) { if t < count { f(t + 1, step(v)) } else { v } }; f(0, start)`."""
    t, v = Var("t", scalar_type(int64)), Var("v", start.type)
    f = Var("f", FuncType((t.type, v.type), v.type))
    again = Call(f, (Call(Add(), (t, number(1))), step(v)))
    body = If(Call(Less(), (t, count)), again, v)
    return Let(f, Function((t, v), body, v.type), Call(f, (number(0), start)))


def has_loop(module: Module) -> bool:
    return any(isinstance(expr, Let | If) for expr in post_order(module.main))


def unrolled(body: Expr, *params: Var) -> Module:
    return UnrollLoops()(Module.of(Function(params, body)))


def test_a_loop_of_known_length() -> None:
    x = Var("x", VECTOR)
    doubled = counted(number(5), x, lambda v: Call(Add(), (v, v)))
    module = unrolled(doubled, x)
    assert not has_loop(module)
    (found,) = evaluate.run(module, [np.ones(3, "f")])
    np.testing.assert_array_equal(found, np.full(3, 32, "f"))


def test_a_loop_in_a_loop() -> None:
    x = Var("x", VECTOR)

    def inner(v: Expr) -> Expr:
        return counted(number(3), v, lambda w: Call(Add(), (w, x)))

    module = unrolled(counted(number(4), x, inner), x)
    assert not has_loop(module)
    (found,) = evaluate.run(module, [np.ones(3, "f")])
    np.testing.assert_array_equal(found, np.full(3, 13, "f"))


def test_a_length_that_data_decide_stays() -> None:
    x, count = Var("x", VECTOR), Var("count", scalar_type(int64))
    before = Module.of(Function((x, count), counted(count, x, lambda v: Call(Add(), (v, x)))))
    module = UnrollLoops()(before)
    assert module is before
    for steps in (0, 3):
        (found,) = evaluate.run(module, [np.ones(3, "f"), np.array(steps)])
        np.testing.assert_array_equal(found, np.full(3, 1 + steps, "f"))


def test_a_loop_inside_one_that_stays_is_written_out() -> None:
    x, count = Var("x", VECTOR), Var("count", scalar_type(int64))

    def inner(v: Expr) -> Expr:
        two = Constant(np.array(2, np.float32))
        return counted(number(2), v, lambda w: Call(Multiply(), (w, two)))

    module = unrolled(counted(count, x, inner), x, count)
    lets = [expr for expr in post_order(module.main) if isinstance(expr, Let)]
    assert len(lets) == 1
    (found,) = evaluate.run(module, [np.ones(3, "f"), np.array(3)])
    np.testing.assert_array_equal(found, np.full(3, 64, "f"))


def test_a_long_loop_stays_a_loop() -> None:
    x = Var("x", VECTOR)
    long = unrolled(counted(number(2**40), x, lambda v: Call(Add(), (v, v))), x)
    assert has_loop(long)


def test_a_loop_whose_sizes_are_open_is_written_out_or_refused() -> None:
    x = Var("x", TensorType((ANY,)))
    endless = counted(number(2**40), x, lambda v: v)
    with pytest.raises(CompileError) as caught:
        UnrollLoops(limit=50)(Module.of(Function((x,), endless)))
    assert caught.value.code == "C110"


def test_what_was_collected_is_joined_at_once_as_a_tree() -> None:
    x = Var("x", TensorType((1, 3)))
    chain: Expr = Constant(np.zeros((0, 3), "f"))
    for _ in range(3000):
        chain = Call(Concatenate(0), (Tuple((chain, Call(Add(), (x, x)))),))
    module = FlattenConcatenate()(Module.of(Function((x,), chain)))
    joins = [e for e in post_order(module.main) if isinstance(e, Call) and e.op is Concatenate(0)]
    assert len(joins) < 3000 / 31 + 5
    (found,) = evaluate.run(module, [np.ones((1, 3), "f")])
    np.testing.assert_array_equal(found, np.full((3000, 3), 2, "f"))


def test_joins_along_other_axes_and_shared_ones_stay() -> None:
    x = Var("x", TensorType((2, 3)))
    rows = Call(Concatenate(0), (Tuple((x, x)),))
    columns = Call(Concatenate(1), (Tuple((rows, rows)),))
    module = Module.of(Function((x,), Tuple((columns, rows))))
    assert FlattenConcatenate()(module) is module
    assert FoldConstants()(module) is module

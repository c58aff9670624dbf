"""Loops as text."""

from relay.kernels.loops import Buffer, For, Kernel, Mode, Store
from relay.kernels.passes.printer import text
from relay.kernels.scalar import Const, Var
from relay.support.dtype import bool_, float32, int64


def test_a_loop_that_may_run_backwards():
    out, turn, i = Buffer("out", (Const(4),), float32), Var("turn", bool_), Var("i", int64)
    body = Store(out, (i,), Const(1.0, float32))
    loop = For(i, Const(0), Const(4), Mode.SERIAL, body, backwards=turn)
    assert "for i = 0 … < 4 backwards if turn:" in text(Kernel("k", (out,), (turn,), loop))

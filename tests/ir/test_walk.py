"""Tests of walks through programs."""

from weakref import ref

from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.types import TensorType
from relay.ir.walk import children, outside_kernels, post_order
from relay.ops.elementwise import Abs


def test_the_order_of_a_long_function_is_kept_until_the_function_is_freed():
    x = Var("x", TensorType((2,), "float32"))
    body: Expr = x
    for _ in range(1000):
        body = Call(Abs(), (body,))
    function = Function((x,), body)
    for edges in (children, outside_kernels):
        order = post_order(function, edges=edges)
        assert order[0] is x
        assert order[-2:] == [body, function]
        order.clear()
        assert len(post_order(function, edges=edges)) >= 1002
    freed = ref(function)
    del function
    assert freed() is None

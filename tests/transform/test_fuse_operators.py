"""Which operators share a kernel; kernels are in brackets."""

import numpy as np
from transform.evaluation import evaluate, operators, random

from relay.ir.expr import Call, Constant, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.binary import Add
from relay.ops.nn.activations import Relu
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.nn.softmax import Softmax
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Exp
from relay.transform.fuse_operators import FuseOperators


def call(op: Expr, *args: Expr) -> Call:
    return Call(op, args)


def kernels(body: Expr, *params: Var, options: FuseOperators | None = None) -> list[str]:
    """Fuse, check the value, and name the kernels."""
    function = Function(params, body)
    fused = (options or FuseOperators()).run(function)
    inputs = [random(*param.tensor_type.static_shape) for param in params]
    before, after = evaluate(function, *inputs), evaluate(fused, *inputs)
    for a, b in zip(np.atleast_1d(before), np.atleast_1d(after), strict=True):
        np.testing.assert_array_equal(a, b)
    return operators(fused)


X = Var("x", TensorType((4, 4)))
HEADS = Var("x", TensorType((2, 4, 4)))
IMAGE = Var("x", TensorType((1, 4, 6, 6)))
WEIGHT = Constant(random(4, 4, 3, 3))


def conv(x: Expr) -> Call:
    return call(Conv2D(padding=1), x, WEIGHT)


def test_a_chain_is_one_kernel():
    assert kernels(call(Exp(), call(Relu(), X)), X) == ["[nn.relu exp]"]


def test_a_diamond_is_one_kernel():
    top = call(Relu(), X)
    assert len(kernels(call(Add(), call(Exp(), top), call(Relu(), top)), X)) == 1


def test_a_value_that_is_also_a_result_ends_a_kernel():
    top = call(Relu(), X)
    assert kernels(Tuple((top, call(Exp(), top))), X) == ["[nn.relu]", "[exp]"]


def test_an_anchor_takes_what_follows_at_its_shape():
    bias = Constant(random(4, 1, 1))
    body = call(Relu(), call(Add(), conv(IMAGE), bias))
    assert kernels(body, IMAGE) == ["[nn.conv2d add nn.relu]"]


def test_a_residual_is_read_by_the_later_anchor():
    first = call(Relu(), conv(IMAGE))
    body = call(Relu(), call(Add(), conv(first), IMAGE))
    assert kernels(body, IMAGE) == ["[nn.conv2d nn.relu]", "[nn.conv2d add nn.relu]"]


def test_two_anchors_are_two_kernels():
    found = kernels(call(Add(), conv(IMAGE), conv(call(Exp(), IMAGE))), IMAGE)
    assert sorted(found) == ["[exp]", "[nn.conv2d add]", "[nn.conv2d]"]


def test_an_anchor_keeps_its_arithmetic_from_a_later_reduction():
    total = call(Sum(axis=(2, 3)), call(Relu(), conv(IMAGE)))
    assert kernels(total, IMAGE) == ["[nn.conv2d nn.relu]", "[sum]"]


def test_a_reduction_reads_through_arithmetic():
    assert kernels(call(Exp(), call(Sum(axis=(1,)), call(Relu(), X))), X) == ["[nn.relu sum exp]"]


def test_arithmetic_is_not_repeated_for_a_larger_tensor():
    column = Var("x", TensorType((4, 1)))
    body = call(Add(), call(Exp(), column), X)
    assert kernels(body, column, X) == ["[exp]", "[add]"]


def test_an_anchor_reads_through_nothing_unless_the_target_accepts_it():
    weight = Constant(random(3, 4))

    def accepts(anchor: Call, producer: Call) -> bool:
        return isinstance(anchor.op, Dense) and isinstance(producer.op, Transpose)

    body = call(Dense(), call(Transpose(), X), weight)
    assert kernels(body, X) == ["[transpose]", "[nn.dense]"]
    assert kernels(body, X, options=FuseOperators(accepts)) == ["[transpose nn.dense]"]


def test_arithmetic_does_not_slip_through_an_accepted_producer():
    weight = Constant(random(3, 4))

    def accepts(anchor: Call, producer: Call) -> bool:
        return isinstance(producer.op, Transpose)

    body = call(Dense(), call(Transpose(), call(Exp(), X)), weight)
    found = kernels(body, X, options=FuseOperators(accepts))
    assert found == ["[exp]", "[transpose nn.dense]"]


def anchors(reader: Call, producer: Call) -> bool:
    return {Fusion.ANCHOR} == {_operator(call).fusion for call in (reader, producer)}


def _operator(call: Call) -> OperatorDef:
    assert isinstance(call.op, OperatorDef)
    return call.op


def attention(*, read_again: bool = False) -> Expr:
    scores = call(Exp(), call(BatchMatmul(), HEADS, HEADS))
    mixed = call(BatchMatmul(), call(Softmax(), scores), HEADS)
    return call(Add(), mixed, scores) if read_again else call(Relu(), mixed)


def test_a_chain_of_anchors_is_one_kernel_if_the_target_accepts_it():
    apart = ["[nn.batch_matmul exp]", "[nn.softmax]", "[nn.batch_matmul nn.relu]"]
    whole = "[nn.batch_matmul exp nn.softmax nn.batch_matmul nn.relu]"
    assert kernels(attention(), HEADS) == apart
    assert kernels(attention(), HEADS, options=FuseOperators(anchors)) == [whole]


def test_a_chain_is_divided_where_another_call_reads_a_value():
    apart = ["[nn.batch_matmul exp]", "[nn.softmax]", "[nn.batch_matmul add]"]
    assert kernels(attention(read_again=True), HEADS, options=FuseOperators(anchors)) == apart


def test_operators_with_several_results_stand_alone():
    parts = call(Split(2, 0), call(Exp(), X))
    body = call(Add(), TupleGetItem(parts, 0), TupleGetItem(parts, 1))
    assert "[add]" in kernels(body, X)
    assert len(kernels(body, X)) >= 2


def test_groups_are_limited():
    body: Expr = X
    for _ in range(200):
        body = call(Exp(), call(Relu(), body))
    assert len(kernels(body, X, options=FuseOperators(limit=50))) == 8


def test_rows_of_a_table_are_looked_up_where_they_are_added():
    table, places = Var("t", TensorType((9, 4))), Constant(np.array([3, 0, 8, 1]))
    rows = call(Take(axis=0), table, places)
    product = call(Dense(), X, Constant(random(4, 4)))
    assert len(kernels(call(Add(), rows, product), X, table)) == 1

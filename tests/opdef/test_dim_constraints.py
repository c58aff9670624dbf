"""A type rule says what it requires of sizes that only run time knows."""

import pytest

from relay.ir.dims import ANY, Dim, DimVar, broadcast
from relay.ir.types import TensorType, TupleType
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation
from relay.ops.batched_operator import Lifted
from relay.ops.binary import Add
from relay.ops.broadcasting import BroadcastTo
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.sort import TopK

N, M = DimVar("n"), DimVar("m")
EQUAL, AT_LEAST, BROADCAST = Relation


@pytest.mark.parametrize(
    ("op", "shapes", "result", "constraints"),
    [
        (Add(), [(N, 3), (N, 3)], (N, 3), []),
        (Add(), [(N,), (M,)], (ANY,), [(N, M, BROADCAST)]),
        (Add(), [(N, ANY), (5, 1)], (5, ANY), [(N, 5, BROADCAST)]),
        (BroadcastTo((5,)), [(N,)], (5,), [(broadcast(N, 5), 5, BROADCAST)]),
        (Dense(), [(2, N), (4, M)], (2, 4), [(N, M, EQUAL)]),
        (TopK(3, ret_type="values"), [(N,)], (3,), [(N, 3, AT_LEAST)]),
    ],
)
def test_typing(
    op: OperatorDef,
    shapes: list[tuple[Dim, ...]],
    result: tuple[Dim, ...],
    constraints: list[tuple[Dim, Dim, Relation]],
):
    typing = op.typing([TensorType(shape) for shape in shapes])
    assert typing.type is TensorType(result)
    assert [(each.left, each.right, each.relation) for each in typing.constraints] == constraints


def test_a_lifted_operator_has_the_constraints_of_the_one_that_is_called():
    types = TensorType((7, N)), TensorType((7, M))
    lifted = Lifted.over(Add(), (True, True), 7).typing([TupleType(types)])
    assert lifted.type is TensorType((7, ANY))
    assert lifted.constraints == Add().typing([TensorType((N,)), TensorType((M,))]).constraints

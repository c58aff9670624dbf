"""Constraints in the types of functions, operators and others."""

from collections.abc import Sequence
from typing import Any

import pytest

from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeRelation, TypeVar
from relay.ops.functions import op
from relay.ops.nn.matmul import Dense
from relay.semantics.infer import infer
from relay.semantics.unify import Unifier
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError
from relay.support.node import Value, value

A, B, C = TypeVar("A"), TypeVar("B"), TypeVar("C")
ADD = TypeRelation(op.get("add"), (A, B, C), 2)


def calls(constraint: TypeRelation, *args: Expr) -> Type:
    """The type of a call of a parameter that has the constraint in its type."""
    f = Var("f", FuncType((A, B), C, (A, B, C), (constraint,)))
    params = [arg for arg in args if isinstance(arg, Var)]
    return infer(Module.of(Function((f, *params), Call(f, args)))).main.body.type


def test_an_operator_relates_arguments_and_result():
    x, y = Var("x", TensorType((2, 1))), Var("y", TensorType((3,)))
    assert calls(ADD, x, y) is TensorType((2, 3))
    with pytest.raises(RelayError, match="T101"):
        calls(ADD, x, Var("z", TensorType((4, 4))))


def test_information_flows_backwards():
    dense = TypeRelation(Dense(units=5), (A, B, C), 2)
    x, w = Var("x", TensorType((2, 7))), Var("w")
    f = Var("f", FuncType((A, B), C, (A, B, C), (dense,)))
    main = infer(Module.of(Function((f, x, w), Call(f, (x, w))))).main
    assert main.params[2].type is TensorType((5, 7))
    assert main.body.type is TensorType((2, 5))


@value
class Pairs(Value):
    """The result is the pair of the arguments, which are different."""

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        a, b, _ = types
        if a is None or b is None:
            return types
        if a is b:
            raise RelayTypeError(ErrorCode.T039, "the two are the same")
        return a, b, TupleType((a, b))


def test_users_write_relations():
    x, y = Var("x", TensorType((2,))), Var("y", TensorType((3,)))
    pairs = TypeRelation(Pairs(), (A, B, C), 2)
    assert calls(pairs, x, y) is TupleType((x.type, y.type))
    with pytest.raises(RelayError, match="T039"):
        calls(pairs, x, Var("x2", x.type))
    wrong: Any = "add"
    with pytest.raises(RelayError, match=r"T007.*must be an operator"):
        TypeRelation(wrong, (A, B, C), 2)


def test_a_result_that_is_declared_otherwise():
    x, y = Var("x", TensorType((2,))), Var("y", TensorType((2,)))
    three = TensorType((3,))
    sums = TypeRelation(op.get("add"), (A, B, three), 2)
    f = Var("f", FuncType((A, B), three, (A, B), (sums,)))
    with pytest.raises(RelayError, match=r"T039.*sizes differ"):
        infer(Module.of(Function((f, x, y), Call(f, (x, y)))))


def test_what_is_found_reaches_constraints():
    unifier = Unifier()
    hole = unifier.hole()
    ty = FuncType((hole,), hole, (), (TypeRelation(op.get("add"), (hole, hole, hole), 2),))
    unifier.unify(hole, TensorType((2,)))
    found = unifier.resolve(ty)
    assert isinstance(found, FuncType)
    assert found.constraints[0].types == (TensorType((2,)),) * 3

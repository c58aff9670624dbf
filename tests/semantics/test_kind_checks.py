import pytest

import relay
from relay.ir.expr import Function, Var
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    Kind,
    RefType,
    TensorType,
    TupleType,
    TypeCall,
    TypeVar,
)
from relay.semantics.infer import infer
from relay.semantics.kind_checks import check_kind
from relay.support.errors import RelayError

LISTS = relay.parse("""#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
type Rose[A] { Rose(A, List[Rose[A]]), }
type Later { Later(fn () -> Later), }
type FaultRecord {}
type Holder { Holder(FaultRecord), }""")
LIST = GlobalTypeVar("List")
INT = TensorType((), "int32")
A = TypeVar("A")


def test_kinds():
    assert check_kind(FuncType((TypeCall(LIST, (A,)),), RefType(INT)), LISTS) is Kind.TYPE
    assert check_kind(TypeVar("S", Kind.SHAPE)) is Kind.SHAPE
    assert check_kind(IncompleteType(Kind.BASE)) is Kind.BASE
    assert check_kind(LIST) is Kind.ADT_HANDLE


@pytest.mark.parametrize(
    ("ty", "code"),
    [
        (TypeCall(LIST, ()), "T036"),
        (TupleType((LIST,)), "T036"),
        (RefType(TypeVar("S", Kind.SHAPE)), "T036"),
        (FuncType((), TypeCall(LIST, (INT, INT))), "T036"),
        (TypeCall(GlobalTypeVar("Lost"), ()), "T027"),
    ],
)
def test_what_is_no_type(ty: TupleType, code: str):
    with pytest.raises(RelayError, match=code):
        check_kind(ty, LISTS)


def test_a_type_variable_is_bound_somewhere():
    x = Var("x", A)
    with pytest.raises(RelayError, match="T038"):
        infer(Module.of(Function((x,), x)))
    infer(Module.of(Function((x,), x, type_params=(A,))))
    f = Var("f", FuncType((A,), A, (A,)))
    infer(Module.of(Function((f,), f)))


def test_a_type_of_which_nothing_is_known_has_values():
    assert set(LISTS.types) == {"List", "Rose", "Later", "FaultRecord", "Holder"}

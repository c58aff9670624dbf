"""Nodes and types whose parts are no such parts: an error with help, or what was meant."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.ir.printable import Printable
from relay.support.errors import RelayError

relay: Any = typed
X = relay.var("x", shape=(2, 3))
INT = relay.scalar_type("int32")
TRUE, PAIR, ANY = relay.const(True), relay.Tuple([X, X]), relay.PatternWildcard()
HEAD, A = relay.GlobalTypeVar("Box"), relay.TypeVar("A")
BOX = relay.Constructor("Box", [INT], HEAD)
EXP, SOFTMAX = relay.op.get("exp"), relay.op.get("nn.softmax")
IDENTITY = relay.Function([X], X)

STRANGE: list[Any] = [
    None, 1.5, -1, 2**70, "ab", np.float32(1.5), np.int64(0), np.ones(3), [[1, 2], [3]], (1.5,),
    {"a": 1}, object(), X, INT, len, True, b"a", float("nan"), [None], 3, [], ANY, IDENTITY,
]  # fmt: skip

MADE: dict[str, Callable[[Any], object]] = {
    "var": relay.var,
    "var of a type": lambda v: relay.var("x", v),
    "var of a shape": lambda v: relay.var("x", shape=v),
    "var of a size": lambda v: relay.var("x", shape=(2, v)),
    "var of an element": lambda v: relay.var("x", shape=(2,), dtype=v),
    "Var": relay.Var,
    "const": relay.const,
    "const of a type": lambda v: relay.const(1, v),
    "Constant": relay.Constant,
    "Tuple": relay.Tuple,
    "field of a Tuple": lambda v: relay.Tuple([X, v]),
    "callee": lambda v: relay.Call(v, [X]),
    "arguments": lambda v: relay.Call(EXP, v),
    "argument": lambda v: relay.Call(EXP, [v]),
    "attributes": lambda v: relay.Call(SOFTMAX, [X], v),
    "attribute": lambda v: relay.Call(SOFTMAX, [X], {"axis": v}),
    "type arguments": lambda v: relay.Call(relay.GlobalVar("f"), [X], None, v),
    "called": relay.GlobalVar("f"),
    "condition": lambda v: relay.If(v, X, X),
    "then": lambda v: relay.If(TRUE, v, X),
    "else": lambda v: relay.If(TRUE, X, v),
    "let": lambda v: relay.Let(v, X, X),
    "value of a let": lambda v: relay.Let(X, v, X),
    "body of a let": lambda v: relay.Let(X, X, v),
    "tuple of a field": lambda v: relay.TupleGetItem(v, 0),
    "index": lambda v: relay.TupleGetItem(PAIR, v),
    "index of what is not typed": lambda v: relay.TupleGetItem(relay.var("t"), v),
    "subscript": lambda v: PAIR[v],
    "parameters": lambda v: relay.Function(v, X),
    "body": lambda v: relay.Function([X], v),
    "result": lambda v: relay.Function([X], X, v),
    "type parameters": lambda v: relay.Function([X], X, None, v),
    "attributes of a function": lambda v: relay.Function([X], X, None, None, v),
    "with_attr": lambda v: IDENTITY.with_attr(v, 1),
    "data of a match": lambda v: relay.Match(v, []),
    "clauses": lambda v: relay.Match(X, v),
    "clause": lambda v: relay.Match(X, [v]),
    "left side": lambda v: relay.Clause(v, X),
    "right side": lambda v: relay.Clause(ANY, v),
    "PatternVar": relay.PatternVar,
    "PatternConstructor": relay.PatternConstructor,
    "patterns": lambda v: relay.PatternConstructor(BOX, v),
    "PatternTuple": lambda v: relay.PatternTuple([v]),
    "RefCreate": relay.RefCreate,
    "RefRead": relay.RefRead,
    "RefWrite": lambda v: relay.RefWrite(X, v),
    "GlobalVar": relay.GlobalVar,
    "GlobalTypeVar": relay.GlobalTypeVar,
    "TypeVar": relay.TypeVar,
    "kind": lambda v: relay.TypeVar("A", v),
    "DimVar": relay.DimVar,
    "TensorType": relay.TensorType,
    "size": lambda v: relay.TensorType((v,)),
    "element": lambda v: relay.TensorType((2,), v),
    "TupleType": relay.TupleType,
    "FuncType": lambda v: relay.FuncType(v, INT),
    "result of a FuncType": lambda v: relay.FuncType([INT], v),
    "type parameters of a FuncType": lambda v: relay.FuncType([INT], INT, v),
    "constraints": lambda v: relay.FuncType([INT], INT, [], v),
    "RefType": relay.RefType,
    "TypeCall": lambda v: relay.TypeCall(v, [INT]),
    "types of a TypeCall": lambda v: relay.TypeCall(HEAD, v),
    "relation": lambda v: relay.TypeRelation(v, [INT], 1),
    "types of a relation": lambda v: relay.TypeRelation(relay.op.get("add"), v, 1),
    "inputs of a relation": lambda v: relay.TypeRelation(relay.op.get("add"), [INT] * 3, v),
    "Constructor": lambda v: relay.Constructor(v, [INT], HEAD),
    "fields of a constructor": lambda v: relay.Constructor("B", v, HEAD),
    "home of a constructor": lambda v: relay.Constructor("B", [INT], v),
    "TypeData": lambda v: relay.TypeData(v, [A], [BOX]),
    "constructors": lambda v: relay.TypeData(HEAD, [], v),
    "Module": relay.Module,
    "function of a Module": lambda v: relay.Module({"main": v}),
    "IRModule": relay.IRModule,
    "from_expr": relay.IRModule.from_expr,
    "IRModule[]": lambda v: relay.IRModule()[v],
    "IRModule[] =": lambda v: relay.IRModule().__setitem__(v, IDENTITY),
    "update": lambda v: relay.IRModule().update(v),
    "import_from_std": lambda v: relay.IRModule().import_from_std(v),
    "scope": lambda v: relay.ScopeBuilder().let("a", v),
    "ret": lambda v: relay.ScopeBuilder().ret(v),
    "op.get": relay.op.get,
    "bind": lambda v: relay.bind(IDENTITY, v),
    "astext": relay.astext,
    "parse": relay.parse,
    "structural_equal": lambda v: relay.structural_equal(v, X),
    "free_vars": relay.analysis.free_vars,
    "InferType": relay.transform.InferType(),
    "Sequential": relay.transform.Sequential,
    "opt_level": lambda v: relay.transform.PassContext(opt_level=v),
    "disabled_pass": lambda v: relay.transform.PassContext(disabled_pass=v),
    "create_executor": relay.create_executor,
    "compile": lambda v: relay.compile(v) if v is not IDENTITY else None,
    "sum": lambda v: X + v,
    "astype": X.astype,
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
@pytest.mark.filterwarnings("error")
def test_what_is_no_such_part_is_an_error_with_help(make: Callable[[Any], object]):
    for given in STRANGE:
        made = _made_or_refused(make, given)
        assert not isinstance(made, RelayError) or made.help, made
        _can_be_written(made)


def _made_or_refused(make: Callable[[Any], object], given: object) -> object:
    try:
        return make(given)
    except RelayError as error:
        return error


def _can_be_written(made: object) -> None:
    """Nothing strange is inside of what is made: it has a text."""
    if isinstance(made, Printable):
        with warnings.catch_warnings():
            assert typed.astext(made)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("T007", lambda: relay.Function(X, X)),
        ("T007", lambda: relay.Call("f", [X])),
        ("T007", lambda: relay.If(1, 2, 3)),
        ("T007", lambda: relay.TupleGetItem(PAIR, "0")),
        ("T004", lambda: relay.TupleGetItem(relay.var("t"), -1)),
        ("T007", lambda: relay.Tuple(3)),
        ("T017", lambda: relay.var("x", shape=(1.5,))),
        ("T017", lambda: relay.var("x", shape=("n",))),
        ("T017", lambda: relay.TensorType(b"a")),
        ("T001", lambda: relay.var("x", shape=(2,), dtype=None)),
        ("T012", lambda: relay.const(2**70)),
        ("T008", lambda: relay.sum(X, axis=1.5)),
        ("T008", lambda: relay.reshape(X, "ab")),
        ("T008", lambda: relay.nn.softmax(X, axis=True)),
    ],
)
def test_the_code_of_a_strange_part(code: str, make: Callable[[], object]):
    with pytest.raises(RelayError) as caught:
        make()
    assert caught.value.code == code


def test_numbers_of_numpy_are_numbers():
    assert relay.var("x", shape=(np.int64(2), 3)).type is X.type
    assert relay.TupleGetItem(PAIR, np.int32(1)).index == 1
    assert relay.sum(X, axis=np.int64(1)).op is relay.sum(X, axis=1).op
    assert relay.reshape(X, np.array([3, 2])).op is relay.reshape(X, (3, 2)).op

"""Objects of the public interface under `pickle` and `copy.deepcopy`."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.frontend.python import Tensor

relay: Any = typed
X = relay.var("x", shape=(2, 3))
LIST, CONS, _ = relay.Prelude().mod.get_type("List")


@relay.function
def square(a: Tensor[3]):
    return a * a


@relay.function
def square_sum(a: Tensor[3]):
    return (a * a).sum()


@relay.jit
def double(a):
    return a * 2


def pickled(given: Any) -> Any:
    return pickle.loads(pickle.dumps(given))


@pytest.mark.parametrize(
    "expr",
    [
        relay.Function([X], relay.exp(X), attrs={"Primitive": 1, "layout": "NCHW"}),
        relay.Call(relay.Function([X], relay.nn.softmax(X)), [relay.const(np.ones((2, 3), "f4"))]),
        relay.Let(X, relay.const(np.ones((2, 3), "f4")), relay.If(relay.const(True), X, X)),
        relay.Match(
            CONS(X, relay.var("xs", LIST(X.ty))), [relay.Clause(relay.PatternWildcard(), X)]
        ),
        relay.RefRead(relay.RefCreate(relay.Tuple([X, X])[1])),
    ],
    ids=lambda expr: type(expr).__name__,
)
def test_expressions(expr):
    restored = pickled(expr)
    assert type(restored) is type(expr)
    assert relay.structural_equal(restored, expr, map_free_vars=True)
    assert restored.checked_type == expr.checked_type
    assert copy.deepcopy(expr) is expr


def test_functions_keep_their_fields():
    function = relay.Function([X], X, attrs={"Primitive": 1})
    restored, var = pickled((function, X))
    assert restored.params[0] is restored.body is var
    assert (restored.attrs, restored.ty) == (function.attrs, function.ty)


def test_deep_expressions_are_copied():
    deep = X
    for _ in range(5000):
        deep = relay.exp(deep)
    assert copy.deepcopy([deep])[0] is deep


@pytest.mark.parametrize(
    "ty",
    [X.ty, LIST(relay.TensorType((relay.Any(), 3))), relay.FuncType([X.ty], X.ty)],
    ids=repr,
)
def test_types(ty):
    assert pickled(ty) == copy.deepcopy(ty) == ty


def test_type_variables_are_copied_with_what_uses_them():
    a = relay.TypeVar("a")
    assert copy.deepcopy([a, LIST(a)]) == [a, LIST(a)]
    var, ty = pickled((a, LIST(a)))
    assert ty == LIST(var)


@pytest.mark.parametrize(
    "named",
    [
        relay.exp,
        relay.add,
        relay.nn.conv2d,
        relay.image.resize2d,
        relay.qnn.op.dense,
        relay.transform.FuseOps,
        relay.transform.SimplifyInference,
        square,
        double,
    ],
    ids=lambda named: named.__name__,
)
def test_functions_are_pickled_by_name(named):
    assert pickled(named) is copy.deepcopy(named) is named


def test_derivatives_are_pickled_when_they_are_compiled():
    slope = relay.grad(square_sum)
    for derived in (slope, relay.jit(slope)):
        assert copy.deepcopy(derived) is copy.copy(derived) is derived
        with pytest.raises(typed.RelayError, match="U078"):
            pickle.dumps(derived)
    restored = pickled(relay.compile(slope))
    np.testing.assert_allclose(restored(np.ones(3, "f4")), [2, 2, 2])


def test_sequences_of_passes():
    passes = [relay.transform.FoldConstant(), relay.transform.FuseOps()]
    sequence = relay.transform.Sequential(passes, opt_level=2, name="mine", required=["InferType"])
    assert pickled(sequence) is sequence  # values are interned

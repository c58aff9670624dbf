"""Python's operators on expressions build the calls that they stand for."""

import numpy as np
import pytest

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.opdef.table import OVERLOADS
from relay.ops.cast import Cast
from relay.ops.comparison import Less
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayTypeError
from relay.text.parse_expr import _INFIX

X = np.array([1.5, -2.0, 4.0], np.float32)
Y = np.array([2.0, -2.0, 0.5], np.float32)


def _value(of, *arrays):
    variables = [Var(f"x{i}", TensorType(a.shape, a.dtype)) for i, a in enumerate(arrays)]
    return evaluate(Module.of(Function(tuple(variables), of(*variables))), *arrays)


@pytest.mark.parametrize(
    "formula",
    [
        lambda x, y: x + y,
        lambda x, y: x - y * 2,
        lambda x, y: x / y,
        lambda x, y: 1 - x + 3 * y,
        lambda x, y: 2 / y + -x,
        lambda x, y: x < y,
        lambda x, y: x <= y,
        lambda x, y: x > y,
        lambda x, y: x >= y,
        lambda x, y: 1 < x + y,  # noqa: SIM300 - the number stands first
        lambda x, y: np.float32(0.5) * x + (1.0 + y),
        lambda x, y: (x * y).astype("int32"),
        lambda x, y: abs(x) ** y + 2**y,
        lambda x, y: x**2 + y,
        lambda x, y: x // y + 7 // y,
        lambda x, y: x % y - 7 % y,
        lambda x, y: (x > 0) & (y > 0) | ~(x > y) ^ (y < 1),
    ],
)
def test_signs_mean_what_they_mean_in_numpy(formula):
    np.testing.assert_array_equal(_value(formula, X, Y), formula(X, Y))


@pytest.mark.parametrize(
    "formula",
    [
        lambda x, y: x // y - x % 3,
        lambda x, y: (x & y) | (~x ^ 5),
        lambda x, y: (x << 2) + (64 >> y),
    ],
)
def test_signs_of_whole_numbers(formula):
    x, y = np.array([7, -8, 5], np.int32), np.array([2, 3, 1], np.int32)
    np.testing.assert_array_equal(_value(formula, x, y), formula(x, y))


def test_a_product_of_matrices():
    x, w = np.ones((2, 3), np.float32), np.full((3, 4), 2, np.float32)
    np.testing.assert_array_equal(_value(lambda x, w: x @ w, x, w), x @ w)


@pytest.mark.parametrize("element", ["float16", "bfloat16", "float64", "int8", "uint64", "bool"])
def test_a_number_takes_the_element_type_of_the_other_side(element):
    x = Var("x", TensorType((2,), element))
    call = x < 1
    assert isinstance(call.args[1], Constant)
    assert call.args[1].type is TensorType((), element)


@pytest.mark.parametrize(
    ("element", "number"),
    [
        ("int32", 0.5),
        ("uint8", 256),
        ("uint8", -1),
        ("int8", -129),
        ("bool", 2),
        ("int64", float("nan")),
        ("int64", float("inf")),
        ("int64", 2**63),
        ("int32", "2"),
    ],
)
def test_a_number_that_no_element_can_hold_is_refused(element, number):
    with pytest.raises(RelayTypeError, match="T012"):
        _ = Var("x", TensorType((2,), element)) + number


def test_a_number_beside_nothing_typed_is_refused():
    with pytest.raises(RelayTypeError, match="T012"):
        _ = Var("x") + 1


def test_tuples_are_indexed_and_unpacked():
    pair = Tuple((Constant(X), Constant(Y)))
    first, second = pair
    assert (first.index, second.index) == (0, 1)
    assert pair[-1].index == 1
    assert Var("untyped")[3].index == 3
    with pytest.raises(RelayTypeError, match="T004"):
        pair[2]


@pytest.mark.parametrize("expr", [Constant(X), Var("untyped")])
def test_what_is_no_tuple_is_not_unpacked(expr: Expr):
    with pytest.raises(RelayTypeError, match="T013"):
        _first, _second = expr


@pytest.mark.parametrize("index", [0, slice(1), (0, 1)])
def test_parts_of_a_tensor_are_no_fields(index):
    with pytest.raises(RelayTypeError, match="T013"):
        Constant(X)[index]


def test_anything_can_be_called():
    x = Constant(X)
    call = GlobalVar("f")(x, 2)
    assert isinstance(call, Call)
    assert call.args[0] is x
    assert call.args[1].type is TensorType((), "float32")


def test_the_text_format_reads_the_symbols_as_the_same_operators():
    shared = {symbol: name for symbol, (_, name) in _INFIX.items() if symbol in OVERLOADS}
    assert shared == {symbol: OVERLOADS[symbol]().name for symbol in shared}
    assert len(shared) == 8


def test_a_symbol_is_entered_by_its_operator():
    assert OVERLOADS["<"] is Less
    assert OVERLOADS["astype"] is Cast


def test_equality_stays_identity():
    x = Var("x", TensorType((2,)))
    assert x == x  # noqa: PLR0124 - the point
    assert x != Var("x", TensorType((2,)))


def test_a_number_beyond_all_floats_is_refused():
    x = Var("x", TensorType((2,)))
    with pytest.raises(RelayTypeError, match="T012"):
        _ = x + 10**400
    with pytest.raises(RelayTypeError, match="T007"):
        Function((x,), x, attrs={"k": 10**400})


@pytest.mark.parametrize(
    "decide", [lambda x: 0 < x < 1, lambda x: x and x, lambda x: not x, lambda x: 1 if x else 2]
)
def test_an_expression_is_neither_true_nor_false(decide):
    with pytest.raises(RelayTypeError, match="T009"):
        decide(Var("x", TensorType((), "float32")))

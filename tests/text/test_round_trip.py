import numpy as np
import pytest
from hypothesis import given
from strategies import modules, scalars, types

import relay
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Constant, Expr, Function, If, Tuple, Var
from relay.ir.module import Module
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import OPERATORS
from relay.support.dtype import dtype as element_type
from relay.text.printer import text_of

CALLS = [
    pytest.param(cls, example, id=f"{name}-{i}")
    for name, cls in OPERATORS.items()
    if issubclass(cls, OperatorDef)
    for i, example in enumerate(cls.examples)
]


@given(modules())
def test_a_module_that_is_printed_reads_back_equal(module: Module):
    text = text_of(module)
    again = relay.parse(text)
    assert structural_equal(module, again), text
    assert text_of(again) == text


@given(types())
def test_a_type_reads_back_as_the_same_object(ty):
    function = relay.parse_expr(f"fn (%x: {text_of(ty)}) {{ %x }}")
    assert isinstance(function, Function)
    assert function.params[0].annotation is ty


@given(scalars())
def test_a_scalar_keeps_its_bits(constant: Constant):
    again = relay.parse_expr(text_of(constant))
    assert isinstance(again, Constant)
    assert again.data.dtype == constant.data.dtype
    assert again.data.tobytes() == constant.data.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "bfloat16", "uint64"])
def test_a_large_constant_goes_through_the_metadata(dtype: str):
    data = np.arange(6).reshape(2, 3).astype(element_type(dtype).numpy)
    text = text_of(Constant(data))
    assert text.startswith("meta[relay.Constant][0]")
    again = relay.parse_expr(text)
    assert isinstance(again, Constant)
    np.testing.assert_array_equal(again.data, data)
    assert again.data.dtype == data.dtype


@pytest.mark.parametrize(("cls", "example"), CALLS)
def test_every_operator_keeps_its_attributes(cls: type[OperatorDef], example: Example):
    params = tuple(Var("x", ty) for ty in example.types)
    call = Call(cls(**example.attributes), params)
    text = text_of(Function(params, call))
    again = relay.parse_expr(text)
    assert isinstance(again, Function)
    assert isinstance(again.body, Call)
    assert again.body.op is call.op, text
    assert again.body.ty is call.ty


def chain(length: int) -> Function:
    x = Var("x", relay.TensorType((2,)))
    body: Expr = x
    for _ in range(length):
        body = Call(OPERATORS["nn.relu"](), (body,))
    return Function((x,), body)


def test_a_chain_of_100000_operators():
    program = chain(100_000)
    assert structural_equal(relay.parse_expr(text_of(program)), program)


def test_100000_nested_calls():
    text = "fn (%x: float32) { " + "nn.relu(" * 100_000 + "%x" + ")" * 100_000 + "}"
    function = relay.parse_expr(text)
    assert text_of(function).count("nn.relu") == 100_000


def test_20000_nested_choices_print_in_linear_size():
    body: Expr = (x := Var("x", relay.TensorType((2,))))
    yes = Var("c", relay.TensorType((), "bool"))
    for _ in range(20_000):
        body = If(yes, body, x)
    text = text_of(Function((yes, x), body))
    assert len(text) < 300 * 20_000
    assert structural_equal(relay.parse_expr(text), Function((yes, x), body))


def test_what_is_shared_stays_shared():
    x = Var("x", relay.TensorType((2,)))
    shared = Call(OPERATORS["exp"](), (x,))
    function = Function((x,), Tuple((shared, shared)))
    again = relay.parse_expr(text_of(function))
    assert isinstance(again, Function)
    assert isinstance(again.body, Tuple)
    assert again.body.fields[0] is again.body.fields[1]


def test_types_are_comments_that_the_parser_skips():
    text = text_of(chain(1), types=True)
    assert "/* ty=Tensor[(2), float32] */" in text
    assert structural_equal(relay.parse_expr(text), chain(1))


def test_without_metadata_a_text_is_for_reading():
    text = text_of(Constant(np.ones(2, np.float32)), metadata=False)
    with pytest.raises(relay.RelayError, match="P040"):
        relay.parse_expr(text)

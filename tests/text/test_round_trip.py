import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from strategies import modules, scalars, types

import relay
from relay.ir.dims import ANY
from relay.ir.equality import structural_equal
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Tuple,
    Var,
)
from relay.ir.match_patterns import Clause, Match, PatternVar
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.dtype import dtype as element_type
from relay.text.printer import text_of

PROGRAMS = sorted(Path(__file__).parent.joinpath("programs").glob("*.rly"))
OPERATOR_CLASSES = [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]


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


@pytest.mark.parametrize("cls", OPERATOR_CLASSES, ids=lambda cls: cls.name)
def test_every_operator_keeps_its_attributes(cls: type[OperatorDef]):
    for example in cls.examples:
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


@pytest.mark.parametrize("length", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_long_chain_of_operators(length: int):
    program = chain(length)
    assert structural_equal(relay.parse_expr(text_of(program)), program)


@pytest.mark.parametrize("depth", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nested_calls(depth: int):
    text = "fn (%x: float32) { " + "nn.relu(" * depth + "%x" + ")" * depth + "}"
    function = relay.parse_expr(text)
    assert text_of(function).count("nn.relu") == depth


def test_nested_choices_print_in_linear_size():
    body: Expr = (x := Var("x", relay.TensorType((2,))))
    yes = Var("c", relay.TensorType((), "bool"))
    for _ in range(5_000):
        body = If(yes, body, x)
    text = text_of(Function((yes, x), body))
    assert len(text) < 300 * 5_000
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


# Sharing across scopes: what two scopes use is written where both see it


def param(name: str, ty: relay.Type) -> Var:
    return Var(name, ty)


X, C = param("x", relay.TensorType((2,))), param("c", relay.TensorType((), "bool"))
SHARED: dict[str, Expr] = {
    "call": Call(OPERATORS["exp"](), (X,)),
    "let": Let(y := Var("y", relay.TensorType((2,))), Call(OPERATORS["exp"](), (X,)), y),
    "if": If(C, X, Call(OPERATORS["exp"](), (X,))),
    "match": Match(X, (Clause(PatternVar(z := Var("z", relay.TensorType((2,)))), z),)),
    "function": Call(Function((p := Var("p", relay.TensorType((2,))),), p), (X,)),
}


@pytest.mark.parametrize("kind", SHARED)
def test_what_both_branches_share_is_written_before_the_choice(kind: str):
    shared = SHARED[kind]
    body = If(C, Call(OPERATORS["nn.relu"](), (shared,)), shared)
    program = Module({"main": Function((X, C), Let(Var("u", shared.type), X, body))})
    text = text_of(program)
    assert structural_equal(relay.parse(text), program), text
    choice = text.rindex("if (%c)")
    assert re.search(r"%\d+ = ", text[:choice]), text
    assert "= " not in text[choice:], text


def test_what_a_closure_and_its_body_share_is_written_outside_of_the_closure():
    shared = Call(OPERATORS["exp"](), (X,))
    inner = Function((p := Var("p", X.ty),), Call(OPERATORS["add"](), (p, shared)))
    f = Var("f", ty=inner.type)
    body = Let(f, inner, Call(OPERATORS["add"](), (Call(f, (X,)), shared)))
    program = Module({"main": Function((X,), body)})
    text = text_of(program)
    assert text.index("exp") < text.index("fn")
    assert structural_equal(relay.parse(text), program)


def test_values_shared_by_far_bindings_print_in_linear_time():
    """Each of 5,000 values is used by two bindings that are 2,500 bindings apart."""
    values = [Call(OPERATORS["exp"](), (X,)) for _ in range(5_000)]
    body: Expr = X
    for at in reversed(range(7_500)):
        uses = [values[i] for i in (at, at - 2_500) if 0 <= i < 5_000]
        total = uses[0] if len(uses) == 1 else Call(OPERATORS["add"](), tuple(uses))
        body = Let(Var("v", X.ty), total, body)
    program = Function((X,), body)
    assert structural_equal(relay.parse_expr(text_of(program)), program)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("width", [20, 100])
def test_a_program_of_every_construct_reads_back_equal(path: Path, width: int):
    module = relay.parse(path.read_text(encoding="utf-8"), path.name)
    text = text_of(module, width=width)
    again = relay.parse(text)
    assert structural_equal(again, module), text
    assert text_of(again, width=width) == text
    with_types = relay.parse(text_of(module, types=True, width=width))
    assert structural_equal(with_types, module)


def test_operators_and_constructors_are_values():
    text = "(nn.relu, fn clip(a_min=0f, a_max=6f), fn nn.softmax)"
    operators = relay.parse_expr(text)
    assert isinstance(operators, Tuple)
    assert operators.fields[1] is OPERATORS["clip"](a_min=0.0, a_max=6.0)
    assert structural_equal(relay.parse_expr(text_of(operators)), operators)


def test_numbers_may_be_used_again_in_another_function():
    module = relay.parse(
        '#[version = "0.0.5"]\ndef @f() { %0 = 1 + 1; %0 }\ndef @g() { %0 = 2 * 3; %0 }'
    )
    assert "multiply" in text_of(module["g"])


@pytest.mark.parametrize("shown", ["0.1bf16", "3e+38bf16", "0.1f16", "0.1f", "-0f", "nanf64"])
def test_floats_are_as_short_as_they_can_be(shown: str):
    assert text_of(relay.parse_expr(shown)) == shown


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([1, 2], (1, 2)),
        ([[1.5], ("a", None)], ((1.5,), ("a", None))),
        (np.float32(1), 1.0),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (element_type("int8"), "int8"),
        (ANY, ANY),
    ],
)
def test_attributes_of_functions_read_back_as_they_are(given: object, kept: object):
    x = Var("x", TensorType(()))
    module = relay.IRModule.from_expr(Function((x,), x, attrs={"k": given}))
    again = relay.parse(relay.astext(module))
    for each in (module["main"], again["main"]):
        assert each.attrs["k"] == kept
        assert type(each.attrs["k"]) is type(kept)


@pytest.mark.parametrize("given", [{1: 2}, np.zeros(3), {1}, b"x", object()])
def test_attributes_that_no_text_can_hold_are_refused(given: object):
    with pytest.raises(
        relay.RelayError, match=r"T007.*the entry 'k' of the attributes of a function"
    ):
        Function((), Tuple(()), attrs={"k": given})
    with pytest.raises(
        relay.RelayError, match=r"T007.*the entry 'k' of the attributes of a module"
    ):
        Module({}, attrs={"k": [given]})

"""Fields of expressions and types by their classic names, read and given."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.semantics.evaluate import evaluate_expr

relay: Any = typed  # type checkers know the fields by their own names only

MANY = [f"def @f{i}() {{ {i} }}" for i in range(10)]
VECTOR = relay.TensorType((2, 3))


def test_variables():
    x = relay.Var(name_hint="x", type_annotation=VECTOR)
    assert (x.name_hint, x.type_annotation, x.checked_type) == ("x", VECTOR, VECTOR)
    assert relay.GlobalVar(name_hint="main").name_hint == "main"
    with pytest.raises(TypeError, match="nme"):
        relay.Var(nme="x")


def test_modules_have_short_names():
    module = typed.parse("\n".join(['#[version = "0.0.5"]', *MANY]))
    assert repr(module) == f"Module({', '.join(f'@f{i}' for i in range(8))}, … 2 more)"
    assert repr(relay.IRModule()) == "IRModule()"


def test_ifs_and_lets():
    x = relay.var("x", "int32")
    branch = relay.If(cond=relay.const(True), true_branch=relay.const(1), false_branch=x)
    assert branch.cond.data
    assert branch.false_branch is x
    let = relay.Let(variable=x, value=relay.const(2), body=branch.true_branch + x)
    assert let.variable is x
    assert evaluate_expr(let) == 3


def test_functions():
    x = relay.var("x", "int32")
    function = relay.Function(params=[x], body=x, ret_type=x.type, type_params=None, attrs=None)
    assert function.ret_type is x.type
    assert dict(function.attrs) == {}
    marked = function.with_attr("Primitive", 1).with_attr({"Compiler": "none"})
    assert dict(marked.attrs) == {"Primitive": 1, "Compiler": "none"}
    assert dict(function.attrs) == {}


def test_calls_with_attributes_types_and_a_span_behind_the_arguments():
    x = relay.var("x", shape=(2, 3))
    softmax = relay.Call(relay.op.get("nn.softmax"), [x], attrs={"axis": 0})
    assert softmax.attrs.axis == 0
    again = relay.Call(softmax.op, [x], softmax.attrs, softmax.type_args, softmax.span)
    assert again.op is softmax.op
    assert again.type is VECTOR
    assert relay.Call(relay.GlobalVar("f"), [x]).attrs is None
    a = relay.TypeVar("A")
    y = relay.Var("y", a)
    identity = relay.Function([y], y, a, [a])
    assert relay.Call(identity, [x], None, [VECTOR]).type is VECTOR


def test_matches():
    cons = relay.Prelude().cons
    h, t = relay.var("h"), relay.var("t")
    pattern = relay.PatternConstructor(cons, [relay.PatternVar(h), relay.PatternVar(t)])
    clause = relay.Clause(lhs=pattern, rhs=h)
    assert clause.lhs.patterns[0].var is clause.rhs
    assert relay.PatternConstructor(cons, None).patterns == ()
    assert relay.PatternTuple([pattern]).patterns == (pattern,)
    assert (cons.name_hint, cons.belong_to) == ("Cons", relay.GlobalTypeVar("List"))


def test_types():
    a = relay.TypeVar(name_hint="A")
    kind = relay.FuncType(arg_types=[a], ret_type=a, type_params=[a], type_constraints=None)
    assert kind is relay.FuncType((a,), a, (a,))
    assert (kind.arg_types, kind.ret_type, kind.type_constraints) == ((a,), a, ())
    assert relay.RefType(value=a).value is a
    call = relay.TypeCall(func=relay.GlobalTypeVar(name_hint="List"), args=[a])
    assert call.func.name_hint == "List"
    assert VECTOR.concrete_shape == (2, 3)


def test_what_is_not_known_yet_is_an_error():
    with pytest.raises(relay.RelayError) as found:
        _ = relay.var("x").checked_type
    assert found.value.code == "T019"
    with pytest.raises(relay.RelayError) as found:
        _ = relay.TensorType((relay.Any(), 3)).concrete_shape
    assert found.value.code == "T006"


def test_a_tuple_has_a_length():
    parts = relay.split(relay.var("x", shape=(4, 2)), 2)
    assert len(parts) == len(relay.Tuple([*parts])) == 2


def test_text_of_any_part():
    x = relay.var("x", shape=(2,))
    assert str(x + 1).endswith("add(%x, 1f)")
    assert str(relay.Function([x], x)).startswith("fn (%x: Tensor[(2), float32])")
    assert VECTOR.astext() == "Tensor[(2, 3), float32]"
    assert relay.PatternWildcard().astext() == "_"
    large = relay.const(np.zeros((3, 3)))
    assert "metadata" in large.astext()
    assert "metadata" not in str(large)


def test_questions_to_a_module():
    module = relay.Prelude().mod
    assert module.get_global_var("map").type is module["map"].type
    assert {v.name_hint for v in module.get_global_vars()} == {*module.module.functions}
    assert module[module.get_global_var("map")] is module["map"]
    assert "map" in module
    assert relay.GlobalVar("nope") not in module
    head, cons, nil = module.get_type("List")
    assert module.get_constructor("List", "Nil") is nil
    assert module.type_definitions[head].constructors == (cons, nil)
    assert relay.structural_equal(relay.parse(module.astext()), module)


def test_a_module_does_not_change():
    module = relay.Module({})
    for mistake, code in [
        (lambda: module.__setitem__("main", relay.Function([], relay.const(1))), "U070"),
        (lambda: module.get_global_var("main"), "U001"),
        (lambda: module.get_type("List"), "T027"),
        (lambda: relay.Prelude().mod.get_constructor("List", "Some"), "U051"),
    ]:
        with pytest.raises(relay.RelayError) as found:
            mistake()
        assert found.value.code == code


def test_several_results():
    """What is split is indexed, counted, and made a tuple, as if it came wrapped."""
    rows = np.arange(6, dtype="float32").reshape(2, 3)
    parts = relay.split(relay.const(rows), 3, axis=1)
    assert len(parts) == 3
    for whole in (parts, parts.astuple(), parts.tuple_value):
        second = evaluate_expr(relay.TupleGetItem(whole, 1))
        np.testing.assert_array_equal(second, rows[:, 1:2])

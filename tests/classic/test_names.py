"""Members by their classic names, and functions of `relay.analysis` that take a module too."""

from typing import Any

import pytest

import relay as typed
from relay.testing import nat

relay: Any = typed


def test_attributes_are_read_by_their_names():
    x = relay.var("x", shape=(2, 3))
    call = relay.nn.softmax(x, axis=1)
    assert call.attrs["axis"] == 1
    assert {name: call.attrs[name] for name in call.attrs.keys()} == {"axis": 1}  # noqa: SIM118
    with pytest.raises(relay.RelayError, match="the operator has no attribute 'units'") as found:
        call.attrs["units"]
    assert found.value.code == "T016"


def test_operators_say_how_many_arguments_they_have():
    assert relay.op.get("add").num_inputs == relay.op.get("nn.dense").num_inputs == 2


def test_constructors_are_found_by_their_tags():
    mod = relay.Prelude().mod
    head, cons, nil = mod.get_type("List")
    assert mod.get_global_type_var("List") == head
    assert head in mod.get_global_type_vars()
    assert len({cons.tag, nil.tag}) == 2
    assert all(mod.get_constructor_by_tag(each.tag) is each for each in (cons, nil))
    assert relay.adt.Constructor("A", [], relay.GlobalTypeVar("T")).tag == -1
    with pytest.raises(relay.RelayError) as found:
        mod.get_constructor_by_tag(-1)
    assert found.value.code == "U051"
    with pytest.raises(relay.RelayError) as found:
        mod.get_global_type_var("Nothing")
    assert found.value.code == "T027"


def test_a_variable_is_its_own_identity():
    x, y = relay.var("x"), relay.var("x")
    assert (x.vid.name_hint, x.vid == x.vid, x.vid == y.vid) == ("x", True, False)


def test_type_variables_are_asked_for_with_a_module():
    a = relay.TypeVar("a")
    x = relay.var("x", a)
    mod = relay.IRModule()
    assert relay.analysis.free_type_vars(x, mod) == [a]
    assert relay.analysis.all_type_vars(relay.Function([x], x, a, [a]), mod) == [a]
    assert relay.analysis.bound_type_vars(relay.Function([x], x, a, [a]), mod) == [a]


@pytest.mark.parametrize("home", [relay.analysis, relay])
def test_what_an_analysis_is_replaced_by(home):
    name = "get_calibration_data" if home is relay.analysis else "quantize"
    with pytest.raises(relay.RelayError) as found:
        getattr(home, name)
    assert found.value.code == "U072"
    assert found.value.help


def test_values_of_natural_numbers_go_in_and_out():
    prelude = relay.Prelude()
    three = nat.make_nat_value(prelude, 3)
    mod = prelude.mod
    head = mod.get_global_type_var("nat")
    n = relay.var("n", relay.TypeCall(head, []))
    succ = mod.get_constructor("nat", "succ")
    mod["main"] = relay.Function([n], succ(n))
    found = relay.create_executor("vm", mod=mod).evaluate()(three)
    assert nat.count(prelude, found) == 4


def test_attributes_of_a_call_are_a_mapping():
    attrs = relay.nn.softmax(relay.var("x", shape=(2, 3)), axis=1).attrs
    assert "axis" in attrs
    assert "bogus" not in attrs
    assert list(attrs) == ["axis"]
    assert dict(attrs.items()) == {"axis": 1}
    assert attrs.values() == (1,)
    assert (attrs.get_int("axis"), attrs.get_str("axis")) == (1, "1")

"""Which variables are the same during a whole run."""

import relay
from relay.semantics.infer import infer
from relay.transform.batching.invariant_variables import invariant_variables
from relay.transform.to_a_normal_form import ToANormalForm

HEAD = '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil }\n'
V = "Tensor[(4), float32]"


def names(text: str) -> set[str]:
    module = ToANormalForm()(infer(relay.parse(HEAD + text)))
    return {var.name for var in invariant_variables(module)}


def test_weights_are_passed_on_and_states_change():
    found = names(f"""
def @run(%xs: List[{V}], %state: {V}, %w: {V}) -> {V} {{
  match (%xs) {{ Nil => %state, Cons(%x, %rest) => @run(%rest, add(%state, multiply(%x, %w)), %w) }}
}}
def @main(%l: List[{V}], %weight: {V}, %first: {V}) -> {V} {{ @run(%l, %first, %weight) }}
""")
    assert {"w", "weight", "first"} <= found
    assert not {"state", "x"} & found


def test_two_callers_that_differ():
    found = names(f"""
def @f(%mine: {V}, %w: {V}, %v: {V}) -> {V} {{ add(%mine, multiply(%w, %v)) }}
def @main(%a: {V}, %b: {V}, %c: {V}) -> {V} {{ add(@f(%a, %c, %b), @f(%b, %c, %b)) }}
""")
    assert {"w", "v"} <= found
    assert "mine" not in found


def test_functions_that_are_values_have_unknown_callers():
    found = names(f"""
def @apply(%f: fn ({V}) -> {V}, %x: {V}) -> {V} {{ %f(%x) }}
def @main(%a: {V}, %b: {V}) -> {V} {{ @apply(fn (%y: {V}) -> {V} {{ add(%y, %b) }}, %a) }}
""")
    assert {"a", "b", "x"} <= found
    assert "y" not in found


def test_an_entry_that_calls_itself_passes_weights_on():
    found = names(f"""
def @main(%l: List[{V}], %state: {V}, %w: {V}) -> {V} {{
  match (%l) {{ Nil => %state, Cons(%x, %rest) => @main(%rest, add(%state, %x), %w) }}
}}
""")
    assert found == {"w"}

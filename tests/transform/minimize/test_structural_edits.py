"""Edits of the minimiser that change signatures and uses of variables: what each of them yields."""

from collections.abc import Iterator

import pytest

import relay
from relay.ir.equality import structural_equal
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.errors import RelayError
from relay.transform.minimize import structural_edits as edits
from relay.transform.minimize.candidates import Edit
from relay.transform.minimize.minimize import minimised
from relay.transform.minimize.shrinking_edits import weight

HEAD = '#[version = "0.0.5"]\n'
LIST = "type List { Cons(int32, List), Nil }\n"

CASES = {
    "a function that the others do not call": (
        edits.functions,
        "def @main(%x: int32) { %x } def @other(%y: int32) { %y }",
        "def @main(%x: int32) { %x }",
    ),
    "a field of the result, behind a binding": (
        edits.results,
        "def @main(%x: int32) { let %y = abs(%x); (%y, %x) }",
        "def @main(%x: int32) { let %y = abs(%x); %x }",
    ),
    "one field of the result": (
        edits.results,
        "def @main(%x: int32, %y: int32) { (%y, %x, abs(%x)) }",
        "def @main(%x: int32, %y: int32) { (%y, %x) }",
    ),
    "a clause": (
        edits.clauses,
        LIST + "def @main() { match (Nil) { Nil => { 1 }, Cons(%x, _) => { %x } } }",
        LIST + "def @main() { match? (Nil) { Cons(%x, _) => { %x } } }",
    ),
    "a match whose clause needs a part of the data": (
        edits.clauses,
        LIST + "def @main() { match (Cons(2, Nil)) { Nil => { 1 }, Cons(%x, _) => { abs(%x) } } }",
        LIST + "def @main(%x: int32) { abs(%x) }",
    ),
    "a call of a function": (
        edits.calls,
        "def @main(%x: int32) { @f(%x) } def @f(%y: int32) -> int32 { @f(abs(%y)) }",
        "def @main(%x: int32) { @f(abs(%x)) } def @f(%y: int32) -> int32 { @f(abs(%y)) }",
    ),
    "a call of a local function": (
        edits.calls,
        "def @main(%x: int32) { let %f = fn (%y: int32) -> int32 { %f(abs(%y)) }; %f(%x) }",
        "def @main(%x: int32) { let %f = fn (%y: int32) -> int32 { %f(abs(%y)) }; %f(abs(%x)) }",
    ),
    "a parameter that only calls pass on": (
        edits.signatures,
        "def @main(%x: int32) { @f(%x, 1) } def @f(%y: int32, %z: int32) -> int32 { @f(%y, 2) }",
        "def @main(%x: int32) { @f(%x) } def @f(%y: int32) -> int32 { @f(%y) }",
    ),
    "a parameter that another one replaces": (
        edits.signatures,
        "def @main(%x: int32) { @f(%x, 1) } def @f(%y: int32, %z: int32) { %y * %z }",
        "def @main(%x: int32) { @f(%x) } def @f(%y: int32) { %y * %y }",
    ),
    "a parameter of a local function": (
        edits.signatures,
        "def @main(%x: int32) { let %f = fn (%y: int32) -> int32 { %f(2) }; %f(%x) }",
        "def @main(%x: int32) { let %f = fn () -> int32 { %f() }; %f() }",
    ),
    "a field of a tuple that an operator reads": (
        edits.tuple_fields,
        "def @main(%x: Tensor[(2), int32]) { sum(concatenate((%x, abs(%x)))) }",
        "def @main(%x: Tensor[(2), int32]) { sum(concatenate((%x,))) }",
    ),
    "a parameter of the whole program": (
        edits.variables,
        "def @main(%x: int32, %y: int32) { %x * %y }",
        "def @main(%x: int32) { %x * %x }",
    ),
    "an expression for which there is a variable": (
        edits.variables,
        "def @main(%x: int32) { @f(%x) } def @f(%y: int32) -> int32 { @f(sign(abs(%y))) }",
        "def @main(%x: int32) { @f(%x) } def @f(%y: int32) -> int32 { @f(%y) }",
    ),
    "what lies between an expression and a part of its type": (
        edits.parts_within,
        "def @main(%x: int32) { sign(cast(sqrt(cast(abs(%x), dtype='float32')), dtype='int32')) }",
        "def @main(%x: int32) { sign(abs(%x)) }",
    ),
    "the second of two equal functions": (
        edits.equal_functions,
        "def @main(%x: int32) { (fn (%y: int32) { abs(%y) })((fn (%z: int32) { abs(%z) })(%x)) }",
        "def @main(%x: int32) { %0 = fn (%y: int32) { abs(%y) }; %0(%0(%x)) }",
    ),
}


@pytest.mark.parametrize(("edit", "before", "after"), CASES.values(), ids=CASES)
def test_what_an_edit_removes(edit: Edit, before: str, after: str):
    module = infer(relay.parse(HEAD + before.replace("'", '"')))
    expected = infer(relay.parse(HEAD + after.replace("'", '"')))
    assert any(structural_equal(each, expected) for each in valid(edit, module))
    assert weight(expected) < weight(module) or edit is edits.calls


def valid(edit: Edit, module: Module) -> Iterator[Module]:
    for _, build in edit(module):
        try:
            made = build()
            check_well_formed(made)
            check_types(made)
        except RelayError:
            continue
        yield made


def test_a_program_without_main_becomes_small():
    text = "def @first(%x: int32) { abs(%x) } def @second(%x: int32, %y: int32) { sign(%x) * %y }"
    small = minimised(infer(relay.parse(HEAD + text)), lambda m: "second" in m.functions)
    assert small.is_smallest
    assert list(small.module.functions) == ["second"]
    assert weight(small.module) <= 3

"""Exhaustiveness and reachability, against all values up to a depth."""

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relay
from relay.ir.expr import Constructor, Var
from relay.ir.match_patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.nesting_limits import DEEPEST
from relay.ir.types import GlobalTypeVar, TupleType, Type, TypeCall
from relay.semantics.exhaustiveness import missing_cases, pattern_text, unreachable
from relay.support.errors import RelayError, TypeWarning

COLOUR, NAT, TREE = (TypeCall(GlobalTypeVar(name), ()) for name in ("Colour", "Nat", "Tree"))
PAIR = TupleType((COLOUR, NAT))


def data(ty: TypeCall, **constructors: tuple[Type, ...]) -> tuple[Constructor, ...]:
    items = enumerate(constructors.items())
    return tuple(Constructor(name, inputs, ty.head, (), i) for i, (name, inputs) in items)


DATA = {
    COLOUR.head: data(COLOUR, Red=(), Green=(), Blue=()),
    NAT.head: data(NAT, Zero=(), Next=(NAT,)),
    TREE.head: data(TREE, Leaf=(COLOUR,), Node=(TREE, PAIR)),
}
DEPTH = 4  # of values; patterns are less deep, so a pattern that fits something fits one of these

Value: TypeAlias = tuple[object, tuple["Value", ...]]


def values(ty: Type, depth: int = DEPTH) -> Iterator[Value]:
    if isinstance(ty, TupleType):
        yield from ((None, fields) for fields in product(*(values(t, depth) for t in ty.fields)))
    elif isinstance(ty, TypeCall) and depth:
        for each in DATA[ty.head]:
            inner = product(*(list(values(t, depth - 1)) for t in each.inputs))
            yield from ((each, fields) for fields in inner)


ALL = {ty: list(values(ty)) for ty in (COLOUR, NAT, PAIR, TREE)}


def fits(pattern: Pattern, value: Value) -> bool:
    head, fields = value
    match pattern:
        case PatternConstructor(constructor, inner):
            return head is constructor and all(map(fits, inner, fields))
        case PatternTuple(inner):
            return all(map(fits, inner, fields))
        case _:
            return True


@st.composite
def patterns(draw: st.DrawFn, ty: Type, depth: int) -> Pattern:
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from([PatternWildcard(), PatternVar(Var("x", ty))]))
    if isinstance(ty, TupleType):
        return PatternTuple(tuple(draw(patterns(t, depth)) for t in ty.fields))
    assert isinstance(ty, TypeCall)
    chosen = draw(st.sampled_from(DATA[ty.head]))
    return PatternConstructor(chosen, tuple(draw(patterns(t, depth - 1)) for t in chosen.inputs))


@given(st.data(), st.sampled_from(list(ALL)))
def test_against_all_values(source: st.DataObject, ty: Type):
    depth = 2 if ty is TREE else 3
    rows = source.draw(st.lists(patterns(ty, depth), min_size=1, max_size=6))
    left = [v for v in ALL[ty] if not any(fits(row, v) for row in rows)]
    missing = missing_cases(rows, DATA.__getitem__)
    assert bool(missing) == bool(left), [pattern_text(each) for each in missing]
    for each in missing:
        shown = [v for v in ALL[ty] if fits(each, v)]
        assert shown, f"{pattern_text(each)} fits no value"
        assert not any(fits(row, v) for row in rows for v in shown), pattern_text(each)
    useless = [
        i
        for i, row in enumerate(rows)
        if not any(fits(row, v) and not any(fits(r, v) for r in rows[:i]) for v in ALL[ty])
    ]
    assert unreachable(rows, DATA.__getitem__) == useless


def texts(*rows: Pattern) -> list[str]:
    return [pattern_text(each) for each in missing_cases(rows, DATA.__getitem__)]


def test_the_cases_are_shown_as_they_are_written():
    _, next_ = DATA[NAT.head]
    red, green, _ = (PatternConstructor(each) for each in DATA[COLOUR.head])
    wild = PatternWildcard()
    assert texts(red, green) == ["Blue"]
    assert texts() == ["_"]
    two = PatternConstructor(next_, (PatternConstructor(next_, (wild,)),))
    assert texts(two) == ["Zero", "Next(Zero)"]
    assert texts(PatternTuple((red, two)), PatternTuple((green, wild))) == [
        "(Blue, _)",
        "(Red, Zero)",
        "(Red, Next(Zero))",
    ]


def test_a_pattern_as_deep_as_may_be_and_a_wide_one():
    zero, next_ = DATA[NAT.head]
    deep: Pattern = PatternConstructor(zero)
    for _ in range(DEEPEST - 1):
        deep = PatternConstructor(next_, (deep,))
    assert len(missing_cases([deep], DATA.__getitem__)) == 4
    assert missing_cases([deep, PatternWildcard()], DATA.__getitem__) == []
    wide = PatternTuple((PatternConstructor(zero),) * 5_000)
    assert len(missing_cases([wide], DATA.__getitem__)) == 4


def test_rows_are_looked_at_again_only_where_they_can_fit():
    """Of 3000 pairs one is there twice, and clauses are as deep as they are many."""
    each = data(COLOUR, **{f"K{i}": () for i in range(3000)})
    pairs = [PatternTuple((PatternConstructor(one), PatternConstructor(one))) for one in each]
    assert unreachable([*pairs, pairs[1234], PatternWildcard()], lambda _: each) == [3000]
    zero, next_ = DATA[NAT.head]
    numbers: list[Pattern] = [PatternConstructor(zero)]
    for _ in range(DEEPEST - 1):
        numbers.append(PatternConstructor(next_, (numbers[-1],)))
    assert unreachable([*numbers, numbers[50]], DATA.__getitem__) == [DEEPEST]


def test_too_many_combinations_are_refused_not_tried():
    cells = [PatternConstructor(each) for each in DATA[COLOUR.head]]
    rows: list[PatternTuple] = []
    for i, cell in product(range(20), cells):  # columns far apart: no column decides anything alone
        whole: list[Pattern] = [PatternWildcard()] * 40
        whole[i] = whole[i + 20] = cell
        rows.append(PatternTuple(tuple(whole)))
    last = [PatternTuple((PatternWildcard(),) * 39 + (cell,)) for cell in cells]
    with pytest.raises(RelayError, match="T029"):
        missing_cases([*rows, *last], DATA.__getitem__)


MATCH = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
def @main(%l: List[int32]) -> int32 { match%s (%l) { Cons(%h, Nil) => %h, Nil => 0, } }"""


def test_a_match_says_whether_it_is_complete():
    with pytest.raises(
        RelayError, match=r"T025.*has no clause for the values Cons\(_, Cons\(_, _\)\)"
    ):
        relay.parse(MATCH.replace("%s", ""))
    relay.parse(MATCH.replace("%s", "?"))


def test_clauses_that_nothing_reaches():
    text = """#[version = "0.0.5"]
    type O { N, S(int32) }
    def @main(%o: O) { match (%o) { S(_) => 1, _ => 2, N => 3 } }"""
    with pytest.warns(TypeWarning) as caught:
        relay.parse(text)
    (warning,) = caught
    assert str(warning.message).startswith(
        "warning[T042]: the clause N => … is never used\n  --> text:3:"
    )


def test_a_type_without_values_needs_no_clause():
    relay.parse("""#[version = "0.0.5"]
    type Void {}
    def @main(%v: Void) -> int32 { match (%v) { } }""")  # a warning would be an error here

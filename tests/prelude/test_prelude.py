"""Every function of the prelude against what Python does with lists."""

from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import relay
from relay.prelude import Prelude, import_from_std, library
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data
from relay.text.printer import text_of

LISTS = [[], [7], [3, -1, 4, 1, -5, 9, 2, 6]]
C = library("nat.rly").constructors()


def listed(numbers: list[Any]) -> Any:
    found = Data(C["Nil"], ())
    for number in reversed(numbers):
        found = Data(C["Cons"], (as_value(number), found))
    return found


def as_value(given: Any) -> Any:
    match given:
        case list():
            return listed(given)
        case int():
            return np.int32(given)
        case _:
            return given


def plain(value: Any) -> Any:
    """A value as Python has it: lists are lists, scalars numbers."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if not isinstance(value, Data):
        return value.item()
    if value.constructor.name not in ("Cons", "Nil"):
        return (value.constructor.name, *map(plain, value.fields))
    found = []
    while value.fields:
        found.append(plain(value.fields[0]))
        value = value.fields[1]
    return found


def run(body: str, *args: Any, params: str = "%xs: List[int32]", name: str = "prelude.rly") -> Any:
    text = f'#[version = "0.0.5"]\nimport "{name}"\ndef @main({params}) {{ {body} }}'
    return plain(evaluate(relay.parse(text), *map(as_value, args)))


ADD = "fn (%a: int32, %b: int32) { %a + %b }"
MINUS = "fn (%a: int32, %b: int32) { %a - %b }"
ON_LISTS = {
    "@length(%xs)": len,
    "@sum(%xs)": sum,
    "@rev(%xs)": lambda xs: xs[::-1],
    "@map(fn (%x: int32) { %x * 2 }, %xs)": lambda xs: [2 * x for x in xs],
    "@filter(fn (%x: int32) { %x > 2 }, %xs)": lambda xs: [x for x in xs if x > 2],
    "@concat(%xs, %xs)": lambda xs: xs + xs,
    "@zip(%xs, Cons(1, Cons(2, Nil)))": lambda xs: list(zip(xs, [1, 2], strict=False)),
    f"@foldl({MINUS}, 100, %xs)": lambda xs: reduce(lambda a, b: a - b, xs, 100),
    f"@foldr({MINUS}, 100, %xs)": lambda xs: reduce(lambda a, b: b - a, xs[::-1], 100),
    "@map_accuml(fn (%a: int32, %b: int32) { (%a + %b, %a * %b) }, 1, %xs)": lambda xs: (
        1 + sum(xs),
        [a * b for a, b in zip(accumulate(xs, initial=1), xs, strict=False)],
    ),
    "@map_accumr(fn (%a: int32, %b: int32) { (%a + %b, %a * %b) }, 1, %xs)": lambda xs: (
        1 + sum(xs),
        [a * b for a, b in zip(accumulate(xs[::-1], initial=1), xs[::-1], strict=False)][::-1],
    ),
}
STEP = "fn (%n: int32) { if (%n == 0) { None } else { Some((%n - 1, %n * %n)) } }"
ON_NUMBERS = {
    f"@unfoldr({STEP}, %n)": lambda n: [k * k for k in range(n, 0, -1)],
    f"@unfoldl({STEP}, %n)": lambda n: [k * k for k in range(1, n + 1)],
    "@iterate(fn (%x: int32) { %x * 2 }, %n)(1)": lambda n: 2**n,
    "@id(%n)": lambda n: n,
    "@compose(fn (%x: int32) { %x * 2 }, fn (%x: int32) { %x + 1 })(%n)": lambda n: 2 * (n + 1),
    f"@flip({MINUS})(%n, 10)": lambda n: 10 - n,
}


@pytest.mark.parametrize("xs", LISTS, ids=len)
@pytest.mark.parametrize("body", ON_LISTS)
def test_functions_on_lists(body: str, xs: list[int]):
    assert run(body, xs) == ON_LISTS[body](xs)


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("body", ON_NUMBERS)
def test_functions_on_functions(body: str, n: int):
    assert run(body, n, params="%n: int32") == ON_NUMBERS[body](n)


@pytest.mark.parametrize("n", range(3))
def test_one_element_of_a_list(n: int):
    xs = [5, 6, 7]
    params = "%xs: List[int32], %n: int32"
    assert run("@nth(%xs, %n)", xs, n, params=params) == xs[n]
    expected = [*xs[:n], 42, *xs[n + 1 :]]
    assert run("@update(%xs, %n, 42)", xs, n, params=params) == expected


def test_both_ends_of_a_list():
    assert run("(@hd(%xs), @tl(%xs))", [1, 2, 3]) == (1, [2, 3])
    assert run(f"@foldr1({MINUS}, %xs)", [10, 4, 3]) == 10 - (4 - 3)


@pytest.mark.parametrize("body", ["@hd(%xs)", "@tl(%xs)", f"@foldr1({ADD}, %xs)", "@nth(%xs, 0)"])
def test_what_an_empty_list_does_not_have(body: str):
    with pytest.raises(relay.RelayError, match="R040"):
        run(body, [])


def test_trees():
    leaf = "fn (%x: int32) { Rose(%x, Nil) }"
    body = "let %t = Rose(1, Cons(%leaf(2), Cons(Rose(3, Cons(%leaf(4), Nil)), Nil)));"
    body += "(@size(%t), @tmap(fn (%x: int32) { %x * 10 }, %t))"
    size, tree = run(f"let %leaf = {leaf}; {body}", [])
    assert size == 4
    inner = ("Rose", 30, [("Rose", 40, [])])
    assert tree == ("Rose", 10, [("Rose", 20, []), inner])


def natural(n: int) -> Data:
    found = Data(C["zero"], ())
    for _ in range(n):
        found = Data(C["succ"], (found,))
    return found


def counted(value: Any) -> int:
    count = 0
    while len(value) > 1:
        count, value = count + 1, value[1]
    return count


@pytest.mark.parametrize("n", range(3))
def test_natural_numbers(n: int):
    on_lists = "%n: nat[], %xs: List[int32]"

    def of(body: str, params: str = "%n: nat[]", *args: Any) -> Any:
        return run(body, natural(n), *args, params=params, name="nat.rly")

    assert counted(of("@nat_double(%n)")) == 2 * n
    assert counted(of("@nat_add(succ(zero), %n)")) == 1 + n
    assert of("@nat_nth(%xs, %n)", on_lists, [5, 6, 7]) == 5 + n
    assert of("@nat_update(%xs, %n, 0)", on_lists, [5, 6, 7])[n] == 0
    assert of("@nat_iterate(fn (%x: int32) { %x * 3 }, %n)(1)") == 3**n


@pytest.mark.parametrize("kind", ["Raw", "One", "Zero"])
@pytest.mark.parametrize("other", ["Raw", "One", "Zero"])
def test_gradient_cells_are_numbers(kind: str, other: str):
    made = {"Raw": "Raw(%x)", "One": "One(fn () { 1f })", "Zero": "Zero(fn () { 0f })"}
    value = {"Raw": 3.0, "One": 1.0, "Zero": 0.0}
    body = f"let %a = {made[kind]}; let %b = {made[other]};"
    for name, sign in (("Add", "+"), ("Multiply", "*")):
        of_floats = f"fn (%p: float32, %q: float32) {{ %p {sign} %q }}"
        call = f"@FromGradCell(@{name}GradCell({of_floats}, %a, %b))"
        expected = eval(f"{value[kind]} {sign} {value[other]}")
        given = run(body + call, np.float32(3), params="%x: float32", name="gradient.rly")
        assert given == expected


@pytest.mark.parametrize("name", ["prelude.rly", "nat.rly", "gradient.rly"])
def test_the_library_reads_back_as_it_is_printed(name: str):
    module = library(name)
    assert relay.parse(text_of(module)).functions.keys() == module.functions.keys()
    assert text_of(relay.parse(text_of(module))) == text_of(module)


def test_a_module_that_does_not_exist():
    with pytest.raises(relay.RelayError, match="P050"):
        relay.parse('#[version = "0.0.5"]\nimport "strings.rly"')
    with pytest.raises(relay.RelayError, match="U050"):
        import_from_std(relay.Module({}), "strings.rly")


def test_what_is_imported_is_read_once():
    first = import_from_std(relay.Module({}), "prelude.rly")
    assert import_from_std(first, "prelude.rly") is first
    again = Prelude(relay.Module({})).mod
    assert all(again[name] is first[name] for name in first.functions)


def test_the_classic_names():
    p = Prelude()
    x = relay.var("x", "int32")
    numbers = p.cons(x, p.cons(x, p.nil()))
    main = relay.Function((x,), relay.Call(p.sum, (relay.Call(p.map, (p.id, numbers)),)))
    assert {p.l, p.list} == {p.nil.belongs_to}
    assert p.optional is p.some.belongs_to is p.none.belongs_to
    assert p.tree is p.rose.belongs_to
    assert p.get_global_var("map").type is p.map.type
    assert main.params == (x,)
    with pytest.raises(AttributeError):
        p.mapp  # noqa: B018
    with pytest.raises(relay.RelayError, match="U051"):
        p.get_global_var("mapp")

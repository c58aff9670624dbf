"""How deep types and patterns may be: what is within the limit passes every door, the rest none."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.ir.dims import ANY, Dim, DimVar, maximum, total
from relay.ir.equality import structural_equal, structural_hash
from relay.ir.expr import Constructor, Expr, Function, Tuple, Var
from relay.ir.match_patterns import Pattern, PatternTuple, PatternVar, PatternWildcard
from relay.ir.module import Module
from relay.ir.nesting_limits import DEEPEST
from relay.ir.reference_cells import RefCreate
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    substitute_types,
)
from relay.semantics.infer import infer
from relay.support.dims.algebra import DEEPEST as DEEPEST_SIZE
from relay.support.dims.algebra import MOST_PARTS
from relay.support.errors import RelayError
from relay.text.parser import parse_module
from relay.text.printer import text_of

HEADER = '#[version = "0.0.5"]\n'
BOX = HEADER + "type Box[A] { Box(A) }\n"
X = TensorType((), "float32")
DEEPER: dict[str, Callable[[Type], Type]] = {
    "tuples": lambda ty: TupleType((ty,)),
    "pairs": lambda ty: TupleType((X, ty)),
    "results": lambda ty: FuncType((), ty),
    "parameters": lambda ty: FuncType((ty,), X),
    "references": RefType,
    "data": lambda ty: TypeCall(GlobalTypeVar("Box"), (ty,)),
}
VALUES = {
    "tuples": ("(", ",)"),
    "pairs": ("(1f, ", ")"),
    "functions": ("fn () { ", " }"),
    "references": ("ref(", ")"),
    "data": ("Box(", ")"),
}


def nested(deeper: Callable[[Type], Type], depth: int, inner: Type = X) -> Type:
    for _ in range(depth):
        inner = deeper(inner)
    return inner


def value(what: str, depth: int) -> str:
    """Return a function without parameters whose value has a type of that depth."""
    opening, closing = VALUES[what]
    return f"{BOX}def @main() {{ {opening * depth}1f{closing * depth} }}"


def chain(depth: int, step: str) -> str:
    """Return a function that says only step by step what its parameter is."""
    steps = "".join(f"let %a{i + 1} = {step.format(i)}; " for i in range(depth))
    return f"{HEADER}def @main(%x: float32) {{ let %f = fn (%a0) {{ {steps}%a{depth} + 1f }}; %x }}"


def refusal(act: Callable[..., object], *given: object) -> RelayError:
    with pytest.raises(RelayError) as caught:
        act(*given)
    return caught.value


@pytest.mark.parametrize("what", DEEPER)
def test_a_type_is_as_deep_as_may_be_and_no_deeper(what: str):
    deepest = nested(DEEPER[what], DEEPEST)
    assert deepest.depth == DEEPEST
    assert refusal(DEEPER[what], deepest).code == "T040"


@pytest.mark.parametrize("what", DEEPER)
@pytest.mark.parametrize("inner", [X, TensorType((relay.DimVar("n") // 2, 3), "float32")])
def test_the_deepest_types_are_written_read_and_compared(what: str, inner: Type):
    x = Var("x", nested(DEEPER[what], DEEPEST - 1, inner))
    module = infer(parse_module(BOX).with_functions({"main": Function((x,), x)}))
    again = parse_module(text_of(module))
    assert structural_equal(again, module)
    assert structural_hash(again) == structural_hash(module)


@pytest.mark.parametrize("what", VALUES)
def test_values_of_the_deepest_types_go_everywhere(what: str, tmp_path: Path):
    module = relay.parse(value(what, DEEPEST - 1))
    assert structural_equal(relay.parse(module.astext()), module)
    relay.save(module, tmp_path / "deep.rlyb")
    assert structural_equal(relay.load(tmp_path / "deep.rlyb"), module)
    relay.create_executor("debug", mod=module).evaluate()


@pytest.mark.parametrize("executor", ["debug", "vm", "aot"])
@pytest.mark.parametrize("what", ["tuples", "pairs"])
def test_values_of_the_deepest_types_come_out(what: str, executor: str):
    found = relay.create_executor(executor, mod=relay.parse(value(what, DEEPEST - 1))).evaluate()()
    for _ in range(DEEPEST - 1):
        found = found[-1]
    assert np.asarray(found) == 1


@pytest.mark.parametrize("depth", [DEEPEST + 1, 5_000])
@pytest.mark.parametrize("what", VALUES)
def test_programs_with_deeper_values_are_refused_where_they_stand(what: str, depth: int):
    error = refusal(relay.parse, value(what, depth))
    assert error.code in ("T040", "P003")
    assert error.span is not None


@pytest.mark.parametrize("step", ["%a{}()", "ref_read(%a{})"])
@pytest.mark.parametrize("depth", [DEEPEST + 1, 3_000])
def test_types_that_become_known_from_within_are_refused(step: str, depth: int):
    """Each hole is filled with a type that has the next hole in it."""
    error = refusal(relay.parse, chain(depth, step))
    assert error.code == "T040"
    assert error.span is not None
    assert refusal(relay.parse, chain(DEEPEST - 2, step)).code == "T024"


def test_chains_of_holes_are_refused_where_they_meet():
    calls = [f"let %{v}{i + 1} = %{v}{i}(); " for i in range(3_000) for v in "ab"]
    body = f"{''.join(calls)}if (True) {{ %a0 }} else {{ %b0 }}"
    text = f"{HEADER}def @main(%x: float32) {{ let %f = fn (%a0, %b0) {{ {body} }}; %x }}"
    assert refusal(relay.parse, text).code == "T040"


@pytest.mark.parametrize("node", [lambda e: Tuple((e,)), RefCreate, lambda e: Function((), e)])
def test_expressions_of_deeper_types_cannot_be_made(node: Callable[[Expr], Expr]):
    x = Var("x", nested(DEEPER["tuples"], DEEPEST))
    assert refusal(node, x).code == "T040"


def test_what_is_put_into_a_type_counts():
    a = TypeVar("A")
    put = {a: nested(DEEPER["tuples"], DEEPEST)}
    assert refusal(substitute_types, TupleType((a,)), put).code == "T040"
    assert refusal(Constructor, "C", (put[a],), GlobalTypeVar("T")).code == "T040"


def test_patterns_are_as_deep_as_types():
    x = Var("x", nested(DEEPER["tuples"], DEEPEST - 1))
    deepest = PatternTuple((PatternVar(x),))
    assert refusal(PatternTuple, (deepest,)).code == "T040"
    pattern: Pattern = PatternWildcard()
    for _ in range(DEEPEST):
        pattern = PatternTuple((pattern,))
    assert refusal(PatternTuple, (pattern,)).code == "T040"


@pytest.mark.parametrize("depth", [DEEPEST - 1, DEEPEST, DEEPEST + 1])
def test_a_missing_case_may_be_as_deep_as_a_pattern(depth: int):
    pattern = "S(" * depth + "_" + ")" * depth
    text = f"{HEADER}type N {{ Z, S(N) }}\ndef @main(%x: N) {{ match (%x) {{ {pattern} => 1 }} }}"
    assert refusal(relay.parse, text).code == ("T025" if depth <= DEEPEST else "P003")


def test_attributes_are_as_deep_as_types():
    deep: object = 1
    for _ in range(DEEPEST - 1):
        deep = (deep,)
    x = Var("x", X)
    module = Module.of(Function((x,), x, attrs={"deep": deep}))
    assert structural_equal(parse_module(text_of(module)), module)
    for deeper in ((deep,), [deep]):
        assert refusal(lambda: Function((x,), x, attrs={"deep": deeper})).code == "T040"  # noqa: B023
        assert refusal(lambda: relay.transpose(x, axes=deeper)).code == "T040"  # noqa: B023


def test_sizes_are_as_deep_as_they_can_be_read_back():
    size: Dim = DimVar("n")
    for _ in range(DEEPEST_SIZE // 2):
        size = maximum(size + 1, DimVar("m")) // 3
    x = Var("x", TensorType((size, DimVar("n"), DimVar("m"))))
    module = Module.of(Function((x,), x))
    assert structural_equal(parse_module(text_of(module)), module)
    assert size // DimVar("k") is ANY


def test_sizes_have_as_many_parts_as_they_can_be_read_back():
    size = total(DimVar(f"n{place}") for place in range(MOST_PARTS))
    x = Var("x", TensorType((size,)))
    module = Module.of(Function((x,), x))
    assert structural_equal(parse_module(text_of(module)), module)
    assert size + DimVar("k") is ANY
    text = text_of(module).replace("n0 + ", "k + n0 + ")
    assert refusal(parse_module, text).code == "P003"


@pytest.mark.parametrize("bounds", ["begin=[1], end=[1000], strides=[2]", "begin=[1], end=[-1]"])
def test_slices_of_slices_are_typed_in_a_straight_line(bounds: str):
    slices = "".join(
        f"let %a{place + 1} = strided_slice(%a{place}, {bounds});" for place in range(20)
    )
    text = f"{HEADER}def @main(%a0: Tensor[(n), float32]) {{ {slices} %a20 }}"
    assert infer(relay.parse(text))["main"].body.type == TensorType((ANY,))

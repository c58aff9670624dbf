"""A sample of what `tools/fuzz_programs.py` checks on many programs."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay.ir.equality import structural_equal
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    Var,
)
from relay.ir.match_patterns import Match, PatternConstructor
from relay.ir.reference_cells import RefCreate
from relay.ir.types import FuncType, TensorType, TupleType, TypeVar, dim_variables
from relay.ir.walk import post_order
from relay.semantics.evaluator_values import Data
from relay.semantics.infer import infer
from relay.text.printer import text_of
from relay.transform.effects import elements_may_trap
from tools.fuzzing.programs import Choices, Program, RandomChoices, random_program
from tools.fuzzing.programs.laws import LAWS, check_program
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.programs.renaming import renamed
from tools.fuzzing.programs.signatures import arguments_for
from tools.fuzzing.programs.values import same


class Drawn(Choices):
    """Decisions of hypothesis, which makes a program that breaks a law as small as it can."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def below(self, count: int) -> int:
        return self._data.draw(st.integers(0, count - 1))


@pytest.mark.parametrize("first", range(0, 30, 5))
def test_every_law_on_a_sample(first: int):
    for number in range(first, first + 5):
        check_program(random_program(RandomChoices(number), generic_values=True), LAWS)


@pytest.mark.parametrize("first", range(0, 20, 5))
def test_every_law_on_programs_that_may_stop(first: int):
    for number in range(first, first + 5):
        choices = RandomChoices(number)
        check_program(random_program(choices, generic_values=True, guarded_reads=True), LAWS)


def test_reads_seldom_stop_a_program():
    drawn = [random_program(RandomChoices(n), 30, guarded_reads=True) for n in range(120)]
    functions = [post_order(*each.module.functions.values()) for each in drawn]
    reads = sum(any(map(elements_may_trap, nodes)) for nodes in functions)
    stopped = sum(isinstance(check_program(each, ()), Trapped) for each in drawn)
    assert reads > 60
    assert 0 < stopped < 30


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_every_law_on_programs_that_shrink(data: st.DataObject):
    check_program(random_program(Drawn(data), size=20, generic_values=True), LAWS)


def test_a_seed_gives_the_same_program():
    one, two = (random_program(RandomChoices(5)) for _ in range(2))
    assert text_of(one.module) == text_of(two.module)
    assert same(one.inputs, two.inputs)


def kinds(program: Program) -> set[str]:
    """What a program is made of, with names for what the class of a node does not tell."""
    found: set[str] = set()
    for function in program.module.functions.values():
        for expr in post_order(function):
            found.add(type(expr).__name__)
            found |= more(expr)
        if any(dim_variables(param.type) for param in function.params):
            found.add("size with a name")
    return found


def is_generic(expr: Expr) -> bool:
    return any(isinstance(each.ty, FuncType) and each.ty.type_params for each in post_order(expr))


def more(expr: Expr) -> set[str]:
    match expr:
        case Call(op, _, type_args) if type_args and isinstance(op, GlobalVar):
            return {"call of a generic function"}
        case Call(Var(), _, type_args) if type_args:
            return {"call of a local generic function"}
        case RefCreate(part) | Tuple((part, *_)) | Match(part) if is_generic(part):
            return {f"generic function in a {type(expr).__name__}"}
        case Call(Constructor(), args) if any(isinstance(arg.ty, FuncType) for arg in args):
            return {"function in data"}
        case Call(Function()):
            return {"call of a literal"}
        case Let(var, Function() as value) if var in post_order(value):
            return {"local recursion"}
        case Function() if isinstance(expr.type, FuncType) and any(
            isinstance(param, FuncType) for param in expr.type.params
        ):
            return {"higher order"}
        case Match(_, clauses):
            patterns = [c.pattern for c in clauses if isinstance(c.pattern, PatternConstructor)]
            inner = [p for pattern in patterns for p in pattern.patterns]
            return {f"{type(p).__name__} in a pattern" for p in inner}
        case _:
            return set()


def test_everything_that_the_language_has_occurs():
    drawn = (random_program(RandomChoices(n), generic_values=True) for n in range(150))
    met = Counter(kind for program in drawn for kind in kinds(program))
    wanted = [
        "Call",
        "Constant",
        "Constructor",
        "Function",
        "GlobalVar",
        "If",
        "Let",
        "Match",
        "RefCreate",
        "RefRead",
        "RefWrite",
        "Tuple",
        "TupleGetItem",
        "Var",
    ]
    wanted += ["call of a local generic function", "function in data"]
    wanted += [f"generic function in a {kind}" for kind in ("RefCreate", "Tuple", "Match")]
    wanted += ["call of a generic function", "call of a literal", "local recursion"]
    wanted += ["higher order", "size with a name", "PatternConstructor in a pattern"]
    assert [kind for kind in wanted if not met[kind]] == []


def test_global_functions_call_each_other():
    def calls(program: Program) -> bool:
        functions = program.module.functions
        return any(
            other in {e.name for e in post_order(function) if isinstance(e, GlobalVar)}
            and name in {e.name for e in post_order(functions[other]) if isinstance(e, GlobalVar)}
            for name, function in functions.items()
            for other in functions
            if other != name
        )

    assert any(calls(random_program(RandomChoices(n))) for n in range(60))


def finite(value: object) -> bool:
    match value:
        case Data(_, fields):
            return all(map(finite, fields))
        case tuple(fields):
            return all(map(finite, fields))
        case _:
            return bool(np.all(np.isfinite(np.asarray(value))))


@pytest.mark.parametrize("number", range(40))
def test_values_are_finite(number: int):
    assert finite(check_program(random_program(RandomChoices(number)), ()))


def test_renaming_changes_every_variable():
    module = infer(random_program(RandomChoices(2)).module)
    other = renamed(module)
    assert structural_equal(module, other)
    assert not set(post_order(module.main)) & set(other.main.params)


def test_functions_that_call_each_other_end():
    """Where one of them ends it calls none: that would call it back, for ever."""
    looked = 0
    for number in range(60):
        functions = random_program(RandomChoices(number), 40).module.functions
        for name, function in functions.items():
            if name.startswith(("even", "odd")) and isinstance(function.body, If):
                called = {
                    e.name for e in post_order(function.body.then) if isinstance(e, GlobalVar)
                }
                pair = {f"even{name[-1]}", f"odd{name[-1]}"}
                assert not called & pair, number
                looked += 1
    assert looked > 20


def test_a_local_generic_function_chooses_its_own_type_parameters_only():
    outer, own = TypeVar("A"), TypeVar("A")
    numbers = TensorType((2,), "float32")
    function = FuncType((own, outer), TupleType((own, outer)), (own,))
    assert arguments_for(function, TupleType((numbers, numbers))) is None
    assert arguments_for(function, TupleType((numbers, outer))) == {own: numbers, outer: outer}

"""`verify=True`: every pass of a compilation is checked, on programs of all kinds."""

import re
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.build import reproduce_failures
from relay.build.pipeline import pipeline
from relay.build.reproduce_failures import run_verified
from relay.build.rounding_sensitive_results import rounded_results, rounds_to_integers
from relay.build.value_difference import difference
from relay.build.verify_passes import Verifier
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefWrite
from relay.ir.walk import post_order, rewrite
from relay.ops.binary import Add, Divide, Subtract
from relay.ops.cast import Cast
from relay.ops.elementwise import Negative
from relay.ops.tensor.transpose import Reverse
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Reference
from relay.semantics.infer import infer
from relay.support.dtype import dtype, float16
from relay.support.errors import CompileError, RelayError, RelayTypeError, RunError
from relay.support.node import replace, value
from relay.targets.cpu import this_cpu
from relay.transform.change_batch_size import ChangeBatch
from relay.transform.fold_constants import FoldConstants
from relay.transform.forms.defunctionalize import Defunctionalize
from relay.transform.monomorphize import Monomorphize
from relay.transform.pass_context import PassContext
from relay.transform.pass_contract import Rounding
from relay.transform.pipeline import Pass
from relay.transform.remarks import NotCompared, recorded
from relay.transform.run_passes import run_passes
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.to_mixed_precision import ToMixedPrecision
from tools.fuzzing.programs import RandomChoices, random_program

LISTS = """#[version = "0.0.5"]
type List[A] { Nil, Cons(A, List[A]) }
def @total(%l: List[Tensor[(2), float32]]) -> Tensor[(2), float32] {
  match (%l) { Nil => { zeros(shape=[2], dtype="float32") }, Cons(%x, %r) => { %x + @total(%r) } }
}
def @main(%x: Tensor[(2), float32]) { @total(Cons(%x, Cons(%x, Nil))) }"""


def test_a_program_with_data_is_verified():
    ones = np.ones(2, np.float32)
    np.testing.assert_array_equal(relay.compile(relay.parse(LISTS), verify=True)(ones), 2 * ones)


@pytest.mark.parametrize("number", range(12))
def test_all_passes_keep_random_programs(number: int):
    program = infer(random_program(RandomChoices(number), 40).module)
    for batch in (False, True):
        passes = pipeline(this_cpu(), PassContext(3), batch=batch)
        try:
            run_passes(program, passes, check=Verifier(values=True))
        except RunError:  # the evaluator stops: there is no value to compare
            run_passes(program, passes, check=Verifier())


LONG, SHORT, OTHER = (
    evaluate(relay.parse(text))
    for text in (
        '#[version = "0.0.5"]\ntype L { N, C(float32, L) }\ndef @main() { C(1f, C(2f, N)) }',
        '#[version = "0.0.5"]\ntype L { N, C(float32, L) }\ndef @main() { C(1f, N) }',
        '#[version = "0.0.5"]\ntype L { N, C(float32, L) }\ndef @main() { C(1f, C(3f, N)) }',
    )
)


def test_values_of_data_types_are_compared():
    assert difference(LONG, LONG) == 0
    assert difference(LONG, SHORT) == float("inf")
    assert difference(LONG, OTHER) == difference((LONG,), (OTHER,)) == 0.5
    assert difference((LONG, LONG), (LONG,)) == float("inf")
    one, other = np.array([2, 1 + 1j]), np.array([2, 1 + 2j])
    assert difference(one, other) == 0.5
    assert difference(one, other * np.nan) == float("inf")
    scalar: Any = np.float32(2)  # what operators without axes may return
    assert difference((scalar, LONG), (np.array(2, np.float32), LONG)) == 0


@pytest.mark.parametrize(
    ("expected", "found", "apart"),
    [
        ([1, 2], [np.nan, 99], np.inf),
        ([np.nan, 2], [1, 2], np.inf),
        ([np.nan, np.inf], [np.nan, np.inf], 0),
        ([np.inf, 2], [-np.inf, 2], np.inf),
        ([np.inf, 2], [1e30, 2], np.inf),
        ([np.inf, 2], [np.inf, 3], 0.5),
    ],
)
def test_nan_and_infinity_equal_only_themselves(expected: Any, found: Any, apart: float):
    one, other = (np.array(each, np.float32) for each in (expected, found))
    assert difference(one, other) == difference((one, one), (one, other)) == apart


def test_integers_and_truth_values_are_equal_unless_floats_are_rounded_to_them():
    one, other = (np.array([1_000_000, each]) for each in (1, 7))
    assert difference(one, other) == float("inf")
    assert difference(one, other, rounds=True) == 6e-6
    assert difference(one > 5, other > 5, rounds=True) == float("inf")
    texts = 'cast(%x * 2f, dtype="int32")', 'cast(argmax(%x), dtype="float32")', "%x > 1f"
    mains = (f'#[version = "0.0.5"]def @main(%x: Tensor[(2), float32]) {{ {t} }}' for t in texts)
    rounds = [rounds_to_integers(infer(relay.parse(each))) for each in mains]
    assert rounds == [True, True, False]


INDEPENDENT = {
    "a tuple": """(%x: Tensor[(4), float32], %i: Tensor[(4), int32]) {
        (cast(%x, dtype="int32"), %i * 100000) }""",
    "a function": """(%x: Tensor[(4), float32], %i: Tensor[(4), int32]) {
        let %f = fn (%a: Tensor[(4), float32], %b: Tensor[(4), int32]) {
          (cast(%a, dtype="int32"), %b * 100000) };
        let %t = %f(%x, %i);
        (floor(%x), %i * 100000 + cast(%t.1 > 3, dtype="int32")) }""",
}


@pytest.mark.parametrize(
    ("name", "found"), [("a tuple", (True, False)), ("a function", (False, True))]
)
def test_only_results_that_depend_on_a_rounding_may_differ(name: str, found: object):
    module = infer(relay.parse(f'#[version = "0.0.5"]\ndef @main{INDEPENDENT[name]}'))
    assert rounded_results(module) == found


@value
class Adds(Pass):
    """A pass that is wrong: it adds a number to the last element of the result."""

    more: float

    def transform(self, module: Module) -> Module:
        main = module.main
        ty = main.body.tensor_type
        more = np.array([*[0] * 3, self.more], ty.dtype.numpy)
        return module.with_function("main", replace(main, body=main.body + Constant(more), ty=None))


@pytest.mark.parametrize(
    ("more", "body"),
    [(np.nan, "(%x: Tensor[(4), float32]) { %x + %x }"),
     (1, "(%x: Tensor[(4), int32]) { %x + 10000000 }")],
)  # fmt: skip
def test_one_element_that_is_wrong_is_found(more: float, body: str):
    module = infer(relay.parse(f'#[version = "0.0.5"]def @main{body}'))
    with pytest.raises(CompileError, match=r"C041.*: the pass adds changed .* by up to inf") as at:
        run_passes(module, [Adds(more)], check=Verifier(values=True))
    assert any(re.match(r"element \[3\] was .* and is ", note) for note in at.value.notes)
    assert at.value.notes[-1].startswith("for the inputs %x = [")


@value
class Reshapes(Pass):
    """A pass that is wrong: it adds an axis to a result of main."""

    def transform(self, module: Module) -> Module:
        body = relay.reshape(module.main.body, [1, -1])
        return module.with_function("main", replace(module.main, body=body, ty=None))


def test_a_result_of_another_type_is_named():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { %x + %x }'
    message = r"C041.*changed the type of a result .* from float32\[4\] to float32\[1, 4\]"
    with pytest.raises(CompileError, match=message):
        run_passes(infer(relay.parse(text)), [Reshapes()], check=Verifier(values=True))


class Forgets(Pass):
    """A pass that is wrong: it leaves a parameter out."""

    def transform(self, module: Module) -> Module:
        main = module.main
        return module.with_functions({"main": replace(main, params=main.params[1:], ty=None)})


def test_the_entry_keeps_its_parameters():
    text = '#[version = "0.0.5"]\ndef @main(%x: float32, %y: float32) { %y }'
    before = infer(relay.parse(text))
    with pytest.raises(
        RelayError, match=r"C040.*: the pass forgets changed the parameters of @main"
    ):
        run_passes(before, [Forgets()], check=Verifier())


OPEN = {
    "names": "(%x: Tensor[(n, m), float32], %y: Tensor[(m), float32]) { nn.softmax(%x + %y) }",
    "unknown sizes that broadcast": """
        (%x: Tensor[(?, 3), float32], %y: Tensor[(?, ?), float32]) { %x * %y + %y }""",
    "names that have to be equal": """
        (%x: Tensor[(n, m), float32], %y: Tensor[(k), float32]) {
          nn.batch_norm(%x, %y, %y, %y, abs(%y)).0
        }""",
    "data tell a size": """
        (%x: Tensor[(n, m), float32]) { let %i = argwhere(%x); take(%i, 1, axis=1) + 2 }""",
    "a shape that is computed": """
        (%x: Tensor[(n, m), float32], %y: Tensor[(m, n), float32]) {
          exp(dyn.reshape(%x, shape_of(%y, dtype="int64"))) + %y
        }""",
}


def _open(name: str) -> Module:
    return infer(relay.parse(f'#[version = "0.0.5"]\ndef @main{OPEN[name]}'))


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("level", [0, 3])
def test_all_passes_keep_programs_with_open_sizes(name: str, level: int):
    run_passes(_open(name), pipeline(this_cpu(), PassContext(level)), check=Verifier(values=True))


class Negates(Pass):
    """A pass that is wrong: it negates the result."""

    def transform(self, module: Module) -> Module:
        main = module.main
        body = Call(Negative(), (main.body,))
        return module.with_functions({"main": replace(main, body=body)})


class TurnsSizes(Pass):
    """A pass that is wrong: it exchanges two sizes."""

    def transform(self, module: Module) -> Module:
        main = module.main
        body = Call(Reverse(0), (main.body,))
        return module.with_functions({"main": replace(main, body=body)})


def test_sizes_differ_so_that_passes_cannot_confuse_them():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(n, m), float32]) { shape_of(%x) }'
    with pytest.raises(RelayError, match=r"C041"):
        run_passes(infer(relay.parse(text)), [TurnsSizes()], check=Verifier(values=True))


def test_values_are_compared_only_on_request():
    """Without the request, it is not said either which values are not compared."""
    check = Verifier()
    run_passes(_open("names"), [ChangeBatch((("x", 0),), 2), Negates()], check=check)
    assert check.not_compared == {}


LARGE = """#[version = "0.0.5"]
def @step(%x: Tensor[(2, 3), float32], %n: int32) -> Tensor[(2, 3), float32] {
  if (%n == 0) { %x } else { @step(nn.relu(%x / 2f) + 1f, %n - 1) }
}
def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(3, 3), float32]) {
  let %y = nn.dense(@step(%x, 3), %w);
  (tanh(%y - exp(%x)) * 2f, nn.softmax(%y))
}
"""


@value
class TurnsDifferences(Pass):
    """A pass that is wrong: it exchanges the operands of differences of tensors."""

    def transform(self, module: Module) -> Module:
        def rule(expr: Expr) -> Expr:
            match expr:
                case Call(Subtract(), (a, b)) if a.tensor_type.rank:
                    return Call(Subtract(), (b, a))
                case _:
                    return expr

        main = cast("Function", rewrite(module.main, rule))
        return module.with_function("main", main)


@value
class Crashes(Pass):
    """A pass that is wrong: it fails for programs with a division."""

    def transform(self, module: Module) -> Module:
        if any(isinstance(e, Divide) for e in post_order(*module.functions.values())):
            raise ZeroDivisionError
        return module


@pytest.mark.parametrize("wrong", [TurnsDifferences(), Crashes()])
def test_a_small_program_shows_what_a_pass_does_wrong(wrong: Pass, tmp_path, monkeypatch):
    monkeypatch.setenv("RELAY_CACHE_DIR", str(tmp_path))
    module = infer(relay.parse(LARGE))
    passes = [ToGraphForm(), wrong, FoldConstants()]
    with pytest.raises(CompileError) as found:
        run_verified(module, passes)
    (written,) = (tmp_path / "failures").iterdir()
    assert found.value.notes[-1] == f"this small program reproduces the failure: {written}"
    small = infer(relay.parse(written.read_text(encoding="utf-8")))
    assert len(post_order(small.main)) <= 6
    with pytest.raises(CompileError) as again:
        run_passes(small, [wrong], check=Verifier(values=True))
    assert again.value.code == found.value.code


@value
class Misbuilds(Pass):
    """A pass that is wrong: it adds tensors of different sizes for programs with a division."""

    def transform(self, module: Module) -> Module:
        for each in post_order(*module.functions.values()):
            if isinstance(each, Call) and isinstance(each.op, Divide):
                Call(Add(), (each, Constant(np.ones((7, 7), np.float32))))
        return module


def test_an_error_that_a_pass_raises_names_it_and_a_small_program(tmp_path):
    path = tmp_path / "small.rly"
    with pytest.raises(RelayTypeError) as found:
        run_verified(infer(relay.parse(LARGE)), [Misbuilds()], path=path)
    assert found.value.notes[-2] == "misbuilds raised this error"
    text = path.read_text(encoding="utf-8")
    assert text.splitlines()[1].startswith("// smallest: ")
    assert len(post_order(infer(relay.parse(text)).main)) <= 5


class DropsParameter(Pass):
    """A pass that is wrong: it removes a parameter of a function, but no argument of its calls."""

    def transform(self, module: Module) -> Module:
        (kept, _) = module["step"].params
        less = replace(module["step"], params=(kept,), body=kept, ty=None)
        return module.with_function("step", less)


def test_a_program_that_cannot_be_evaluated_after_a_pass_is_a_wrong_value():
    text = "def @main(%x: int32) { @step(%x, 1) } def @step(%y: int32, %z: int32) { %y * %z }"
    with pytest.raises(CompileError, match=r"C041.*can no longer be evaluated: ValueError"):
        run_passes(
            infer(relay.parse(f'#[version = "0.0.5"]{text}')),
            [DropsParameter()],
            check=Verifier(values=True),
        )


@value
class Neglects(Pass):
    """A pass that is wrong: it drops writes to references, and clauses of a match but the first."""

    def transform(self, module: Module) -> Module:
        def rule(expr: Expr) -> Expr:
            match expr:
                case RefWrite():
                    return Tuple(())
                case Match(clauses=(first, _)):
                    return first.body
                case _:
                    return expr

        return module.with_function("main", cast("Function", rewrite(module.main, rule)))


LIST = "type List { Cons(int32, List), Nil }\n"
OPTION = "type Option[A] { Some(A), None }\n"


@pytest.mark.parametrize(
    "text",
    [
        "def @main(%r: ref(int32)) { ref_write(%r, ref_read(%r) + 1) }",
        "def @main(%r: (int32, ref(int32))) { ref_write(%r.1, %r.0 + 1) }",
        LIST + "def @main(%l: List) { match (%l) { Nil => { 7 }, Cons(%x, _) => { %x } } }",
        OPTION
        + "def @main(%l: Option[int32]) { match (%l) { None => { 7 }, Some(%x) => { %x } } }",
    ],
    ids=["reference", "reference in a tuple", "list", "generic data"],
)
def test_inputs_of_any_type_without_functions_are_generated(text: str):
    module = infer(relay.parse(f'#[version = "0.0.5"]{text}'))
    with pytest.raises(CompileError, match=r"C041.*: the pass neglects changed the results"):
        run_passes(module, [Neglects()], check=Verifier(values=True))


def test_references_among_the_inputs_are_those_of_one_evaluation():
    text = "def @main(%r: ref(int32)) { ref_write(%r, ref_read(%r) + 1) }"
    module = infer(relay.parse(f'#[version = "0.0.5"]{text}'))
    run_passes(module, [ToANormalForm(), ToGraphForm()], check=Verifier(values=True))


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("at", [0, -1], ids=["at first", "at last"])
def test_wrong_values_are_found_at_open_sizes(name: str, at: int):
    passes = [*pipeline(this_cpu(), PassContext(3))]
    passes.insert(at % (len(passes) + 1), Negates())
    with pytest.raises(RelayError, match=r"C041.*: the pass negates changed the results"):
        run_passes(_open(name), passes, check=Verifier(values=True))


PAIR = """#[version = "0.0.5"]
def @main(%x: int32) { let %r = ref(%x); let %s = ref(%x); (%r, %s) }"""


@value
class Joins(Pass):
    """A pass that is wrong: it uses the first of two references twice."""

    def transform(self, module: Module) -> Module:
        def rule(expr: Expr) -> Expr:
            match expr:
                case Tuple((first, Var())):
                    return Tuple((first, first))
                case _:
                    return expr

        return module.with_function("main", cast("Function", rewrite(module.main, rule)))


def test_it_is_compared_which_references_are_the_same():
    module = infer(relay.parse(PAIR))
    with pytest.raises(CompileError, match=r"C041.*: the pass joins changed the results"):
        run_passes(module, [Joins()], check=Verifier(values=True))
    run_passes(module, [ToANormalForm(), ToGraphForm()], check=Verifier(values=True))


def test_a_reference_in_itself_is_compared_with_an_end():
    one, other, leaf = Reference(()), Reference(()), Reference(())
    one.content, other.content = (one, leaf), (other, other)
    assert difference(one, one) == 0
    assert difference(one, other) == float("inf")


@value
class ReadsFirst(Pass):
    """A pass that is wrong: it replaces a match by the result of its clause."""

    def transform(self, module: Module) -> Module:
        def rule(expr: Expr) -> Expr:
            return expr.clauses[0].body if isinstance(expr, Match) else expr

        return module.with_function("main", cast("Function", rewrite(module.main, rule)))


NO_CLAUSE = """def @main() {
  let %x: Tensor[(?), float32] = zeros(shape=[3], dtype="float32");
  match? (None[int32]) { Some(_) => { %x + ones(shape=[7], dtype="float32") } }
}"""


def test_the_error_with_which_a_program_ends_is_compared():
    module = infer(relay.parse(f'#[version = "0.0.5"]\n{OPTION}{NO_CLAUSE}'))
    with pytest.raises(
        CompileError,
        match=r"C041.*: the program raises another error after the pass reads-first",
    ):
        run_passes(module, [ReadsFirst()], check=Verifier(values=True))


@value
class Loops(Pass):
    """A pass that is wrong: it never ends for programs with a division."""

    def transform(self, module: Module) -> Module:
        everything = post_order(*module.functions.values())
        while any(isinstance(e, Divide) for e in everything):
            pass
        return module


def test_a_pass_that_does_not_end_is_named_with_a_small_program(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce_failures, "QUICK", 0.05)
    path = tmp_path / "small.rly"
    with pytest.raises(CompileError, match=r"C044.*: the pass loops was stopped") as found:
        run_verified(infer(relay.parse(LARGE)), [Loops()], check=Verifier(seconds=1), path=path)
    assert found.value.notes[0].startswith("on this small program, the pass takes more than 0.05 s")
    small = infer(relay.parse(path.read_text(encoding="utf-8")))
    assert len(post_order(small.main)) <= 8


ENDS = '#[version = "0.0.5"] def @main(%x: int32) { @f(%x) } def @f(%x: int32) -> int32 { %x }'
ENDLESS = ENDS.replace("-> int32 { %x }", "-> int32 { @f(%x) }")


@value
class Replaces(Pass):
    """A pass that replaces the program by another one."""

    text: str

    def transform(self, module: Module) -> Module:
        return infer(relay.parse(self.text))


def test_a_program_that_does_not_end_after_a_pass_has_another_value():
    with pytest.raises(CompileError, match=r"C041.*returned a value before the pass") as found:
        run_passes(
            infer(relay.parse(ENDS)), [Replaces(ENDLESS)], check=Verifier(values=True, seconds=0.3)
        )
    assert found.value.notes[0].startswith(
        "the evaluation of the program was stopped: it takes more than "
    )


def test_a_program_that_does_not_end_is_not_compared():
    check = Verifier(values=True, seconds=0.1)
    run_passes(infer(relay.parse(ENDLESS)), [Replaces(ENDS), Replaces(ENDLESS)], check=check)


def test_a_function_that_the_entry_called_may_change():
    """No one else calls it: a pass changes it together with its calls."""
    after = ENDS.replace("{ @f(%x) }", "{ %x }").replace("-> int32 { %x }", "-> int32 { %x + 1 }")
    run_passes(infer(relay.parse(ENDS)), [Replaces(after)], check=Verifier(values=True))


LAYER = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) { nn.dense(%x, %w) }"""


@value
class Rounds(Pass):
    """A pass that rounds the result to half precision, and adds `more` to it."""

    more: float = 0.0
    results: bool = True

    @property
    def rounding(self) -> Rounding:
        return Rounding(float16, (float16,) if self.results else ())

    def transform(self, module: Module) -> Module:
        main = module.main
        body = Call(Cast(float16), (main.body + self.more,))
        return module.with_function("main", replace(main, body=body, result=None, ty=None))


WIDE = LAYER.replace("float32", "float64").replace("nn.dense(%x, %w)", "exp(nn.dense(%x, %w))")


@pytest.mark.parametrize("narrow", ["float16", "bfloat16"])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("text", [LAYER, WIDE, WIDE.replace("float64", "bfloat16")])
def test_mixed_precision_is_verified(narrow: str, keep: bool, text: str):
    """What is never narrow becomes float32, from any type."""
    passes = [ToMixedPrecision(dtype(narrow), keep), FoldConstants()]
    run_passes(infer(relay.parse(text)), passes, check=Verifier(values=True))


def test_a_pass_may_round_within_the_bound_of_its_type():
    module = infer(relay.parse(LAYER))
    run_passes(module, [Rounds()], check=Verifier(values=True))
    for wrong, what in (Rounds(more=0.5), "results"), (Rounds(results=False), "type of a result"):
        with pytest.raises(CompileError, match=f"C041.*: the pass rounds changed the {what}"):
            run_passes(module, [wrong], check=Verifier(values=True))


@value
class DropsSigns(Pass):
    """A pass that is wrong: it rewrites negative(x) to x."""

    def transform(self, module: Module) -> Module:
        def rule(expr: Expr) -> Expr:
            return expr.args[0] if isinstance(expr, Call) and expr.op == Negative() else expr

        found = {k: cast("Function", rewrite(f, rule)) for k, f in module.functions.items()}
        return module.with_functions(found)


@pytest.mark.parametrize("entry", ["", "def @main(%x: int32) { %x }"])
def test_functions_that_the_entry_does_not_reach_are_compared(entry: str):
    text = f'#[version = "0.0.5"]\ndef @lib(%x: int32) -> int32 {{ negative(%x) }} {entry}'
    with pytest.raises(CompileError, match=r"C041.*: the pass drops-signs changed the results"):
        run_passes(infer(relay.parse(text)), [DropsSigns()], check=Verifier(values=True))


def test_it_is_said_which_functions_are_not_compared():
    text = """#[version = "0.0.5"]
    def @generic[A](%x: A) -> A { %x }
    def @long(%x: int32) -> int32 { if (%x > 100000) { %x } else { @long(%x + 1) } }
    def @lib(%x: int32) -> int32 { %x }"""
    check = Verifier(values=True)
    with recorded() as remarks:
        run_passes(infer(relay.parse(text)), [ToANormalForm(), ToGraphForm()], check=check)
    assert check.not_compared == {
        "generic": "it has type parameters",
        "long": "its evaluation was stopped before its end",
    }
    said = [str(each) for each in remarks if isinstance(each, NotCompared)]
    assert said[0] == "the values of @generic were not compared: it has type parameters"
    assert len(said) == 2


@pytest.mark.parametrize(
    "main",
    [
        "(%x: int32) { fn (%y: int32) { %y * negative(%x) } }",
        "(%x: int32) { (%x, fn (%y: int32) { (%y, fn (%z: int32) { negative(%x) * %z }) }) }",
        "(%f: fn(int32) -> int32, %x: int32) { negative(%f(%x)) }",
        """(%f: fn(Tensor[(n), float32], bool) -> (Tensor[(n), float32], bool),
            %x: Tensor[(n), float32], %b: bool) { negative(%f(%x, %b).0) }""",
        "(%f: fn(float32) -> bool, %x: float32) { %f(negative(%x)) }",
        """(%f: fn((float32, bool)) -> (float32, float32), %x: float32) {
            %f((negative(%x), True)).1 }""",
        "(%t: (fn(float32) -> float32, float32)) { let %f = %t.0; %f(negative(%t.1)) }",
        """(%f: fn(L[float32]) -> L[float32], %x: float32) {
            %f(Cons(%x, Cons(negative(%x), Nil))) }""",
        """(%f: fn(float32) -> L[float32], %x: float32) {
            match (%f(negative(%x))) { Nil => { 0 }, Cons(_, _) => { 1 } } }""",
        """(%l: L[fn(float32) -> float32], %x: float32) {
            match (%l) { Cons(_, Cons(%f, _)) => { %f(negative(%x)) }, _ => { %x } } }""",
        """(%f: fn(fn(float32) -> float32) -> float32, %x: float32) {
            %f(fn (%y: float32) { %y * negative(%x) }) }""",
        "(%f: fn(ref(float32)) -> ref(int32), %x: float32) { ref_read(%f(ref(negative(%x)))) }",
    ],
    ids=[
        "a result",
        "results in tuples",
        "a parameter",
        "a parameter with open sizes",
        "a condition",
        "tuples",
        "a parameter in a tuple",
        "lists",
        "constructors",
        "parameters in a list",
        "a parameter of a parameter",
        "references",
    ],
)
def test_functions_among_parameters_and_results_are_compared(main: str):
    lists = "type L[A] { Nil, Cons(A, L[A]) }"
    module = infer(relay.parse(f'#[version = "0.0.5"]\n{lists}\ndef @main{main}'))
    check = Verifier(values=True)
    run_passes(module, [ToANormalForm(), ToGraphForm()], check=check)
    assert check.not_compared == {}
    with pytest.raises(CompileError, match=r"C041.*: the pass drops-signs changed the results"):
        run_passes(module, [DropsSigns()], check=Verifier(values=True))


@value
class Reread(Pass):
    """A pass that prints and parses the program, and replaces a part of the text in between."""

    old: str = ""
    new: str = ""

    def transform(self, module: Module) -> Module:
        return infer(relay.parse(module.astext().replace(self.old, self.new)))


GENERIC = """#[version = "0.0.5"]
type L[A] { C(A, L[A]), N }
type P { M((float32, float32)) }
def @first[A](%l: L[A], %else: A) -> A { match (%l) { C(%a, _) => %a, N => %else } }
def @main(%l: L[float32], %m: (L[L[int32]], int32), %p: P) {
  match (%p) { M((%a, %b)) => (@first(%l, %a) - %b, 1 - @first(@first(%m.0, N), %m.1)) }
}"""


@pytest.mark.parametrize("first", [[], [Monomorphize()], [Defunctionalize()]])
def test_parameters_of_data_types_are_compared_if_definitions_are_copied(first: list[Pass]):
    module, check = infer(relay.parse(GENERIC)), Verifier(values=True)
    run_passes(module, [*first, Reread(), ToANormalForm()], check=check)
    assert check.not_compared == {}
    for part in ("subtract(1, ", "add(1, "), ("subtract(%0, ", "add(%0, "):
        with pytest.raises(CompileError, match=r"C041.*: the pass reread changed the results"):
            run_passes(module, [*first, Reread(*part)], check=Verifier(values=True))


def test_the_pass_that_changes_the_types_of_parameters_is_named():
    text = "type P { M(float32, float32) }\ndef @main(%p: P) { %p }"
    module, check = infer(relay.parse(f'#[version = "0.0.5"]\n{text}')), Verifier(values=True)
    run_passes(module, [Reread("M(float32, ", "M(int32, ")], check=check)
    assert check.not_compared == {"main": "the pass reread changed the types of its parameters"}


def test_a_value_that_became_nan_differs():
    assert difference(np.ones(2), np.array([1, np.nan])) == float("inf")

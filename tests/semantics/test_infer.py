import pytest
from hypothesis import given
from strategies import modules

import relay
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, TupleType
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.errors import RelayError
from relay.text.parser import parse_module
from relay.text.printer import text_of


def typed(source: str) -> Module:
    return relay.parse('#[version = "0.0.5"]\n' + source)


@given(modules())
def test_what_is_typed_stays_the_same_object(module: Module):
    again = relay.parse(text_of(module))
    assert infer(again) is again
    check_well_formed(again)
    check_types(again)


@given(modules())
def test_types_found_are_those_that_constructors_computed(module: Module):
    found = infer(parse_module(text_of(module)))
    assert found.main.type == module.main.type


def test_weights_get_their_types_from_the_data():
    main = typed("""
    def @main(%x: Tensor[(1, 3, 8, 8), float32], %w, %b) {
      nn.bias_add(nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3]), %b)
    }""").main
    assert main.params[1].annotation is TensorType((4, 3, 3, 3))
    assert main.params[2].annotation is TensorType((4,))


def test_a_function_is_typed_by_its_use():
    main = typed("""
    def @main(%x: Tensor[(2), float32]) {
      let %twice = fn (%f, %v) { %f(%f(%v)) };
      let %pair = fn (%v) { (%v, %v) };
      (%twice(fn (%v) { exp(%v) }, %x), %pair(%x))
    }""").main
    x = TensorType((2,))
    assert main.body.type is TupleType((x, TupleType((x, x))))


def test_local_recursion_needs_no_annotation():
    main = typed("""
    def @main(%n: int32) {
      let %count = fn (%k) { if (%k <= 0) { 0 } else { %count(%k - 1) + 1 } };
      %count(%n)
    }""").main
    assert main.body.type is TensorType((), "int32")


def test_a_global_without_result_type_is_seen_through():
    module = typed("""
    def @main(%n: int32) { @f(%n) }
    def @f(%n: int32) { if (%n <= 0) { (%n, 1f) } else { @f(%n - 1) } }""")
    assert module.main.type == FuncType(
        (TensorType((), "int32"),), TupleType((TensorType((), "int32"), TensorType(())))
    )


def test_functions_that_call_each_other_find_their_results_together():
    """Each at a choice of its own, be it itself or another; no result type is written."""
    module = typed("""
    type Tree[A] { Leaf(A), Node(Forest[A]) }
    type Forest[A] { Empty, Trees(Tree[A], Forest[A]) }
    def @tree[A, B](%f: fn (A) -> B, %t: Tree[A]) {
      match (%t) { Leaf(%x) => Leaf(%f(%x)), Node(%ts) => Node(@forest(%f, %ts)) }
    }
    def @forest[A, B](%f: fn (A) -> B, %ts: Forest[A]) {
      match (%ts) { Empty => Empty, Trees(%t, %r) => Trees(@tree(%f, %t), @forest(%f, %r)) }
    }
    def @even[A](%n: int32, %x: A) { if (%n == 0) { (%x, 1) } else { @odd(%n - 1, %x) } }
    def @odd[A](%n: int32, %x: A) { if (%n == 0) { (%x, 2) } else { @even(%n - 1, %x) } }
    def @pairs[A](%n: int32, %x: A) { if (%n == 0) { 1 } else { @pairs(%n - 1, (%x, %x)) + 1 } }
    def @main(%t: Tree[int32]) {
      (@tree(fn (%x: int32) { %x < 1 }, %t), @even(1, True), @odd(1, (1f, 2)), @pairs(3, True))
    }""")
    expected = "(Tree[bool], (bool, int32), ((float32, int32), int32), int32)"
    assert text_of(module.main.body.type) == expected
    check_types(module)


def test_type_parameters_are_chosen_for_each_call():
    module = typed("""
    def @swap[A, B](%p: (A, B)) -> (B, A) { (%p.1, %p.0) }
    def @main(%x: int32, %y: float32) { (@swap((%x, %y)), @swap((%y, (%x, %x)))) }""")
    calls = [e for e in post_order(module.main) if isinstance(e, Call)]
    i, f = TensorType((), "int32"), TensorType(())
    assert {call.type_args for call in calls} == {(i, f), (f, TupleType((i, i)))}


def test_generic_functions_as_values_take_the_types_of_their_places():
    module = typed("""
    import "prelude.rly"
    def @main(%xs: List[int32]) {
      let %next: fn (int32) -> int32 = @id;
      (@map(Some, %xs), @foldr(Cons, Nil, %xs), %next(1))
    }""")
    assert repr(module.main.body.type) == "(List[Option[int32]], List[int32], int32)"
    check_types(module)


def test_calls_at_other_sizes_are_well_typed():
    module = typed("""
    def @same(%x: Tensor[(n), float32]) -> Tensor[(n), float32] { %x }
    def @beside[A](%a: A, %x: Tensor[(n), float32]) -> (A, Tensor[(n), float32]) { (%a, %x) }
    def @main(%x: Tensor[(5), float32]) { @beside(1, @same(%x)) }""")
    check_types(module)


def test_symbolic_sizes_of_a_function_are_chosen_for_each_call():
    module = typed("""
    def @double(%x: Tensor[(n, 4), float32]) { concatenate((%x, %x), axis=0) }
    def @main(%x: Tensor[(3, 4), float32]) { @double(@double(%x)) }
    def @other(%x: Tensor[(m, 4), float32]) { @double(%x) }""")
    assert module.main.body.type is TensorType((12, 4))
    assert str(module["other"].body.type) == "Tensor[(2 * m, 4), float32]"


def test_any_takes_every_size_and_branches_join_to_it():
    module = typed("""
    def @main(%x: Tensor[(?, 3), float32], %y: Tensor[(2, 3), float32], %c: bool) {
      let %f = fn (%v: Tensor[(?, 3), float32]) { exp(%v) };
      (if (%c) { %x } else { %y }, %f(%y))
    }""")
    result = module.main.body.type
    assert isinstance(result, TupleType)
    first, second = result.fields
    assert str(first) == str(second) == "Tensor[(?, 3), float32]"


def test_sizes_that_differ_join_in_branches_and_clauses():
    two, four = (f'ones(shape=[{n}, 3], dtype="float32")' for n in (2, 4))
    head = "def @main(%c: bool, %x: Tensor[(?, 3), float32]) "
    branches = typed(f"{head} {{ if (%c) {{ {two} }} else {{ {four} }} }}")
    assert str(branches.main.body.type) == "Tensor[(?, 3), float32]"
    clauses = "type T {{ A, B }} {} {{ let %t = A; match (%t) {{ A => {}, B => {} }} }}"
    for one in ("%x", two):
        joined = typed(clauses.format(head, one, four))
        assert str(joined.main.body.type) == "Tensor[(?, 3), float32]"


def test_names_of_sizes_inside_a_function_are_not_those_of_its_callers():
    module = typed("""
    def @inside(%x: Tensor[(?), float32]) { let %y: Tensor[(m), float32] = %x; (%y, %y + %y) }
    def @main(%x: Tensor[(m), float32]) { @inside(concatenate((%x, %x), axis=0)) }""")
    assert str(module.main.body.type) == "(Tensor[(?,), float32], Tensor[(?,), float32])"
    assert infer(module) is module


def test_data_types():
    module = typed("""
    type List[A] { Cons(A, List[A]), Nil, }
    def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
      match (%l) { Nil => Nil, Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)) }
    }
    def @main(%l: List[float32]) { @map(fn (%x) { %x < 0f }, %l) }""")
    assert text_of(module.main.body.type) == "List[bool]"
    assert structural_equal(relay.parse(text_of(module)), module)


def test_many_bindings():
    x = Var("x", TensorType((2,)))
    names = [Var("v") for _ in range(3_000)]
    body: Expr = names[-1]
    for var, before in zip(reversed(names), [*reversed(names[:-1]), x], strict=True):
        body = Let(var, Call(OPERATORS["exp"](), (before,)), body)
    module = infer(Module.of(Function((x,), body)))
    assert module.main.body.type is TensorType((2,))
    check_well_formed(module)


def test_many_operators_after_an_unknown_argument():
    x = y = Var("x")
    for _ in range(5_000):
        y = Call(OPERATORS["exp"](), (y,))
    z = Var("z", TensorType((2,)))
    call = Call(Function((x,), y), (z,))
    assert infer(Module.of(Function((z,), call))).main.body.type is TensorType((2,))


def test_a_type_that_grows_too_deep_is_refused_where_it_does():
    steps = "".join(f"let %f{i + 1} = fn [A](%x: A) {{ %f{i}(%f{i}(%x)) }};" for i in range(12))
    text = "let %f0 = fn [A](%x: A) { (%x, %x) };" + steps + "%f12(1)"
    with pytest.raises(RelayError, match="T040") as caught:
        relay.parse(f'#[version = "0.0.5"]\ndef @main() {{ {text} }}')
    assert caught.value.span is not None


@pytest.mark.parametrize(
    ("head", "body", "found"),
    [
        ("%x", "exp(%x)", "Tensor[(2, 3), float32]"),
        ("%x", "let %y = nn.softmax(%x); nn.relu(%y)", "Tensor[(2, 3), float32]"),
        ("%x, %b", "nn.bias_add(%x, %b)", "Tensor[(2, 3), float32]"),
        ("%x, %c: bool", "if (%c) { exp(%x) } else { tanh(%x) }", "Tensor[(2, 3), float32]"),
    ],
)
def test_the_type_of_a_result_tells_that_of_the_operand(head: str, body: str, found: str):
    main = typed(f"def @main({head}) -> Tensor[(2, 3), float32] {{ {body} }}").main
    assert repr(main.params[0].type) == found


def test_a_result_does_not_tell_operands_of_other_types():
    with pytest.raises(RelayError, match="T024"):
        typed("def @main(%x) -> Tensor[(2), bool] { isnan(%x) }")
    with pytest.raises(RelayError, match="T102"):
        typed("def @main(%x) -> Tensor[(2), int32] { exp(%x) }")


ROWS = [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]


@pytest.mark.parametrize("cls", [cls for cls in ROWS if cls.keeps_type])
def test_operators_that_keep_the_type_of_their_first_operand(cls: type[OperatorDef]):
    for example in cls.examples:
        op = cls(**example.attributes)
        assert op.result_type(example.types) is example.types[0]

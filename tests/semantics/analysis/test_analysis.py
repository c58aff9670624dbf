"""Analyses, against counts by hand."""

from collections.abc import Callable
from typing import Any

import pytest

import relay
from relay import analysis
from relay.ir.expr import (
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate
from relay.ir.types import FuncType, TensorType, TupleType, TypeVar
from relay.ir.walk import post_order
from relay.opdef.table import OPERATORS
from relay.semantics.exhaustiveness import pattern_text
from relay.semantics.infer import infer
from relay.support.errors import RelayError, TypeWarning
from relay.support.node import replace

A, B = TypeVar("A"), TypeVar("B")
X = TensorType((2,))


def parse(source: str) -> Module:
    return relay.parse('#[version = "0.0.5"]\n' + source)


def find(module: Module, kind: type[Expr]) -> Expr:
    return next(e for f in module.functions.values() for e in post_order(f) if isinstance(e, kind))


def test_variables_by_first_appearance():
    x, y, z = Var("x", X), Var("y", X), Var("z", X)
    expr = Let(y, x, Tuple((z, y)))
    assert analysis.all_vars(expr) == [y, x, z]
    assert analysis.free_vars(expr) == [x, z]
    assert analysis.bound_vars(expr) == [y]
    assert analysis.bound_vars(Function((x,), x)) == [x]


def test_type_variables():
    x = Var("x", TupleType((A, FuncType((B,), A, (B,)))))
    assert analysis.all_type_vars(Function((x,), x)) == [A, B]
    assert analysis.free_type_vars(Function((x,), x)) == [A]
    assert analysis.free_type_vars(Function((x,), x, type_params=(A,))) == []
    assert analysis.bound_type_vars(Function((x,), x, type_params=(A,))) == [A, B]
    assert analysis.free_type_vars(FuncType((A,), B, (B,))) == [A]


def test_element_types_are_those_of_every_value():
    module = parse('def @main(%x: Tensor[(2), float32]) { cast(%x > 0f, dtype="int8") }')
    assert analysis.all_dtypes(module) == {"float32", "bool", "int8"}
    assert analysis.all_dtypes(module.main.params[0]) == {"float32"}


CALLS = parse("""
def @main(%n: int32) -> int32 { @even(%n) + @leaf(%n) + @leaf(%n) }
def @even(%n: int32) -> int32 { if (%n == 0) { 1 } else { @odd(%n - 1) } }
def @odd(%n: int32) -> int32 { if (%n == 0) { 0 } else { @even(%n - 1) } }
def @leaf(%n: int32) -> int32 { %n }
def @alone(%n: int32) -> int32 { %n }""")


def test_the_call_graph():
    graph = analysis.CallGraph(CALLS)
    assert graph["main"] == {"even": 1, "leaf": 2}
    assert graph["leaf"] == {}
    assert [n for n in CALLS.functions if graph.is_recursive(n)] == ["even", "odd"]
    assert {n: graph.ref_count(n) for n in CALLS.functions} == {
        "main": 0,
        "even": 2,
        "odd": 1,
        "leaf": 2,
        "alone": 0,
    }
    assert graph.global_call_count("main") == 3
    assert graph.reachable("main") == ["even", "odd", "leaf"]
    assert graph.print_var("main").splitlines() == [
        "@main, used 0×",
        "  calls @even 1×",
        "  calls @leaf 2×",
    ]
    with pytest.raises(RelayError, match="U001"):
        graph["nobody"]


def test_well_formed():
    x, y = Var("x", X), Var("y", X)
    assert analysis.well_formed(CALLS)
    assert analysis.well_formed(Tuple((x, y)))
    assert not analysis.well_formed(Tuple((Let(y, x, y), y)))
    assert not analysis.well_formed(Function((x,), Let(x, x, x)))


def test_an_expression_alone_may_name_functions_and_type_parameters():
    module = infer(parse("def @f[A](%x: A) -> A { %x } def @main(%x: int32) { @f(%x) }"))
    assert analysis.well_formed(module)
    assert analysis.well_formed(module["main"])
    assert analysis.well_formed(module["f"].body)
    assert analysis.well_formed(GlobalVar("g"))


def test_cases_of_a_match():
    with pytest.warns(TypeWarning):
        module = parse("""
        type Colour { Red, Green, Blue, }
        def @main(%c: Colour) { match? (%c) { Red => 0, Green => 1, Red => 2, } }""")
    match = find(module, Match)
    assert isinstance(match, Match)
    assert [pattern_text(p) for p in analysis.unmatched_cases(match, module)] == ["Blue"]
    assert analysis.redundant_clauses(match, module) == [2]
    one = replace(match, clauses=match.clauses[:1])
    assert len(analysis.unmatched_cases(one, module)) == 2


NET = parse("""
def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32],
          %d: Tensor[(10, 144), float32]) {
  let %c = nn.relu(nn.conv2d(%x, %w));
  let %f = nn.dense(nn.batch_flatten(%c), %d);
  (@twice(%f), %f)
}
def @twice(%x: Tensor[(1, 10), float32]) { %x + %x * 2f }""")


def test_work_is_counted_by_hand():
    work = analysis.work_by_operator(NET)
    conv = work["nn.conv2d"]
    assert (conv.calls, conv.flops) == (1, 2 * 4 * 6 * 6 * 27)
    assert conv.bytes == 4 * (3 * 64 + 4 * 27 + 4 * 36)
    assert (work["nn.dense"].flops, work["add"].flops) == (2 * 144 * 10, 10)
    assert analysis.get_total_mac_number(NET) == 4 * 36 * 27 + 144 * 10
    assert analysis.list_op_freqs(NET)["nn.relu"] == 1
    assert analysis.count_layers(NET.main) == 2
    assert analysis.count_layers(NET.main, ("nn.relu",)) == 1
    held = analysis.parameters(NET)
    assert (held.constants, held.numbers, held.bytes) == (1, 1, 4)


def test_what_has_no_size_yet_counts_as_a_call():
    module = parse("def @main(%x: Tensor[(n, 4), float32]) { exp(%x) }")
    work = analysis.work_by_operator(module)["exp"]
    assert (work.calls, work.flops, work.bytes) == (1, 0, 0)


def test_features():
    def names(program: Expr | Module) -> set[str]:
        return {each.name for each in analysis.detect_feature(program)}

    x, c = Var("x", X), Var("c", TensorType((), "bool"))
    y = Call(OPERATORS["exp"](), (x,))
    assert names(Tuple((y, y))) == {"fTuple", "fCall", "fOp", "fVar", "fGraph"}
    assert names(If(c, RefCreate(x), RefCreate(x))) == {"fIf", "fVar", "fRefCreate"}
    assert "fLetRec" not in names(Let(x, y, x))
    recursive = parse("""
    def @main(%n: int32) {
      let %f = fn (%k: int32) -> int32 { if (%k <= 0) { 0 } else { %f(%k - 1) } };
      %f(%n)
    }""")
    assert {"fLetRec", "fLet", "fFunction"} <= names(recursive)
    fused = Function((x,), y, attrs={"Primitive": 1})
    assert names(Function((), Call(fused, (x,)))) == {"fFunction", "fCall", "fVar"}


def test_every_node_is_visited_once():
    seen: list[Expr] = []
    analysis.post_order_visit(NET.main, seen.append)
    assert len(set(map(id, seen))) == len(seen) == len(post_order(NET.main))


def test_an_intermediate_value_is_a_program():
    module = parse(
        """def @main(%x: Tensor[(2), float32]) {
          let %y = tanh(%x);
          let %z = exp(%y);
          (%y, %z).1
        }"""
    )
    second = analysis.extract_intermdeiate_expr(module, 1)
    assert [param.name for param in second.main.params] == ["y"]
    assert analysis.list_op_freqs(second) == {"exp": 1}
    with pytest.raises(RelayError, match="U076"):
        analysis.extract_intermdeiate_expr(module, 4)


def test_operators_between_dequantisation_and_quantisation():
    module = parse(
        """def @main(%x: Tensor[(2, 4), int8], %y: Tensor[(2, 4), float32]) {
          %0 = qnn.dequantize(%x, 0.5f, 0);
          %1 = concatenate((nn.relu(%0), nn.relu(%0) + 1f));
          %2 = qnn.quantize(%0 + %y, 0.5f, 0);
          (qnn.quantize(%1, 0.5f, 0), qnn.quantize(tanh(%y), 0.5f, 0), exp(%0), %2)
        }"""
    )
    assert analysis.list_fake_quantized_op_freqs(module) == {
        "nn.relu": 2, "add": 1, "concatenate": 1
    }  # fmt: skip
    assert analysis.extract_fake_quantized_ops is analysis.list_fake_quantized_op_freqs
    assert analysis.extract_operators is analysis.list_op_freqs


def test_arguments_of_the_wrong_type_are_refused():
    module = parse("def @main(%x: Tensor[(2), float32]) { exp(%x) }")
    wrong: list[Callable[[Any], object]] = [
        lambda each: analysis.extract_intermdeiate_expr(module, each),
        lambda each: analysis.post_order_visit(module.main, each),
        analysis.unmatched_cases,
        lambda each: analysis.redundant_clauses(each, module),
    ]
    for call in wrong:
        with pytest.raises(RelayError, match="T007"):
            call("a")
    neither: Any = 3
    for call in (
        lambda: analysis.extract_intermdeiate_expr(neither, 0),
        lambda: analysis.check_kind(relay.TensorType((), "float32"), neither),
    ):
        with pytest.raises(RelayError, match="U003"):
            call()
    with pytest.raises(RelayError, match="T007"):
        analysis.count_layers(module, neither)

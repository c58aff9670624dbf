"""Which regions have a form for calls that are given what depends on a number alone."""

from typing import Any

import numpy as np

import relay
from relay.build.pipeline import BATCH
from relay.ir.module import Module
from relay.runtime import Data
from relay.semantics.infer import infer
from relay.transform.batched_region_records import region_of
from relay.transform.bind_parameters import bind_parameters
from relay.transform.inline import Inline
from relay.transform.monomorphize import Monomorphize
from relay.transform.specialize_for_weights import SpecializeForWeights

V = "Tensor[(8), float32]"
WEIGHTS = "%e: Tensor[(10, 8), float32], %u: Tensor[(8, 8), float32]"
PAIR = "Tensor[(2, 8), float32]"
HEAD = f"""#[version = "0.0.5"]
type List[A] {{ Cons(A, List[A]), Nil }}
def @step(%i: int32, %h: {V}, {WEIGHTS}) -> {V} {{
  tanh(add(take(%e, %i, axis=0, mode="raise"), nn.dense(%h, %u)))
}}
"""


def batched(text: str) -> Module:
    weights = {"e": np.ones((10, 8), np.float32), "u": np.ones((8, 8), np.float32)}
    module = bind_parameters(infer(relay.parse(HEAD + text)), weights)
    for each in (Monomorphize(), SpecializeForWeights(), Inline(), *(step for _, step in BATCH)):
        module = each(module)
    return module


def forms(module: Module) -> dict[str, list[str]]:
    """Return the types that each region with such a form takes, and those that its form takes."""
    found: dict[str, list[str]] = {}
    for name, function in module.functions.items():
        region = region_of(function)
        if region is not None and region.behind is not None:
            form = region_of(module[region.behind.form])
            assert form is not None
            assert form.many in module.functions
            for each in (name, region.behind.form):
                found[each] = [repr(param.type) for param in module[each].params]
    return found


def test_a_region_that_multiplies_a_row_takes_its_number():
    found = forms(
        batched(f"""
def @run(%l: List[int32], %h: {V}, {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => %h,
    Cons(%i, %rest) => @run(%rest, @step(%i, %h, %e, %u), %e, %u)
  }}
}}
def @main(%l: List[int32], {WEIGHTS}) -> {V} {{
  @run(%l, zeros(shape=[8], dtype="float32"), %e, %u)
}}
""")
    )
    (region, form) = found.values()
    assert sorted(region) == ["Tensor[(8,), float32]", "int32"]
    assert form == ["int32", "int32"]


def test_a_row_that_a_float_selects_has_no_number():
    found = batched(f"""
def @run(%l: List[float32], %h: {V}, {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => %h,
    Cons(%i, %rest) => @run(%rest, @step(cast(%i, dtype="int32"), %h, %e, %u), %e, %u)
  }}
}}
def @main(%l: List[float32], {WEIGHTS}) -> {V} {{
  @run(%l, zeros(shape=[8], dtype="float32"), %e, %u)
}}
""")
    assert any(region_of(each) is not None for each in found.functions.values())
    assert not forms(found)


def test_a_region_that_only_adds_rows_has_no_such_form():
    assert not forms(
        batched(f"""
def @sum(%l: List[int32], {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => zeros(shape=[8], dtype="float32"),
    Cons(%i, %rest) => {{
      let %h = @step(%i, zeros(shape=[8], dtype="float32"), %e, %u);
      add(%h, @sum(%rest, %e, %u))
    }}
  }}
}}
def @main(%l: List[int32], {WEIGHTS}) -> {V} {{ @sum(%l, %e, %u) }}
""")
    )


def test_rows_that_more_than_a_number_tells_have_no_such_form():
    """A state that begins with an input is not a row of a table."""
    assert not forms(
        batched(f"""
def @run(%l: List[int32], %h: {V}, {WEIGHTS}) -> {V} {{
  match (%l) {{
    Nil => %h,
    Cons(%i, %rest) => @run(%rest, @step(%i, %h, %e, %u), %e, %u)
  }}
}}
def @main(%l: List[int32], %h: {V}, {WEIGHTS}) -> {V} {{ @run(%l, %h, %e, %u) }}
""")
    )


def test_what_has_no_form_for_what_is_alike_is_computed_all_the_same():
    """A column of a matrix is chosen by each call: there is no form where all have one matrix."""
    text = f"""
def @pair(%i: int32, %h: {PAIR}, %c: {PAIR}, {WEIGHTS}) -> ({PAIR}, {PAIR}) {{
  let %d = nn.dense(%h, %u);
  let %column = expand_dims(take(%c, %i, axis=1), axis=1);
  (tanh(add(take(%e, %i, axis=0), add(%d, %column))), %d)
}}
def @run(%l: List[int32], %h: {PAIR}, %c: {PAIR}, {WEIGHTS}) -> {PAIR} {{
  match (%l) {{
    Nil => %h,
    Cons(%i, %rest) => {{
      let %p = @pair(%i, %h, %c, %e, %u);
      @run(%rest, %p.0, %p.1, %e, %u)
    }}
  }}
}}
def @main(%l: List[int32], {WEIGHTS}) -> {PAIR} {{
  @run(%l, zeros(shape=[2, 8], dtype="float32"), zeros(shape=[2, 8], dtype="float32"), %e, %u)
}}
"""
    e, u = (np.random.default_rng(n).standard_normal((8, 8)).astype(np.float32) / 3 for n in (1, 2))
    module = infer(relay.parse((HEAD + text).replace("(10, 8)", "(8, 8)")))
    network: Any = relay.compile(bind_parameters(module, {"e": e, "u": u}), threads=1, batch=True)
    sequences = [[3], [], [1, 7, 0], [5, 5], [0, 2, 6, 4]]
    for found, sequence in zip(
        network.each([list_of(s) for s in sequences]), sequences, strict=True
    ):
        h = c = np.zeros((2, 8), np.float32)
        for i in sequence:
            product = h @ u.T
            h, c = np.tanh(e[i] + product + c[:, i : i + 1]), product
        np.testing.assert_allclose(found, h, rtol=1e-4, atol=1e-5)


def list_of(numbers: list[int]) -> Data:
    found = Data("Nil")
    for number in reversed(numbers):
        found = Data("Cons", (np.int32(number), found))
    return found


SUMS = f"""
type Rose {{ Node(int32, List[Rose]) }}
def @node(%t: Rose, {WEIGHTS}) -> ({V}, {V}) {{
  match (%t) {{
    Node(%i, %children) => {{
      let %s = @sum(%children, %i, %e, %u);
      let %h = @step(%i, %s.0, %e, %u);
      (%h, add(%h, %s.1))
    }}
  }}
}}
def @sum(%l: List[Rose], %i: int32, {WEIGHTS}) -> ({V}, {V}) {{
  match (%l) {{
    Nil => (zeros(shape=[8], dtype="float32"), zeros(shape=[8], dtype="float32")),
    Cons(%t, %rest) => {{
      let %n = @node(%t, %e, %u);
      let %s = @sum(%rest, %i, %e, %u);
      let %x = add(take(%e, %i, axis=0, mode="raise"), nn.dense(%n.0, %u));
      (add(%n.0, %s.0), add(tanh(%x), add(%n.1, %s.1)))
    }}
  }}
}}
def @main(%t: Rose, {WEIGHTS}) -> {V} {{ @node(%t, %e, %u).0 }}
"""


def test_a_sum_that_begins_with_zeros_is_a_row_of_its_one_leaf():
    """Who multiplies the state of an only child looks that up, where it is a leaf."""
    module = batched(SUMS)
    found = forms(module)
    records = [region for name in found if (region := region_of(module[name])) is not None]
    forms_of_regions = [region.behind.form for region in records if region.behind is not None]
    assert len(forms_of_regions) == 2
    (part,) = [
        region
        for name in forms_of_regions
        if (region := region_of(module[name])) is not None and region.given
    ]
    assert part.given == (0,)  # the other result depends on the word of the parent, too


def test_results_in_part_are_right_for_every_number_of_children():
    e, u = (np.random.default_rng(n).standard_normal((k, 8)) / 3 for n, k in ((1, 10), (2, 8)))
    weights = {"e": e.astype(np.float32), "u": u.astype(np.float32)}
    module = bind_parameters(infer(relay.parse(HEAD + SUMS)), weights)
    network: Any = relay.compile(module, threads=1, batch=True)
    choices = np.random.default_rng(4)

    def tree(depth: int) -> Data:
        count = 0 if depth == 0 else int(choices.integers(0, 4))
        children = Data("Nil")
        for _ in range(count):
            children = Data("Cons", (tree(depth - 1), children))
        return Data("Node", (np.int32(choices.integers(0, 10)), children))

    def node(given: Data) -> tuple[np.ndarray, np.ndarray]:
        i, children = given.fields
        sums = total(children, i)
        h = np.tanh(e[i] + sums[0] @ u.T)
        return h, h + sums[1]

    def total(children: Data, i: np.int32) -> tuple[np.ndarray, np.ndarray]:
        if not children.fields:
            return np.zeros(8), np.zeros(8)
        (h, c), (s, k) = node(children.fields[0]), total(children.fields[1], i)
        return h + s, np.tanh(e[i] + h @ u.T) + c + k

    trees = [tree(n % 5) for n in range(60)]
    for found, given in zip(network.each(trees), trees, strict=True):
        np.testing.assert_allclose(found, node(given)[0], rtol=1e-4, atol=1e-5)

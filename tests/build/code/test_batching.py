"""Programs whose calls wait for one another, against NumPy."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime import Data, Executable
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RunError
from relay.transform.bind_parameters import bind_parameters
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.executors import agrees, outcome, static
from tools.fuzzing.programs.partial import without_clauses

HEAD = '#[version = "0.0.5"]\n'
RANDOM = np.random.default_rng(11)
TYPES = """
type List[A] { Cons(A, List[A]), Nil }
type Rose { Node(Tensor[(6), float32], List[Rose]) }
"""
V = "Tensor[(8), float32]"
TREE = f"""{TYPES}
def @node(%t: Rose, %w: Tensor[(8, 6), float32], %u: Tensor[(8, 8), float32]) -> {V} {{
  match (%t) {{
    Node(%x, %children) => tanh(add(nn.dense(%x, %w), nn.dense(@sum(%children, %w, %u), %u)))
  }}
}}
def @sum(%l: List[Rose], %w: Tensor[(8, 6), float32], %u: Tensor[(8, 8), float32]) -> {V} {{
  match (%l) {{
    Cons(%t, %rest) => add(@node(%t, %w, %u), @sum(%rest, %w, %u)),
    Nil => zeros(shape=[8], dtype="float32")
  }}
}}
def @main(%t: Rose, %w: Tensor[(8, 6), float32], %u: Tensor[(8, 8), float32]) -> {V} {{
  @node(%t, %w, %u)
}}
"""
W, U = (RANDOM.standard_normal((8, size)).astype(np.float32) / 3 for size in (6, 8))


def list_of(items: list[Any]) -> Data:
    found = Data("Nil")
    for item in reversed(items):
        found = Data("Cons", (item, found))
    return found


def items(found: Data) -> list[Any]:
    values: list[Any] = []
    while found.fields:
        values.append(found.fields[0])
        found = found.fields[1]
    return values


def node(children: list[Any]) -> Data:
    return Data("Node", (RANDOM.standard_normal(6).astype(np.float32), list_of(children)))


def random_tree(size: int) -> Data:
    """Return a tree of `size` nodes, each below one of those before it."""
    below: list[list[int]] = [[] for _ in range(size)]
    for child in range(1, size):
        below[RANDOM.integers(max(0, child - 8), child)].append(child)
    built: list[Any] = [None] * size
    for index in reversed(range(size)):
        built[index] = node([built[child] for child in below[index]])
    return built[0]


def state(tree: Data) -> np.ndarray:
    """Return what the network says of a tree, node by node from the leaves."""
    order, stack = [], [tree]
    while stack:
        order.append(stack.pop())
        stack.extend(items(order[-1].fields[1]))
    known: dict[int, np.ndarray] = {}
    for each in reversed(order):
        total = sum((known[id(child)] for child in items(each.fields[1])), np.zeros(8, np.float32))
        known[id(each)] = np.tanh(W @ each.fields[0] + U @ total)
    return known[id(tree)]


def compiled(text: str) -> Any:
    return relay.compile(relay.parse(HEAD + text), threads=1, batch=True)


def live_blocks(executable: Any) -> int:
    """Return how many heap blocks the last call left: the fourth word of its context."""
    (frame,) = executable._frames._free
    return ctypes.c_int64.from_address(frame.arena + 24).value


@pytest.fixture(scope="module")
def network() -> Any:
    return compiled(TREE)


@pytest.mark.parametrize("size", [1, 2, 3, 17, 100, 1000])
def test_trees_of_all_sizes(network: Any, size: int):
    tree = random_tree(size)
    for _ in range(2):
        np.testing.assert_allclose(network(tree, W, U), state(tree), rtol=1e-4, atol=1e-5)
    assert live_blocks(network) == 2  # a list of one result, and its vector


def test_a_chain_as_deep_as_memory_allows(network: Any):
    chain = node([])
    for _ in range(10_000):
        chain = node([chain])
    np.testing.assert_allclose(network(chain, W, U), state(chain), rtol=1e-3, atol=1e-4)


def test_a_node_with_very_many_children(network: Any):
    wide = node([node([]) for _ in range(5_000)])
    np.testing.assert_allclose(network(wide, W, U), state(wide), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("count", [0, 1, 70])
def test_many_trees_share_their_levels(network: Any, count: int):
    trees = [random_tree(int(RANDOM.integers(1, 30))) for _ in range(count)]
    found = network.each(trees, W, U)
    assert len(found) == count
    for each, tree in zip(found, trees, strict=True):
        np.testing.assert_allclose(each, state(tree), rtol=1e-4, atol=1e-5)
    assert count <= live_blocks(network) <= 2 * count  # a list of results, and what they lie in


def test_a_list_of_trees_is_an_input_like_others():
    network = compiled(
        TREE[: TREE.index("def @main")]
        + f"""
def @main(%l: List[Rose], %w: Tensor[(8, 6), float32], %u: Tensor[(8, 8), float32]) -> List[{V}] {{
  match (%l) {{
    Cons(%t, %rest) => Cons(@node(%t, %w, %u), @main(%rest, %w, %u)),
    Nil => Nil
  }}
}}
"""
    )
    trees = [random_tree(int(RANDOM.integers(1, 30))) for _ in range(20)]
    for each, tree in zip(items(network(list_of(trees), W, U)), trees, strict=True):
        np.testing.assert_allclose(each, state(tree), rtol=1e-4, atol=1e-5)


def test_each_of_many_inputs_with_several_parts_and_a_number_as_result(tmp_path: Path):
    network = compiled(
        TREE[: TREE.index("def @main")]
        + """
def @main(%a: Rose, %w: Tensor[(8, 6), float32], %b: Rose, %u: Tensor[(8, 8), float32]) -> float32 {
  sum(multiply(@node(%a, %w, %u), @node(%b, %w, %u)))
}
"""
    )
    pairs = [(random_tree(7), random_tree(12)) for _ in range(9)]
    expected = [state(a) @ state(b) for a, b in pairs]
    np.testing.assert_allclose(network.each(pairs, W, U), expected, rtol=1e-4)
    np.testing.assert_allclose(network.each(pairs, u=U, w=W), expected, rtol=1e-4)
    first, second = pairs[0]
    np.testing.assert_allclose(network(first, W, second, u=U), expected[0], rtol=1e-4)
    network.save(tmp_path / "m.relay")
    loaded: Any = Executable.load(tmp_path / "m.relay")
    np.testing.assert_allclose(loaded.each(pairs, W, U), expected, rtol=1e-4)
    with pytest.raises(RunError) as caught:
        network.each(pairs, W)
    assert caught.value.code == "R001"


def test_lists_and_options_are_those_of_python_one_by_one_too():
    network = compiled("""import "prelude.rly"
def @total(%xs: List[float32]) -> float32 {
  match (%xs) { Cons(%x, %rest) => %x + @total(%rest), Nil => 0f }
}
def @main(%xs: List[float32], %y: Option[float32]) -> float32 {
  match (%y) { Some(%v) => %v + @total(%xs), None => @total(%xs) }
}
""")
    assert network([1, 2], None) == 3
    assert network.each([([1, 2], None), ([], 4)]) == [3, 4]
    for wrong in (None, 5, [None], [([1],)], [(3, None)]):
        with pytest.raises(RunError, match="R051"):
            network.each(wrong)
    with pytest.raises(RunError, match="R003"):
        network.each([([1], "a")])


def test_sequences_of_different_length_by_functions_that_are_passed():
    network = compiled(f"""{TYPES}
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {{
  match (%l) {{ Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)), Nil => Nil }}
}}
def @foldl[A, B](%f: fn (A, B) -> A, %a: A, %l: List[B]) -> A {{
  match (%l) {{ Cons(%x, %rest) => @foldl(%f, %f(%a, %x), %rest), Nil => %a }}
}}
def @main(%l: List[List[Tensor[(6), float32]]], %w: Tensor[(8, 6), float32],
          %u: Tensor[(8, 8), float32]) -> List[{V}] {{
  let %step = fn (%h: {V}, %x: Tensor[(6), float32]) -> {V} {{
    tanh(add(nn.dense(%x, %w), nn.dense(%h, %u)))
  }};
  @map(fn (%xs: List[Tensor[(6), float32]]) -> {V} {{
    @foldl(%step, zeros(shape=[8], dtype="float32"), %xs)
  }}, %l)
}}
""")
    sequences = [RANDOM.standard_normal((n, 6)).astype(np.float32) for n in (3, 0, 11, 1, 40)]
    found = items(network(list_of([list_of(list(each)) for each in sequences]), W, U))
    for each, sequence in zip(found, sequences, strict=True):
        h = np.zeros(8, np.float32)
        for x in sequence:
            h = np.tanh(W @ x + U @ h)
        np.testing.assert_allclose(each, h, rtol=1e-4, atol=1e-5)


def test_a_number_that_decides_is_waited_for():
    text = f"""{TYPES}
def @norm(%l: List[{V}], %x: {V}) -> {V} {{
  match (%l) {{
    Nil => %x,
    Cons(%y, %rest) => {{
      let %z = tanh(add(%x, %y));
      if (sum(%z) > 0f) {{ @norm(%rest, exp(%z)) }} else {{ @norm(%rest, multiply(%z, %y)) }}
    }}
  }}
}}
def @main(%l: List[{V}], %x: {V}) -> {V} {{ @norm(%l, %x) }}
"""
    rows = [RANDOM.standard_normal(8).astype(np.float32) for _ in range(30)]
    expected = rows[0]
    for row in rows:
        z = np.tanh(expected + row)
        expected = np.exp(z) if z.sum() > 0 else z * row
    np.testing.assert_allclose(compiled(text)(list_of(rows), rows[0]), expected, rtol=1e-4)


@pytest.mark.parametrize("first", range(100, 118, 6))
def test_random_programs_mean_and_stop_the_same(first: int):
    for number in range(first, first + 6):
        choices = RandomChoices(number)
        program = random_program(choices, 16)
        for each in (program, without_clauses(program, choices)):
            module = static(infer(each.module), each.inputs)
            executable = relay.compile(module, threads=1, batch=True)
            found = outcome(lambda run=executable, given=each.inputs: run(*given))
            assert agrees(found, outcome(lambda m=module, given=each.inputs: evaluate(m, *given)))


def test_what_stands_behind_the_list_is_told_where_it_does_not_fit(network: Any):
    with pytest.raises(RunError, match="pass after the list the arguments w, u") as error:
        network.each([], W, U, 3)
    assert error.value.code == "R001"


def test_what_waits_and_what_does_not_is_told():
    executable = compiled(f"""{TYPES}
def @norm(%l: List[{V}], %x: {V}) -> {V} {{
  match (%l) {{
    Nil => %x,
    Cons(%y, %rest) => {{
      let %z = tanh(add(%x, %y));
      if (sum(reshape(%z, newshape=[2, 4])) > 0f) {{ @norm(%rest, sort(%z)) }}
      else {{ @norm(%rest, exp(%z)) }}
    }}
  }}
}}
def @main(%l: List[{V}], %x: {V}) -> {V} {{ @norm(%l, %x) }}
""")
    notes = executable.compilation().notes
    regions = sorted(n.partition(": ")[2].partition(" at")[0] for n in notes if "wait at" in n)
    assert regions == ["1 operators wait", "1 operators wait", "2 operators wait"]
    (now,) = (n for n in notes if "not batched" in n)
    assert now.startswith("sum is not batched at"), "a view is not computed"
    rows = list_of([RANDOM.standard_normal(8).astype(np.float32) for _ in range(3)])
    assert notes[0] in str(executable.explain(rows, np.zeros(8, np.float32)))


def test_forms_of_all_widths_share_their_weights():
    weight = RANDOM.standard_normal((8, 8)).astype(np.float32)
    module = relay.parse(
        f"{HEAD}{TYPES}"
        f"""
def @run(%l: List[{V}], %w: Tensor[(8, 8), float32]) -> {V} {{
  match (%l) {{ Nil => zeros(shape=[8], dtype="float32"),
                Cons(%x, %rest) => tanh(nn.dense(add(%x, @run(%rest, %w)), %w)) }}
}}
def @main(%l: List[{V}], %w: Tensor[(8, 8), float32]) -> {V} {{ @run(%l, %w) }}
"""
    )
    executable: Any = relay.compile(bind_parameters(infer(module), {"w": weight}), batch=True)
    weights = [c for c in executable.program.constants.table if c.nbytes == weight.nbytes]
    assert len(weights) == 1


def test_large_results_take_room_one_by_one():
    size = 3_000_000
    big = f"Tensor[({size}), float32]"
    network = compiled(f"""{TYPES}
def @run(%xs: List[Tensor[(1), float32]], %h: {big}) -> {big} {{
  match (%xs) {{ Nil => %h, Cons(%x, %rest) => tanh(add(%x, @run(%rest, %h))) }}
}}
def @main(%xs: List[Tensor[(1), float32]], %h: {big}) -> {big} {{ @run(%xs, %h) }}
""")
    first = RANDOM.standard_normal(size).astype(np.float32)
    rows = [RANDOM.standard_normal((3, 1)).astype(np.float32) for _ in range(3)]
    found = network.each([list_of(list(each)) for each in rows], first)
    for each, sequence in zip(found, rows, strict=True):
        expected = first
        for x in reversed(sequence):
            expected = np.tanh(x + expected)
        np.testing.assert_allclose(each, expected, rtol=1e-4, atol=1e-5)


def test_what_calls_have_alike_is_computed_once():
    text = f"""{TYPES}
def @run(%xs: List[Tensor[(6), float32]], %h: {V}, %w: Tensor[(8, 6), float32],
         %u: Tensor[(8, 8), float32]) -> {V} {{
  match (%xs) {{
    Nil => %h,
    Cons(%x, %rest) =>
      @run(%rest, tanh(add(nn.dense(%x, %w), nn.dense(%h, %u))), %w, %u)
  }}
}}
def @main(%xs: List[Tensor[(6), float32]], %h: {V}, %w: Tensor[(8, 6), float32],
          %u: Tensor[(8, 8), float32]) -> {V} {{ @run(%xs, %h, %w, %u) }}
"""
    network, first = compiled(text), RANDOM.standard_normal(8).astype(np.float32)
    for lengths in ([1] * 70, [3] * 64, [0, *range(1, 60), *[2] * 40]):
        rows = [RANDOM.standard_normal((n, 6)).astype(np.float32) for n in lengths]
        found = network.each([list_of(list(each)) for each in rows], first, W, U)
        for each, sequence in zip(found, rows, strict=True):
            h = first
            for x in sequence:
                h = np.tanh(W @ x + U @ h)
            np.testing.assert_allclose(each, h, rtol=1e-4, atol=1e-5)


def test_a_call_of_which_all_is_known_tells_no_number_of_calls():
    last = compiled("""
def @main(%n: int32) -> Tensor[(3, 2), float32] {
  let %last = fn (%i: int32) -> Tensor[(3, 2), float32] {
    if (%i < 1) { ones(shape=[3, 2], dtype="float32") } else { let %r = %last(%i - 1); %r }
  };
  if (%n < 1) { zeros(shape=[3, 2], dtype="float32") } else { nn.softmax(%last(%n)) }
}
""")
    np.testing.assert_allclose(last(3), np.full((3, 2), 0.5), rtol=1e-6)


def test_results_of_every_kind_from_every_number_of_calls():
    made = f"({V}, Tensor[(2, 4), float32], {V})"
    network = compiled(f"""{TYPES}
def @pair(%x: {V}, %u: Tensor[(8, 8), float32]) -> {made} {{
  let %y = tanh(nn.dense(%x, %u));
  (%y, reshape(%y, newshape=[2, 4]), add(%y, %x))
}}
def @all(%l: List[{V}], %u: Tensor[(8, 8), float32]) -> List[{made}] {{
  match (%l) {{ Nil => Nil, Cons(%x, %rest) => Cons(@pair(%x, %u), @all(%rest, %u)) }}
}}
def @main(%l: List[{V}], %u: Tensor[(8, 8), float32]) -> List[{made}] {{
  @all(%l, %u)
}}
""")
    for count in (1, 2, 8, 9, 10, 64, 72, 73, 74, 136, 137, 138, 139, 201, 300):
        rows = RANDOM.standard_normal((count, 8)).astype(np.float32)
        expected = np.tanh(rows @ U.T)
        for index, (y, square, total) in enumerate(items(network(list_of(list(rows)), U))):
            np.testing.assert_allclose(y, expected[index], rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(square.reshape(8), y)
            np.testing.assert_allclose(total, y + rows[index], rtol=1e-5, atol=1e-6)


def test_states_that_begin_with_a_constant_or_with_something_else():
    network = compiled(f"""{TYPES}
def @run(%xs: List[{V}], %h: {V}, %u: Tensor[(8, 8), float32]) -> {V} {{
  match (%xs) {{ Nil => %h, Cons(%x, %rest) => @run(%rest, tanh(add(%x, nn.dense(%h, %u))), %u) }}
}}
def @each(%l: List[List[{V}]], %u: Tensor[(8, 8), float32]) -> List[{V}] {{
  match (%l) {{
    Nil => Nil,
    Cons(%xs, %rest) => {{
      let %zero = zeros(shape=[8], dtype="float32");
      let %h = match (%xs) {{
        Nil => %zero,
        Cons(%x, _) => if (max(%x) > 2f) {{ %x }} else {{ %zero }}
      }};
      Cons(@run(%xs, %h, %u), @each(%rest, %u))
    }}
  }}
}}
def @main(%l: List[List[{V}]], %u: Tensor[(8, 8), float32]) -> List[{V}] {{ @each(%l, %u) }}
""")
    sequences = [RANDOM.standard_normal((n % 5, 8)).astype(np.float32) for n in range(150)]
    found = network(list_of([list_of(list(rows)) for rows in sequences]), U)
    for each, rows in zip(items(found), sequences, strict=True):
        h = rows[0] if len(rows) and rows[0].max() > 2 else np.zeros(8, np.float32)
        for x in rows:
            h = np.tanh(x + U @ h)
        np.testing.assert_allclose(each, h, rtol=1e-4, atol=1e-5)


OPEN_TREE = f"""{TYPES}
def @node(%t: Rose, %w: Tensor[(h, 6), float32], %u: Tensor[(h, h), float32],
          %zero: Tensor[(h), float32]) -> Tensor[(h), float32] {{
  match (%t) {{
    Node(%x, %children) =>
      tanh(add(nn.dense(%x, %w), nn.dense(@sum(%children, %w, %u, %zero), %u)))
  }}
}}
def @sum(%l: List[Rose], %w: Tensor[(h, 6), float32], %u: Tensor[(h, h), float32],
         %zero: Tensor[(h), float32]) -> Tensor[(h), float32] {{
  match (%l) {{
    Cons(%t, %rest) => add(@node(%t, %w, %u, %zero), @sum(%rest, %w, %u, %zero)),
    Nil => %zero
  }}
}}
def @main(%t: Rose, %w: Tensor[(h, 6), float32], %u: Tensor[(h, h), float32],
          %zero: Tensor[(h), float32]) -> Tensor[(h), float32] {{
  @node(%t, %w, %u, %zero)
}}
"""


def test_a_network_of_open_width_over_trees():
    network, zero = compiled(OPEN_TREE), np.zeros(8, np.float32)
    for tree in map(random_tree, (1, 3, 40)):
        np.testing.assert_allclose(network(tree, W, U, zero), state(tree), rtol=1e-4, atol=1e-5)
        found = network.each([tree, random_tree(5)], W, U, zero)
        np.testing.assert_allclose(found[0], state(tree), rtol=1e-4, atol=1e-5)
    w, u = W[:1], U[:1, :1]  # another width, the same program
    leaf = node([])
    np.testing.assert_allclose(
        network(leaf, w, u, zero[:1]), np.tanh(w @ leaf.fields[0]), rtol=1e-5
    )


@pytest.mark.parametrize("first", range(200, 208, 4))
def test_random_programs_of_open_sizes_mean_and_stop_the_same(first: int):
    for number in range(first, first + 4):
        program = random_program(RandomChoices(number), 16)
        module = infer(program.module)
        executable = relay.compile(module, threads=1, batch=True)
        found = outcome(lambda run=executable, given=program.inputs: run(*given))
        expected = outcome(lambda m=module, given=program.inputs: evaluate(m, *given))
        assert agrees(found, expected)


def test_the_run_for_many_inputs_is_explained(network: Any):
    trees = [random_tree(20), random_tree(3)]
    one = network.explain(trees[0], W, U, repeats=1).profile.total
    both = network.explain_each(trees, W, U, repeats=1).profile.total
    assert 0 < one.flops < both.flops


def test_an_executable_for_many_inputs_is_one_like_others(network: Any):
    """It has the names of the model, in errors too, and what there is for one there is for many."""
    tree = random_tree(20)
    first, *others = network.names
    assert network.input_names == network.names
    weights = dict(zip(others, (W, U), strict=True))
    (result,) = network.run(**{first: tree}, **weights).values()
    np.testing.assert_array_equal(result, network(tree, W, U))
    one = network.profile(tree, W, U, repeats=1).total
    assert 0 < one.flops < network.profile_each([tree, tree], W, U, repeats=1).total.flops
    with pytest.raises(RunError, match=f"input '{first}': expected") as caught:
        network(5, W, U)
    assert caught.value.code == "R051"
    with pytest.raises(RunError, match="found a value of type int") as caught:
        network.each(5, W, U)
    assert caught.value.code == "R051"


def test_a_program_alone_runs_and_stops_as_calls_do(network: Any):
    admitted = network.admit_each([random_tree(20), random_tree(3)], W, U)
    assert network.seconds(admitted) > 0
    broken = compiled(f"""{TYPES}
def @main(%l: List[{V}]) -> {V} {{ match? (%l) {{ Cons(%x, _) => %x }} }}
""")
    with pytest.raises(RunError, match="R040"):
        broken.seconds(broken.admit_each([Data("Nil")]))
    tree = random_tree(7)
    np.testing.assert_allclose(network(tree, W, U), state(tree), rtol=1e-4, atol=1e-5)

"""What the evaluator is given: values of the types of the parameters, or an error that says so."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'


def main(params: str, body: str) -> relay.Module:
    return relay.parse(f"{HEAD}def @main({params}) {{ {body} }}")


MISFITS: list[tuple[str, Any, str]] = [
    ("int32", 1.5, "R006"),
    ("int32", "abc", "R003"),
    ("int32", None, "R003"),
    ("int32", 2**40, "R006"),
    ("int32", np.float32(1), "R006"),
    ("Tensor[(2, 3), float32]", np.ones((3, 2), np.float32), "R005"),
    ("Tensor[(2), float32]", np.ones((2, 2), np.float32), "R004"),
    ("(List[int32], int32)", 3, "R051"),
    ("(List[int32], int32)", ([1], 2, 3), "R051"),
    ("List[(int32, int32)]", [(1, 2, 3)], "R051"),
    ("List[int32]", None, "R051"),
    ("List[int32]", np.ones(2, np.int32), "R051"),
    ("List[int32]", [1.5], "R006"),
    ("List[int32]", [2**40], "R006"),
    ("List[int32]", ["a"], "R003"),
    ("List[Tensor[(2), float32]]", [np.ones(2)], "R006"),
    ("List[Tensor[(n), float32]]", [np.ones((2, 2), np.float32)], "R004"),
    ("List[Tensor[(2), float32]]", [np.ones(3, np.float32)], "R005"),
    ("Option[Tensor[(2), float32]]", Data("Some", (np.ones(2),)), "R006"),
    ("Option[int32]", [1], "R004"),
    ("Option[List[int32]]", Data("Some", (1,)), "R051"),
    ("List[int32]", 1, "R051"),
    ("List[int32]", Data("Some", (1,)), "R051"),
    ("List[int32]", Data("Cons", (1,)), "R051"),
    ("List[int32]", Data("Cons", (1.5, Data("Nil"))), "R006"),
]


@pytest.mark.parametrize(("type_", "given", "code"), MISFITS)
def test_what_is_no_value_of_its_type(type_: str, given: Any, code: str):
    """Every executor says the same."""
    module, said = main(f"%x: {type_}", "%x"), list[str]()
    for kind in ("debug", "vm", "aot"):
        with pytest.raises(RelayError, match=code) as caught:
            relay.create_executor(kind, module).evaluate()(given)
        said.append(str(caught.value))
    assert said == said[:1] * 3


@pytest.mark.parametrize(
    ("type_", "given"),
    [("fn (int32) -> int32", lambda x: x), ("fn (int32) -> int32", 1), ("ref(int32)", 1)],
)
def test_what_only_the_evaluator_makes(type_: str, given: Any):
    with pytest.raises(RelayError, match=r"R051.*expected a value of type"):
        evaluate(main(f"%x: {type_}", "%x"), given)


@dataclass
class Cons:
    """An element and what follows, as a Python program has it."""

    head: int
    tail: Any


def test_values_of_data_types():
    module = main("%x: List[int32]", "@sum(%x)")
    assert evaluate(module, Data("Cons", (1, Data("Cons", (2, Data("Nil")))))) == 3
    assert evaluate(module, Cons(1, Cons(2, Data("Nil")))) == 3
    again = evaluate(main("%x: List[int32]", "Cons(4, %x)"), Data("Nil"))
    assert evaluate(module, again) == 4
    long: Any = Data("Nil")
    for _ in range(5_000):
        long = Data("Cons", (1, long))
    assert evaluate(module, long) == 5_000


PYTHON_CASES: list[tuple[str, Any, Any]] = [
    ("List[int32]", [1, 2], [1, 2]),
    ("List[List[int32]]", [[1], []], [[1], []]),
    ("List[(int32, Option[int32])]", [(1, None), (2, 3)], [(1, None), (2, 3)]),
    ("Option[Tensor[(2), float32]]", None, None),
    ("Option[Tensor[(2), float32]]", np.ones(2, "f"), np.ones(2, "f")),
    ("Option[List[int32]]", [4], [4]),
    ("(List[int32], Option[int32])", ([4], None), ([4], None)),
    ("Option[List[int32]]", Data("Some", ([1, 2],)), [1, 2]),
    ("Option[Option[int32]]", Data("Some", (None,)), None),
    ("List[Option[int32]]", Data("Cons", (3, [None, 4])), [3, None, 4]),
    ("List[List[int32]]", Data("Cons", ([1], Data("Cons", ([], [[2]])))), [[1], [], [2]]),
    ("List[Tensor[(n), int32]]", [np.arange(3, dtype=">i4")], [[0, 1, 2]]),
    ("List[int32]", [np.array(258, ">i4")], [258]),
    ("Option[(List[int32], Option[int32])]", Data("Some", (([1], None),)), ([1], None)),
]


def plainly(given: Any) -> Any:
    """Return a result as Python's lists, options and numbers."""
    found = given.plain() if isinstance(given, Data) else given
    if isinstance(found, tuple | list):
        return type(found)(map(plainly, found))
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize(("type_", "given", "wanted"), PYTHON_CASES)
def test_lists_and_options_of_python(type_: str, given: Any, wanted: Any, kind: str):
    module = main(f"%x: {type_}", "%x")
    found = relay.create_executor(kind, module).evaluate()(given)
    assert plainly(found) == plainly(wanted)


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
def test_lists_within_objects_however_deep(kind: str):
    total = relay.create_executor(kind, main("%x: List[int32]", "@sum(%x)")).evaluate()
    assert total(Cons(1, Cons(2, [3, 4]))) == 10
    text = """#[version = "0.0.5"]
type T { Nil, Cons(T, T) }
def @main(%t: T) { match (%t) { Cons(_, Nil) => 1, _ => 0 } }"""
    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]
    assert relay.create_executor(kind, relay.parse(text)).evaluate()(nested) == 1


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
def test_a_value_is_no_part_of_itself(kind: str):
    tree = "type T { Leaf, Node(T, T) }"
    text = f"{HEAD}{tree}\ndef @main(%t: T) {{ match (%t) {{ Leaf => 0, Node(_, _) => 1 }} }}"
    run = relay.create_executor(kind, relay.parse(text)).evaluate()
    node = Data("Node", (Data("Leaf"), Data("Leaf")))
    assert run(Data("Node", (node, node))) == 1
    object.__setattr__(node, "fields", (node, node))
    with pytest.raises(RelayError, match=r"R051.*a value that is not a part of itself"):
        run(node)


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize("type_", ["type T { None, Some(T) }", "type T { Nil, Cons(T, T) }"])
def test_what_python_has_for_lists_is_no_part_of_itself(type_: str, kind: str):
    text = f'#[version = "0.0.5"]\n{type_}\ndef @main(%t: T) {{ %t }}'
    run = relay.create_executor(kind, relay.parse(text)).evaluate()
    given: list[Any] = []
    given.append(given)
    with pytest.raises(RelayError, match=r"R051.*a value that is not a part of itself"):
        run(given)


def test_shared_parts_are_looked_at_once():
    text = """#[version = "0.0.5"]
type T { Leaf, Node(T, T) }
def @main(%t: T) { match (%t) { Leaf => 0, Node(_, _) => 1 } }"""
    tree = Data("Leaf")
    for _ in range(60):  # without sharing, 2 ** 60 nodes
        tree = Data("Node", (tree, tree))
    assert evaluate(relay.parse(text), tree) == 1


def test_python_numbers_take_the_type_of_the_parameter():
    value = evaluate(main("%x: float64", "%x"), 1)
    assert isinstance(value, np.ndarray)
    assert value.dtype == np.float64


def test_symbolic_sizes_are_known_in_the_body():
    module = main("%x: Tensor[(n), float32]", '%x + zeros(shape=[n], dtype="float32")')
    np.testing.assert_array_equal(np.asarray(evaluate(module, np.ones(5, "f"))), np.ones(5, "f"))
    local = 'let %f = fn (%k: int32) { zeros(shape=[2 * n], dtype="float32") }; %f(1)'
    module = main("%x: Tensor[(n), float32]", local)
    assert np.asarray(evaluate(module, np.ones(3, "f"))).shape == (6,)
    calls = f"""{HEAD}def @zeros(%x: Tensor[(n), float32]) {{ zeros(shape=[n], dtype="float32") }}
    def @main(%x: Tensor[(n), float32], %y: Tensor[(2), float32]) {{ (@zeros(%x), @zeros(%y)) }}"""
    pair = evaluate(relay.parse(calls), np.ones(3, "f"), np.ones(2, "f"))
    assert isinstance(pair, tuple)
    assert [np.asarray(each).shape for each in pair] == [(3,), (2,)]


def test_two_unknown_sizes_may_differ():
    module = main("%x: Tensor[(?, ?), float32]", "%x")
    assert np.asarray(evaluate(module, np.ones((2, 3), "f"))).shape == (2, 3)


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("n", "R007.*the dimension 'n' has size 3 in the input 'y', but 4 where it occurs first"),
        ("2 * n", "R054.*%y has size 3 at axis 0, not 8 \\(declared as 2 \\* n\\)"),
    ],
)
def test_sizes_that_disagree_are_told_alike(size: str, message: str, kind: str):
    module = main(f"%x: Tensor[(n), float32], %y: Tensor[({size}), float32]", "(%x, %y)")
    with pytest.raises(RelayError, match=message):
        relay.create_executor(kind, module).evaluate()(np.ones(4, "f"), np.ones(3, "f"))


def test_sizes_that_disagree():
    module = main("%x: Tensor[(n), float32], %y: Tensor[(2 * n), float32]", "(%x, %y)")
    evaluate(module, np.ones(2, "f"), np.ones(4, "f"))
    with pytest.raises(RelayError, match="R054"):
        evaluate(module, np.ones(2, "f"), np.ones(5, "f"))
    halves = main("%x: Tensor[(n), float32], %y: Tensor[(floordiv(n, 2)), float32]", "(%x, %y)")
    with pytest.raises(RelayError, match=r"R054.*axis 0, not 2 \(declared as floordiv\(n, 2\)\)"):
        evaluate(halves, np.ones(4, "f"), np.ones(3, "f"))
    with pytest.raises(RelayError, match=r"R042.*determines the size m"):
        evaluate(main("%x: float32", 'zeros(shape=[m], dtype="float32")'), 1.0)
    with pytest.raises(RelayError, match=r"R042.*reshape: the size `\?` is unknown.*\n *--> text"):
        evaluate(main("%x: Tensor[(?), float32]", "reshape(%x, newshape=[?])"), np.ones(2, "f"))


def test_a_later_input_may_tell_what_an_earlier_one_leaves_open():
    params = "%a: Tensor[(n + m), float32], %b: Tensor[(n + 1), float32]"
    module = main(params, 'zeros(shape=[m], dtype="float32")')
    five, three = (np.ones(size, np.float32) for size in (5, 3))
    for run in (lambda *args: evaluate(module, *args), relay.compile(module)):
        np.testing.assert_array_equal(cast("np.ndarray", run(five, three)), [0, 0, 0])

"""Values of data types across the border, by both ways."""

import gc
import sys
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest

from relay.runtime import Data
from relay.support.errors import RunError

TREE = "type Tree { Leaf(float32), Node(Tree, Tree), Empty }\n"
SAME = TREE + "def @main(%t: Tree) -> Tree { %t }"
FIRST = TREE + "def @main(%t: Tree, %x: int32) -> int32 { %x }"
LIST = "type List { Nil, Cons((int32, Tensor[(2), float32]), List) }\n"
LISTS = LIST + "def @main(%l: List) -> (List, (int32, List)) { (%l, (7, %l)) }"
OPEN = """type Rows { None, Some(Tensor[(?, 2), float32]) }
def @main(%r: Rows) -> Rows { %r }"""


@dataclass
class Leaf:
    x: Any


@dataclass
class Node:
    left: Any
    right: Any


@dataclass
class Empty:
    pass


Slotted = (
    make_dataclass("Leaf", ["x"], slots=True),
    make_dataclass("Node", ["left", "right"], slots=True, frozen=True),
    make_dataclass("Empty", [], slots=True),
)
Maker = Callable[..., Any]


def of_data(name: str) -> Maker:
    return lambda *fields: Data(name, fields)


MAKERS: dict[str, tuple[Maker, Maker, Maker]] = {
    "data": (of_data("Leaf"), of_data("Node"), of_data("Empty")),
    "dataclasses": (Leaf, Node, Empty),
    "slots": Slotted,
}


def flat(given: Any) -> Any:
    """Return a value as nested tuples; recursion is as deep as the value."""
    if isinstance(given, Data):
        return given.constructor, *map(flat, given.fields)
    return given.item() if isinstance(given, (np.ndarray, np.generic)) else given


@pytest.mark.parametrize("makers", MAKERS.values(), ids=MAKERS)
def test_trees_of_any_class(way: str, compiled: Any, makers: tuple[Maker, Maker, Maker]):
    leaf, node, empty = makers
    tree = node(node(leaf(1.5), empty()), node(leaf(np.float32(2)), leaf(np.array(3, "float32"))))
    wanted = (
        *("Node", ("Node", ("Leaf", 1.5), ("Empty",))),
        ("Node", ("Leaf", 2.0), ("Leaf", 3.0)),
    )
    for _ in range(2):  # what is not known the first time is the next
        assert flat(compiled(SAME)(tree)) == wanted
    found = compiled(SAME)(tree)
    assert type(found.fields[0].fields[0].fields[0]) is np.ndarray
    assert flat(compiled(SAME)(empty())) == ("Empty",)


def test_classes_that_are_known_cross_natively(compiled: Any, natively: Callable[[Any], Any]):
    for leaf, node, empty in MAKERS.values():
        tree = node(leaf(1), node(leaf(2), empty()))
        compiled(SAME)(tree)
    only = natively(compiled(SAME))
    for leaf, node, empty in MAKERS.values():
        tree = node(leaf(1), node(leaf(2), empty()))
        assert flat(only(tree)) == ("Node", ("Leaf", 1), ("Node", ("Leaf", 2), ("Empty",)))


def test_names_are_equal_not_the_same(way: str, compiled: Any):
    name = "Le" + str(b"af", "ascii")
    assert flat(compiled(SAME)(Data(name, (1,)))) == ("Leaf", 1)


def test_what_is_shared_stays_shared(way: str, compiled: Any):
    for leaf, node, _ in MAKERS.values():
        tree = leaf(1.0)
        for _ in range(40):
            tree = node(tree, tree)
        found = compiled(SAME)(tree)
        assert found.fields[0] is found.fields[1]


def test_lists_of_tuples(way: str, compiled: Any):
    items = [(i, np.array([i, -i], np.float32)) for i in range(300)]
    chain = Data("Nil")
    for item in reversed(items):
        chain = Data("Cons", (item, chain))
    found, (seven, again) = compiled(LISTS)(chain)
    assert seven == 7
    for each in (found, again):
        given, rest = items, each
        for number, vector in given:
            (found_number, found_vector), rest = rest.fields
            assert found_number == number
            np.testing.assert_array_equal(found_vector, vector)
        assert rest.fields == ()


def test_fields_of_open_sizes(way: str, compiled: Any):
    for rows in (0, 1, 5, 200):
        given = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)
        found = compiled(OPEN)(Data("Some", (given,))).fields[0]
        np.testing.assert_array_equal(found, given)
        assert found.flags.owndata


def test_arrays_in_values_need_not_lie_right(way: str, compiled: Any):
    given = np.arange(8, dtype=np.float32).reshape(2, 4).T[:, ::-1]
    np.testing.assert_array_equal(compiled(OPEN)(Data("Some", (given,))).fields[0], given)


@dataclass
class Computed:
    """Whose fields are made anew whenever they are read."""

    depth: int
    left: Any = field(init=False)
    right: Any = field(init=False)


def _computed(self: Computed) -> Any:
    gc.collect(0)
    return Computed(self.depth - 1) if self.depth else Leaf(np.float32(self.depth))


Computed.__name__ = "Node"
Computed.__dataclass_fields__.pop("depth")
Computed.left = Computed.right = property(_computed)


def test_fields_that_are_properties(way: str, compiled: Any):
    for _ in range(2):
        found = compiled(SAME)(Computed(6))
        count, pending = 0, [found]
        while pending:
            here = pending.pop()
            count += here.constructor == "Leaf"
            pending += here.fields if here.constructor == "Node" else ()
        assert count == 2**7


class BrokenError(Exception):
    pass


@pytest.mark.parametrize("error", [BrokenError, AttributeError, KeyboardInterrupt, MemoryError])
def test_what_a_property_raises_is_raised(way: str, compiled: Any, error: type[BaseException]):
    def fails(self: Any) -> Any:
        if self.good:
            return Leaf(1.0)
        raise error

    made = make_dataclass("Node", ["left", "right"], init=False, eq=False)
    made.right, made.good = property(fails), True
    given = made()
    given.left = Leaf(2.0)
    compiled(SAME)(given)
    compiled(SAME)(given)
    made.good = False
    with pytest.raises(error):
        compiled(SAME)(node_of(given))
    made.good = True
    assert flat(compiled(SAME)(given)) == ("Node", ("Leaf", 2), ("Leaf", 1))


def node_of(inner: Any) -> Any:
    return Data("Node", (Data("Leaf", (1.0,)), inner))


def test_a_property_may_call_the_program(way: str, compiled: Any):
    executable = compiled(FIRST)
    made = make_dataclass("Node", ["left", "right"], init=False, eq=False)
    made.left = property(lambda _: Leaf(float(executable(Data("Empty"), 3))))
    made.right = property(lambda _: Empty())
    for _ in range(3):
        assert executable(made(), 5) == 5
        assert flat(compiled(SAME)(made())) == ("Node", ("Leaf", 3), ("Empty",))


def test_a_value_that_is_part_of_itself_is_refused(way: str, compiled: Any):
    executable = compiled(SAME)
    tree = Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0)))
    executable(tree)
    tree.right.left = tree
    for given in (tree, Node(Leaf(1.0), tree)):
        with pytest.raises(RunError, match="part of itself") as caught:
            executable(given)
        assert caught.value.code == "R051"


@pytest.mark.parametrize(
    "given",
    [
        *(None, 1, "Leaf", Leaf, Data("Leaf", ()), Data("Leaf", (1.0, 2.0)), Data("Other", (1,))),
        *(Data("Leaf", ("no",)), Data("Leaf", (1j,)), Data("Node", (1.0, 2.0)), Leaf("no")),
        *(Node(Leaf(1.0), None), Node(Leaf(1.0), Leaf(np.zeros(2, np.float32)))),
        *(make_dataclass("Other", ["x"])(1), make_dataclass("Leaf", ["x", "y"])(1, 2)),
        *(
            Data("Leaf", (np.float64(1),)),
            Data("Leaf", cast("Any", [1.0, 2.0])),
            Data(cast("Any", 1), (1.0,)),
        ),
    ],
)
def test_what_is_no_value_is_refused(way: str, compiled: Any, given: Any):
    executable = compiled(SAME)
    executable(Node(Leaf(1.0), Empty()))
    for each in (given, Data("Node", (Leaf(1.0), given))):
        with pytest.raises(RunError) as caught:
            executable(each)
        assert caught.value.code in {"R003", "R004", "R006", "R051"}


def test_a_subclass_is_another_class(way: str, compiled: Any):
    class Branch(Node):
        pass

    executable = compiled(SAME)
    executable(Node(Leaf(1.0), Empty()))
    with pytest.raises(RunError):
        executable(Branch(Leaf(1.0), Empty()))
    Branch.__name__ = "Node"
    for _ in range(2):
        given = type("Node", (Node,), {})(Leaf(1.0), Empty())
        assert flat(executable(given)) == ("Node", ("Leaf", 1), ("Empty",))


def test_long_lists_and_deep_trees(compiled: Any, natively: Callable[[Any], Any]):
    def chain(length: int) -> Any:
        tree: Any = Empty()
        for _ in range(length):
            tree = Node(Leaf(1.0), tree)
        return tree

    def deep(length: int) -> Any:
        tree: Any = Empty()
        for _ in range(length):
            tree = Node(tree, Leaf(1.0))
        return tree

    compiled(SAME)(chain(2))
    only = natively(compiled(SAME))
    for made, side in ((chain(200_000), 1), (deep(100_000), 0)):
        found, count = only(made), 0
        while found.fields:
            found, count = found.fields[side], count + 1
        assert count == (200_000, 100_000)[1 - side]


def test_the_collector_is_as_it_was(compiled: Any):
    tree = Data("Node", (Data("Leaf", (1.0,)), Data("Empty")))
    assert gc.isenabled()
    compiled(SAME)(tree)
    assert gc.isenabled()
    gc.disable()
    try:
        compiled(SAME)(tree)
        assert not gc.isenabled()
    finally:
        gc.enable()


def crossings(executable: Any, values: list[Any], times: int) -> None:
    """Make calls that go well, and calls that do not."""
    for _ in range(times):
        for value in values:
            try:
                executable(value)
            except (RunError, BrokenError):
                continue


def test_nothing_is_kept(way: str, compiled: Any):
    array = np.ones(2, np.float32)
    wrong = np.ones(3, np.float32)
    good = Data("Cons", ((1, array), Data("Cons", ((2, array), Data("Nil")))))
    bad = Data("Cons", ((1, array), Data("Cons", ((2, wrong), Data("Nil")))))
    executable = compiled(LISTS)
    times = 300 if way == "python" else 1000
    crossings(executable, [good, bad], 10)
    gc.collect()
    held = [array, wrong, good, bad, good.fields, None, Data, array.dtype, executable, "Cons"]
    before = [sys.getrefcount(each) for each in held]
    tracemalloc.start()
    sizes: list[int] = []
    for _ in range(4):
        crossings(executable, [good, bad], times)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    after = [sys.getrefcount(each) for each in held]
    # Other objects refer to None, too, and may be finalised meanwhile.
    assert all(abs(a - b) < times for a, b in zip(after, before, strict=True)), (before, after)
    grown = min(later - sooner for sooner, later in pairwise(sizes))  # caches grow now and then
    assert grown < (20_000 if way == "native" else 200_000)  # errors are made in Python


def test_threads_cross_at_once(way: str, compiled: Any):
    executable = compiled(SAME)
    wrong: list[Any] = []

    def work(number: int) -> None:
        tree: Any = Leaf(float(number))
        for _ in range(60):
            tree = Node(tree, Empty())
        for _ in range(200):
            found = executable(tree)
            while found.constructor == "Node":
                found = found.fields[0]
            if found.fields[0] != number:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong

"""Data classes without a decorator of ours, and named tuples: arguments, results, captured values.

Each program has the value that Python gives, evaluated and compiled, and leaves its arguments as
Python does.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportOptionalMemberAccess=false, reportReturnType=false, reportRedeclaration=false
import copy
import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float32, function, int32
from relay.support.errors import RelayError
from tests.frontend.python.everyday_cases import Cases, normal, noting
from tests.frontend.python.oracle import assert_same, outcomes

CASES: Cases = []
on = noting(CASES)


@dataclass
class Layer:
    w: Any
    b: Any = 0.0
    name: str = "tanh"
    gain: float | None = None

    def __call__(self, x):
        y = x @ self.w + self.b
        y = np.tanh(y) if self.name == "tanh" else np.maximum(y, 0)
        return y if self.gain is None else y * self.gain


@dataclass(frozen=True)
class Net:
    layers: list
    scale: Any

    @property
    def depth(self):
        return len(self.layers)


class Point(NamedTuple):
    x: float32
    y: float32 = 2.0

    def norm(self):
        return np.sqrt(self.x ** 2 + self.y ** 2)


@dataclass(slots=True)
class State:
    at: Any
    count: Any = 0


@dataclass
class Leaf:
    value: float32


@dataclass
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


@dataclass
class Cell:
    value: float32
    rest: Optional["Cell"] = None


@dataclass(frozen=True)
class Branch:
    key: float32
    left: "Branch | None"
    right: "Branch | None"


@dataclass
class Circle:
    radius: float32
    def area(self) -> float32:
        return self.radius * self.radius * 3.0


SMALL = Layer(normal(3, 3), normal(3), "relu", 2.0)
NET = Net([Layer(normal(3, 4), normal(4)), Layer(normal(4, 2), normal(2), "relu")], 0.5)
CELLS = Cell(1.0, Cell(2.0, Cell(4.0)))
TREE = Node(Node(Leaf(1.0), Leaf(2.0)), Leaf(5.0))
SEARCH = Branch(4.0, Branch(1.0, None, Branch(2.0, None, None)), Branch(6.0, None, None))


@on(NET, normal(5, 3))
@function
def fields_are_arrays_lists_and_objects(net, x):
    for layer in net.layers:
        x = layer(x)
    return x * net.scale + net.depth


@on(SMALL, normal(2, 3), 3.0)
@on(SMALL, normal(2, 3), -3.0)
@function
def one_of_two_objects(layer, x, limit):
    other = Layer(layer.w * 2, layer.b, layer.name)
    chosen = layer if x[0, 0] > limit else dataclasses.replace(other, gain=2.0)
    return chosen(x), chosen.b


@on(State(normal(3)), 4)
@on(State(normal(3)), 0)
@function
def a_new_object_changes(start, n):
    state = State(start.at * 2)
    for i in range(n):
        state.at = state.at + i
        if state.at[0] > 2:
            state.count += 1
    return state


@on(State(normal(3), 1), 2)
@on(State(normal(3), 1), -2)
@function
def objects_are_results(state, n):
    if n > 0:
        return State(state.at + 1, state.count), {"all": [state, None]}
    return State(state.at, n), {"all": [State(state.at * 2), None]}


@on(Point(3.0, 4.0), 1.0)
@function
def tuples_with_names(p, k):
    q = p._replace(x=p.x * k)
    r = q if k > 2 else Point(k)
    match r:
        case Point(x, y=y):
            return r.norm() + x - y, Point(q.y, q.x)


@on(Point(3.0, 4.0))
@function
def tuples_with_names_and_types(p: Point) -> Point:
    return Point(p.y, p.norm())


@on(Point(3.0, 4.0))
@function
def called_with_types(p: Point):
    return tuples_with_names_and_types(p).x + p.x


@on(TREE)
@on(Leaf(3.0))
@function
def sum_of_a_tree(tree: Tree) -> float32:
    match tree:
        case Leaf(value):
            return value
        case Node(left, right):
            return sum_of_a_tree(left) + 2 * sum_of_a_tree(right)


@on(TREE)
@function
def doubled(tree: Tree) -> Tree:
    match tree:
        case Leaf(value):
            return Leaf(value * 2)
        case Node(left, right):
            return Node(doubled(right), doubled(left))


@on(2.0)
@function
def a_captured_tree(x: float32) -> float32:
    return sum_of_a_tree(TREE) * x + sum_of_a_tree(Node(Leaf(x), TREE.left))


@on(CELLS)
@on(Cell(7.0))
@function
def length(cell: Cell) -> int32:
    count = 1
    while cell.rest is not None:
        cell = cell.rest
        count += 1
    return count


@on(CELLS)
@function
def sum_of_a_list(cell: Cell | None) -> float32:
    if cell is None:
        return 0.0
    return cell.value + sum_of_a_list(cell.rest)


@on(normal(4))
@function
def built_in_a_loop(x: Tensor["n"]) -> Cell | None:
    found: Cell | None = None
    for value in x:
        found = Cell(value, found)
    return found


@on(SEARCH, 2.0)
@on(SEARCH, 5.0)
@on(None, 5.0)
@function
def is_found(tree: Branch | None, key: float32) -> bool:
    while tree:
        if key == tree.key:
            return True
        tree = tree.left if key < tree.key else tree.right
    return False


@on(SEARCH, 3.0)
@on(None, 3.0)
@function
def inserted(tree: Branch | None, key: float32) -> Branch | None:
    match tree:
        case None:
            return Branch(key, None, None)
        case Branch(here, left, right) if key < here:
            return Branch(here, inserted(left, key), right)
        case Branch(here, left, right):
            return Branch(here, left, inserted(right, key))


@on(Circle(2.0))
@function
def methods_of_data(circle: Circle) -> float32:
    return circle.area() + Circle(circle.radius + 1).area()


@on(State(normal(3), 2), State(normal(3), 3))
@function
def objects_are_compared(one, other):
    return one.count == other.count, Point(one.count, 1) == Point(2, other.count - 2)


NAMES = [f"{program.original.__name__}-{i}" for i, (program, _) in enumerate(CASES)]


@pytest.mark.parametrize(("program", "arguments"), CASES, ids=NAMES)
def test_it_has_the_value_that_python_gives(program, arguments):
    assert_same(*outcomes(program, program, arguments))


def test_compiled_too():
    for program, arguments in CASES:
        assert_same(*outcomes(relay.jit(program), program, arguments))


def loss(net: Net, x):
    for layer in net.layers:
        x = layer(x)
    return (x * x).sum() * net.scale


def test_gradients_by_objects_are_objects():
    net = Net([Layer(normal(3, 2).astype(np.float64), np.zeros(2))], np.float64(0.5))
    x = normal(4, 3).astype(np.float64)
    for slope in (relay.grad(loss), relay.jit(relay.grad(loss))):
        found = slope(net, x)
        assert isinstance(found, Net)
        assert found.layers[0].name == "tanh"
        moved = []
        for step in (1e-6, -1e-6):
            other = copy.deepcopy(net)
            other.layers[0].w[1, 0] += step
            moved.append(loss(other, x))
        np.testing.assert_allclose(found.layers[0].w[1, 0], (moved[0] - moved[1]) / 2e-6, rtol=1e-5)


def of_layer(layer, x):
    return layer(x)


def test_an_object_over_one_more_axis():
    many = Layer(np.stack([normal(3, 2), normal(3, 2) * 2]), np.zeros((2, 2), np.float32))
    x = normal(4, 3)
    found = relay.vmap(of_layer, in_axes=(0, None))
    for run in (found, relay.jit(found)):
        values = run(many, x)
        for i in range(2):
            np.testing.assert_allclose(values[i], Layer(many.w[i], many.b[i])(x), rtol=1e-5)


SHARED = State(np.ones(3, np.float32))


@function
def reads_what_is_captured(x):
    return x + SHARED.at * SHARED.count


def test_what_is_captured_may_change():
    assert reads_what_is_captured(1.0)[0] == 1
    SHARED.count = 2
    assert reads_what_is_captured(1.0)[0] == 3
    SHARED.at = SHARED.at * 2
    assert reads_what_is_captured(1.0)[0] == 5
    SHARED.count = 0


def assigns_a_field(state, x):
    state.count = x
    return state.at


def appends_to_an_argument(state, x):
    state.at.append(x)
    return x


def sorts_an_argument(state, x):
    state.at.sort(key=lambda _: 0)
    state.at.reverse()
    return x


def deletes_from_an_argument(state, x):
    del state.at[0]
    return x


def swaps_in_an_argument(state, x):
    state.at[0], state.at[1] = state.at[1], x
    return x


def changes_by_one(state, x):
    state.at[0] += x
    return x


def sets_an_attribute(state, x):
    setattr(state, "count", x)  # noqa: B010 - what is tested
    return x


def writes_to_a_dictionary(state, x):
    state.count["a"] = x
    return x


def changes_what_is_captured(state, x):
    SHARED.count = x
    return x


def changes_data(tree: Tree, x):
    tree.left = x
    return x


def changes_what_became_data(state, x):
    cell = Cell(x)
    more = Cell(x, cell)
    both = sum_of_a_list(more)
    cell.value = 3.0
    return both + more.rest.value


@pytest.mark.parametrize("python", [
    assigns_a_field, appends_to_an_argument, sorts_an_argument, deletes_from_an_argument,
    swaps_in_an_argument, changes_by_one, sets_an_attribute, writes_to_a_dictionary,
    changes_what_is_captured, changes_data, changes_what_became_data,
])
def test_a_change_that_others_would_see_is_an_error_at_its_line(python):
    state = State([1.0, 2.0], {"a": 1})
    given = TREE if python is changes_data else state
    with pytest.raises(RelayError) as caught:
        relay.function(python)(given, 2.0)
    assert caught.value.code == "F116"
    line = caught.value.span.line
    assert python.__code__.co_firstlineno < line <= python.__code__.co_firstlineno + 5
    assert state == State([1.0, 2.0], {"a": 1})


@dataclass
class OfPython:
    rows: np.ndarray
    kind: str = "sum"


@function
def by_what_it_holds(given: OfPython, k: float32 = 2.0):
    return given.rows.sum(axis=0) * k if given.kind == "sum" else given.rows


def test_a_class_with_types_of_python_is_what_a_call_gives():
    rows = normal(3, 2)
    for kind in ("sum", "all"):
        given = OfPython(rows, kind)
        assert_same(by_what_it_holds(given), by_what_it_holds.python(given))
    with pytest.raises(RelayError) as caught:
        _ = by_what_it_holds.module
    assert caught.value.code == "F105"


def test_a_list_of_many_cells():
    cells = None
    for i in range(20_000):
        cells = Cell(float(i % 3), cells)
    assert relay.compile(length, threads=1)(cells) == 20_000
    assert relay.compile(sum_of_a_list, threads=1)(None) == 0


@function
def other_objects(c, one, other):
    return one is (one if c > 0 else other)


def test_identity_that_only_the_program_knows_is_refused():
    with pytest.raises(RelayError) as caught:
        other_objects(1.0, State(1.0), State(2.0))
    assert caught.value.code == "F107"

"""What stands around a function: names that change, objects, classes in functions, and stops."""

# pyright: basic, reportInvalidTypeForm=false, reportMatchNotExhaustive=false
import dataclasses

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, data, float32, function, int32
from relay.support.errors import RelayError, RelayImportError, RunError
from tests.frontend.python import everyday_holders as holders

factor = 2.0
table = {"w": np.ones(3, np.float32)}


@dataclasses.dataclass
class Settings:
    scale: float = 0.5
    depth: int = 2


settings = Settings()


@function
def scaled(x: Tensor[3]) -> Tensor[3]:
    return x * factor


@function
def twice_scaled(x: Tensor[3]) -> Tensor[3]:
    return scaled(x) * 2


@function
def configured(x: Tensor[3]) -> Tensor[3]:
    for _ in range(settings.depth):
        x = x * settings.scale
    return x + table["w"]


X = np.array([1.0, 2.0, 3.0], np.float32)


def test_a_name_that_stands_for_something_else_is_seen(monkeypatch):
    assert twice_scaled(X)[0] == 4
    native = relay.compile(twice_scaled)
    monkeypatch.setitem(globals(), "factor", 5.0)
    np.testing.assert_array_equal(scaled(X), X * 5)
    np.testing.assert_array_equal(twice_scaled(X), X * 10)
    np.testing.assert_array_equal(relay.compile(twice_scaled)(X), X * 10)
    np.testing.assert_array_equal(native(X), X * 4)  # what was compiled stays as it is


def test_an_object_that_changes_is_seen(monkeypatch):
    np.testing.assert_array_equal(configured(X), X / 4 + 1)
    monkeypatch.setattr(settings, "scale", 2.0)
    monkeypatch.setitem(table, "w", np.zeros(3, np.float32))
    np.testing.assert_array_equal(configured(X), X * 4)


def test_a_default_of_a_helper_that_changes_is_seen():
    scales = [2.0]

    def helper(x, by=scales, *, more=scales):
        return x * by[0] + more[0]

    found = relay.jit(lambda x: helper(x) + 1)
    np.testing.assert_array_equal(found(X), X * 2 + 3)
    scales[0] = 3.0
    np.testing.assert_array_equal(found(X), X * 3 + 4)


nested = {"layers": [{"w": np.ones(3, np.float32)}], "names": ("a", "b")}
weights = np.ones(3, np.float32)


@function
def deep(x: Tensor[3]) -> Tensor[3]:
    return x * nested["layers"][0]["w"] + weights


def test_a_nested_container_and_an_array_that_change_are_seen(monkeypatch):
    np.testing.assert_array_equal(deep(X), X + 1)
    module = deep.module
    assert deep.module is module
    monkeypatch.setitem(nested["layers"][0], "w", np.full(3, 2, np.float32))
    np.testing.assert_array_equal(deep(X), X * 2 + 1)
    weights[1] = np.nan
    np.testing.assert_array_equal(deep(X), [3, np.nan, 7])
    module = deep.module
    assert deep.module is module


@function
def whole(x: float32) -> int32:
    return int(x)


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 3e9])
def test_what_is_no_integer_stops_the_program(x):
    assert whole(-2.7) == -2
    assert relay.compile(whole)(2e9) == 2000000000
    with pytest.raises((OverflowError, ValueError)):
        np.int32(whole.python(x))
    with pytest.raises(RunError):
        whole(x)
    with pytest.raises(RunError):
        relay.compile(whole)(x)


@data
class Holder:
    held: Tensor[3]

    def copy(self) -> Tensor[3]:
        return self.held


@function
def writes_to_what_it_holds(holder: Holder) -> Tensor[3]:
    row = holder.copy()
    row[0] = 7.0
    return holder.held


def test_a_method_named_copy_need_not_copy():
    with pytest.raises(RelayImportError) as caught:
        _ = writes_to_what_it_holds.module
    assert caught.value.code == "F116"


def test_a_module_that_nothing_changed_is_the_same():
    assert configured.module is configured.module


def test_a_mistake_is_told_again():
    @function
    def wrong(x: Tensor[3]) -> Tensor[3]:
        return x * missing  # pyright: ignore[reportUndefinedVariable]

    for _ in range(2):
        with pytest.raises(RelayImportError, match="F108"):
            wrong(X)


def test_an_attribute_that_is_not_there():
    @function
    def wrong(x: Tensor[3]) -> Tensor[3]:
        return x * settings.width  # pyright: ignore[reportAttributeAccessIssue]

    with pytest.raises(RelayImportError, match="the object Settings has no attribute width"):
        wrong(X)


def test_classes_in_a_function_name_each_other():
    @data
    class Leaf:
        value: float32

    @data
    class Node:
        left: "Tree"
        right: "Tree"
        weight: float32 = 2.0

        def first(self) -> "Tree":
            return self.left

    Tree = Leaf | Node  # noqa: N806 - a type

    @function
    def total(tree: "Tree") -> float32:
        match tree:
            case Leaf(value):
                return value
            case Node(left, right, weight):
                return weight * (total(left) + total(right))

    assert total(Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0), 1.0))) == 12


@function
def root(x: float32) -> float32:
    if x < 0:
        raise ValueError("a root of a negative number")
    assert x < 100, "too large"
    return np.sqrt(x)


@function
def powers(base: int32, exponent: int32) -> int32:
    return base**exponent


@pytest.mark.parametrize("way", [lambda f: f, relay.compile], ids=["evaluated", "compiled"])
def test_assertions_and_exceptions_stop_the_program(way):
    run = way(root)
    assert run(np.float32(4.0)) == 2
    with pytest.raises(RunError, match=r"ValueError: a root of a negative number"):
        run(np.float32(-1.0))
    with pytest.raises(RunError, match=r"AssertionError: too large"):
        run(np.float32(101.0))
    power = way(powers)
    assert power(np.int32(-3), np.int32(5)) == -243
    assert power(np.int32(3), np.int32(41)) == np.array(3**41 % 2**32, np.uint32).view(np.int32)
    with pytest.raises(RunError, match="negative exponent"):
        power(np.int32(3), np.int32(-1))


@data
class Nil:
    pass


@data
class Cons:
    head: float32
    tail: "Env"


Env = Nil | Cons


@function
def look(env: Env, i: int32) -> float32:
    match env:
        case Nil():
            raise ValueError("unbound")
        case Cons(head, _) if i == 0:
            return head
        case Cons(_, tail):
            return look(tail, i - 1)


@function
def first(env: Env, _: int32) -> float32:
    match env:
        case Nil():
            raise ValueError("unbound")
        case Cons(head, _):
            found = head
    return found + 1.0


@function
def not_empty(env: Env, i: int32) -> int32:
    match env:
        case Nil():
            raise ValueError("unbound")
        case Cons():
            pass
    return i


@function
def heads(env: Env, i: int32) -> float32:
    total = 0.0
    while i > 0:
        match env:
            case Nil():
                raise ValueError("unbound")
            case Cons(head, tail):
                total += head
                env = tail
        i -= 1
    return total


@pytest.mark.parametrize("way", [lambda f: f, relay.compile], ids=["evaluated", "compiled"])
@pytest.mark.parametrize(
    ("program", "stops", "goes_on"),
    [(look, 2, (1, 3.0)), (first, None, (0, 3.0)), (not_empty, None, (4, 4)), (heads, 3, (2, 5.0))],
)
def test_a_case_may_raise_beside_others(way, program, stops, goes_on):
    run, env = way(program), Cons(np.float32(2), Cons(np.float32(3), Nil()))
    if stops is not None:
        with pytest.raises(RunError, match="ValueError: unbound"):
            run(env, np.int32(stops))
    with pytest.raises(RunError, match="ValueError: unbound"):
        run(Nil(), np.int32(1))
    i, expected = goes_on
    value = run(Cons(np.float32(2), Nil()) if program is first else env, np.int32(i))
    assert value == expected


@function
def checked(x: float32) -> float32:
    if x > 1:
        assert x < 2, "too large"
    if x < -1:  # noqa: SIM102 - the branch around is what is tested
        if x < -2:
            raise ValueError("too small")
    return x


@pytest.mark.parametrize("way", [lambda f: f, relay.compile], ids=["evaluated", "compiled"])
def test_branches_that_assign_nothing_stop_the_program_too(way):
    run = way(checked)
    assert run(np.float32(1.5)) == 1.5
    assert run(np.float32(-1.5)) == -1.5
    with pytest.raises(RunError, match="AssertionError: too large"):
        run(np.float32(2.0))
    with pytest.raises(RunError, match="ValueError: too small"):
        run(np.float32(-3.0))


def changes_what_the_caller_has(n, holder):
    mine = holder.items
    holder.flip(n)
    mine[0] = 100.0
    return holder.items[0]


def changes_an_operand(n, holder):
    return change_first(holder.items, holder.flip(n)) + holder.items[0]


def change_first(items, value):
    items[0] = value
    return items[1]


@function
def on_the_stack(n: int32, x: float32):
    return changes_what_the_caller_has(n, holders.Holder([x, x], [x * 2, x]))


@function
def among_operands(n: int32, x: float32):
    return changes_an_operand(n, holders.Holder([x, x], [x * 2, x]))


@pytest.mark.parametrize("program", [on_the_stack, among_operands])
def test_lists_that_only_the_stack_of_python_has_do_not_change_apart(program):
    with pytest.raises(RelayError) as caught:
        program(1, 1.5)
    assert caught.value.code == "F116"

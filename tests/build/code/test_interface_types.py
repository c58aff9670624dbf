"""Values of data types into compiled programs and out of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime.adt_executable import DataExecutable
from relay.runtime.artefact import Container, write_container
from relay.runtime.code.interface_types import Data
from relay.runtime.native_executable import NativeExecutable
from relay.support.errors import RunError
from tests.build.code.test_programs import HEAD, LIST, live_blocks

ONES = np.ones(2, np.float32)

DOUBLED = (
    LIST
    + """
def @main(%l: List[Tensor[(2), float32]]) -> List[Tensor[(2), float32]] {
  match (%l) { Cons(%h, %t) => Cons(add(%h, %h), @main(%t)), Nil => Nil }
}
"""
)
COUNTED = (
    LIST
    + """
def @count(%l: List[(int32, Tensor[(2), float32])], %n: int32) -> int32 {
  match (%l) { Cons(%h, %t) => @count(%t, add(%n, %h.0)), Nil => %n }
}
def @main(%l: List[(int32, Tensor[(2), float32])]) -> int32 { @count(%l, 0) }
"""
)
TREE = """
type Tree { Leaf(float32), Node(Tree, Tree) }
def @main(%t: Tree, %k: float32) -> (Tree, (float32, Tree)) {
  match (%t) {
    Leaf(%x) => (Leaf(multiply(%x, %k)), (%x, %t)),
    Node(%a, %b) => let %p = @main(%a, %k); let %q = @main(%b, %k);
      (Node(%q.0, %p.0), (add(%p.1.0, %q.1.0), %t)),
  }
}
"""


def compiled(text: str) -> Any:
    return relay.compile(relay.parse(HEAD + text), threads=1)


def listed(items: Any) -> Data:
    made = Data("Nil")
    for item in reversed(items):
        made = Data("Cons", (item, made))
    return made


def items_of(data: Data) -> list[Any]:
    found = []
    while data.fields:
        head, data = data.fields
        found.append(head)
    return found


def test_a_list_goes_in_and_comes_out():
    executable = compiled(DOUBLED)
    vectors = [np.array([i, -i], np.float32) for i in range(5)]
    for _ in range(2):
        found = items_of(executable(listed(vectors)))
        np.testing.assert_array_equal(found, 2 * np.array(vectors))
    assert executable(Data("Nil")).constructor == "Nil"
    np.testing.assert_array_equal(items_of(executable(l=listed(vectors[:1])))[0], [0, 0])


def test_fields_that_are_tuples():
    items = [(np.int32(i), np.zeros(2, np.float32)) for i in range(10)]
    assert compiled(COUNTED)(listed(items)) == 45


def test_tuples_of_trees():
    def leaf(x: float) -> Data:
        return Data("Leaf", (x,))

    tree = Data("Node", (leaf(1.0), Data("Node", (leaf(2.0), leaf(4.0)))))
    new, (total, same) = compiled(TREE)(tree, 10.0)
    assert total == 7
    assert new.fields[1].fields[0] == 10
    assert new.fields[0].fields[0].fields[0] == 40
    assert same.fields[0].fields[0] == 1


def test_a_shared_part_is_passed_once():
    shared = Data("Leaf", (1.0,))
    for _ in range(30):
        shared = Data("Node", (shared, shared))
    text = "type Tree { Leaf(float32), Node(Tree, Tree) }\ndef @main(%t: Tree) -> Tree { %t }"
    kept = compiled(text)(shared)
    assert kept.fields[0] is kept.fields[1]


def test_objects_of_dataclasses():
    @dataclass
    class Cons:
        head: Any
        tail: Any

    @dataclass
    class Nil:
        pass

    found = compiled(DOUBLED)(Cons(np.ones(2, np.float32), Nil()))
    np.testing.assert_array_equal(items_of(found), [[2, 2]])


def test_long_lists_go_in_and_out_and_nothing_is_left():
    executable = compiled(DOUBLED)
    found = executable(listed([np.zeros(2, np.float32)] * 100_000))
    count = 0
    while found.fields:
        found, count = found.fields[1], count + 1
    assert count == 100_000
    assert executable(Data("Nil")).fields == ()
    assert live_blocks(executable) == 0


@pytest.mark.parametrize(
    ("given", "code", "expected"),
    [
        (Data("Leaf", (1,)), "R051", r"a List \(Cons, Nil\), given Leaf with 1 field\n"),
        (Data("Cons", (ONES,)), "R051", "Cons with 2 fields, given Cons with 1 field\n"),
        (Data("Cons", (np.zeros(3, "f"), Data("Nil"))), "R005", r"\(2,\), given \(3,\)"),
        (Data("Cons", ("no", Data("Nil"))), "R003", "must be an array of numbers, not str"),
        (Data("Cons", (np.zeros(2), Data("Nil"))), "R006", "float32, given float64"),
        ([1, 2], "R004", r"1 dimensions \(2,\), given 0"),
        (None, "R051", "a List .*, given NoneType"),
    ],
)
def test_what_is_no_value_is_refused(given: Any, code: str, expected: str):
    with pytest.raises(RunError, match=expected) as caught:
        compiled(DOUBLED)(given)
    assert caught.value.code == code


def test_a_wrong_field_says_what_is_around_it():
    for depth, around in ((1, "Cons"), (2, "Cons, inside of Cons"), (9, "inside of 6 more values")):
        given = Data("Cons", ("no", Data("Nil")))
        for _ in range(depth - 1):
            given = Data("Cons", (ONES, given))
        with pytest.raises(RunError, match="R003") as caught:
            compiled(DOUBLED)(given)
        assert caught.value.notes[-1].endswith(around)


def test_arrays_within_values_may_lie_anywhere():
    """Across memory, at odd addresses, in another order of bytes: as inputs may, too."""
    odd = np.frombuffer(b"-" + ONES.tobytes(), np.float32, 2, 1)
    assert not odd.flags.aligned
    given = [np.stack([ONES, ONES], 1)[:, 0], odd, ONES.astype(">f4")]
    np.testing.assert_array_equal(items_of(compiled(DOUBLED)(given)), [[2, 2]] * 3)


def test_functions_do_not_cross():
    with pytest.raises(relay.RelayError, match="cannot be an input or a result") as caught:
        compiled("def @main(%f: fn (float32) -> float32) -> float32 { %f(1f) }")
    assert caught.value.code == "C102"


def test_such_a_program_is_saved_and_loaded(tmp_path):
    executable = compiled(DOUBLED)
    executable.save(tmp_path / "p.relay")
    again = relay.Executable.load(tmp_path / "p.relay")
    assert repr(again) == "<DataExecutable (l: List[float32[2]]) -> (output0: List[float32[2]])>"
    found = again(listed([np.ones(2, np.float32)]))
    np.testing.assert_array_equal(items_of(found), [[2, 2]])


def test_a_program_with_values_needs_an_executable_that_knows_their_types(tmp_path):
    """Its entry reads what is at the addresses that it is given."""
    executable = compiled(DOUBLED)
    assert isinstance(executable, DataExecutable)
    with pytest.raises(AssertionError, match="knows their types"):
        NativeExecutable(executable.program)
    container = executable.pack()
    write_container(tmp_path / "p.relay", Container("native", container.body, container.sections))
    with pytest.raises(relay.RelayError, match="unknown data types") as caught:
        relay.Executable.load(tmp_path / "p.relay")
    assert caught.value.code == "A006"


def test_inputs_of_one_name_are_told_apart():
    first, second = relay.var("x", shape=(2,)), relay.var("x", shape=(2,))
    module = relay.Module.of(
        relay.Function((first, second), relay.Tuple((relay.Tuple((second,)),)))
    )
    executable = relay.compile(module, threads=1)
    ((found,),) = executable(np.zeros(2, np.float32), x_1=np.ones(2, np.float32))
    np.testing.assert_array_equal(found, [1, 1])


def test_measuring_needs_values_of_data_types():
    executable = compiled(DOUBLED)
    one_of_two = compiled(LIST + "def @main(%x: float32, %l: List[float32]) { (%x, %l) }")
    for each in (executable, one_of_two):
        with pytest.raises(relay.RelayError, match="inputs cannot be generated") as caught:
            each.explain()
        assert caught.value.code == "U018"
    given = listed([np.ones(2, np.float32)] * 3)
    assert executable.profile(given, repeats=2).steps[0].milliseconds > 0
    assert "between kernels" in str(executable.explain(given, repeats=1))
    with pytest.raises(relay.RelayError, match="profiled 0 times"):
        executable.profile(given, repeats=0)


def test_no_number_is_taken_for_a_value():
    executable = compiled(DOUBLED)
    for use in (executable, executable.profile, executable.explain):
        with pytest.raises(RunError, match="expected a List"):
            use(np.int64(4096))

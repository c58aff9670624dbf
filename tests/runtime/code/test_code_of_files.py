"""Program code of files with one thing changed: refused as it is read, or where it shows."""

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime.artefact import Container, read_container, write_container
from relay.runtime.code.interface_types import Data
from relay.support.errors import ArtefactError
from tests.build.code.test_programs import HEAD

TREE = """
type E { Num(int32), Add(E, E), Neg(E), Zero }
def @ev(%e: E) -> int32 {
  match (%e) { Num(%x) => %x, Add(%a, %b) => @ev(%a) + @ev(%b), Neg(%a) => 0 - @ev(%a), Zero => 0 }
}
def @main(%e: E) { @ev(%e) }
"""
CLOSURES = """
def @main(%n: int32, %k: int32) {
  let %f = if (%n < 3) { fn (%x: int32) { %x + %k } } else { fn (%x: int32) { %x * %k } };
  %f(%n) + 1
}
"""
BUILT = """
type E { Num(int32), Two(E, E), Zero }
def @main(%n: int32) -> E {
  let %r = ref(Num(%n));
  ref_write(%r, Two(ref_read(%r), Zero));
  ref_read(%r)
}
"""
SUM = Data("Add", (Data("Num", (np.int32(2),)), Data("Neg", (Data("Num", (np.int32(7),)),))))


def saved(folder: Path, text: str) -> tuple[Path, Container, Any]:
    """Return a file, what is in it, and its body as JSON of its own."""
    path = folder / "p.relay"
    relay.vm.compile(relay.parse(HEAD + text)).save(path)
    container = read_container(path)
    return path, container, json.loads(json.dumps(container.body))


def instruction(body: Any, function: int, kind: str, number: int = 0) -> list[Any]:
    """Return the n-th instruction of a class in a function."""
    blocks = body["functions"][function]["blocks"]
    return [each for block in blocks for each in (*block["body"], block["end"]) if each[0] == kind][
        number
    ]


def refused(path: Path, container: Container, body: Any, *args: Any) -> str:
    """Return what is said of a file with another body: as it is read, or as it runs."""
    write_container(path, Container(container.kind, body, container.sections))
    with pytest.raises(ArtefactError) as caught:
        relay.Executable.load(path)(*args)
    assert caught.value.code == "A006"
    return caught.value.message


def refused_unread(path: Path, container: Container, body: Any) -> str:
    """Return what is said of a file with another body as it is read."""
    write_container(path, Container(container.kind, body, container.sections))
    with pytest.raises(ArtefactError) as caught:
        relay.Executable.load(path)
    assert caught.value.code == "A006"
    return caught.value.message


def test_unchanged_files_run(tmp_path):
    path, container, body = saved(tmp_path, TREE)
    write_container(path, Container(container.kind, body, container.sections))
    assert relay.Executable.load(path)(SUM) == -5


def test_a_register_that_was_released_is_not_read(tmp_path):
    path, container, body = saved(tmp_path, TREE)
    instruction(body, 1, "CallFunction")[2] = [0]  # the value that was taken apart
    assert "reads a value before it is computed" in refused_unread(path, container, body)


def test_a_block_of_another_constructor_is_not_taken_apart(tmp_path):
    path, container, body = saved(tmp_path, TREE)
    cases = instruction(body, 1, "Switch")[2]
    cases[0][1], cases[1][1] = cases[1][1], cases[0][1]
    assert refused(path, container, body, SUM) == (
        "the file is invalid: the function 'ev' reads fields that a data value does not have"
    )


def test_a_function_stops_for_a_reason_that_is_known_where_no_stack_is_left(tmp_path):
    path, container, body = saved(tmp_path, TREE)
    body["functions"][1]["exhausted"] = 1000
    assert "refers to an error that does not exist" in refused_unread(path, container, body)
    del body["functions"][1]["exhausted"]
    assert "exhausted" in refused_unread(path, container, body)


def test_a_field_of_another_kind_is_not_read(tmp_path):
    path, container, body = saved(tmp_path, TREE)
    cases = instruction(body, 1, "Switch")[2]
    cases[0][1] = cases[2][1]  # one field as well, but a number
    assert "reads fields that a data value does not have" in refused(path, container, body, SUM)


def test_what_a_closure_takes_along_is_what_its_function_reads(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    instruction(body, 0, "Close")[3] = []
    assert "a value of a wrong type" in refused_unread(path, container, body)


def test_a_block_is_no_closure(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    close = instruction(body, 0, "Close")
    close[:] = ["Construct", close[1], 1, close[3]]
    assert "calls a value that is not a function" in refused(
        path, container, body, np.int32(1), np.int32(2)
    )


def test_a_closure_is_called_as_its_function_is(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    instruction(body, 0, "CallClosure")[2] = []
    assert "with values of wrong types" in refused(path, container, body, np.int32(1), np.int32(2))


@pytest.mark.parametrize("tag", [9, 0])
def test_results_are_values_of_their_types(tmp_path, tag: int):
    path, container, body = saved(tmp_path, BUILT)
    two = next(
        each
        for block in body["functions"][0]["blocks"]
        for each in block["body"]
        if each[0] == "Construct" and len(each[3]) == 2
    )
    two[2] = tag
    assert "or a part of it, is not a " in refused(path, container, body, np.int32(1))


def test_a_result_is_no_part_of_itself(tmp_path):
    path, container, body = saved(tmp_path, BUILT)
    functions = body["functions"][0]
    block = next(b for b in functions["blocks"] if b["end"][0] == "Return")
    (result,) = block["end"][1]
    layout = {"kinds": [["Object"], ["Object"]]}
    block["body"] += [["Retain", result], ["StoreField", result, layout, 0, result]]
    assert "contains itself" in refused(path, container, body, np.int32(1))


def test_what_crosses_the_border_is_what_the_code_takes(tmp_path):
    path, container, body = saved(tmp_path, TREE)
    body["inputs"][0][1] = ["TensorField", [3], "float32"]
    assert "does not match the inputs" in refused_unread(path, container, body)
    body["inputs"] *= 2
    assert "two inputs have the same name" in refused_unread(path, container, body)


def test_a_frame_holds_tensors_that_nobody_else_sees(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    body["functions"][0]["frame"] = [0]
    assert "that may outlive the call" in refused_unread(path, container, body)


def test_branches_go_by_bools(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    instruction(body, 0, "Branch")[1] = 0
    assert "a value that is not a bool" in refused_unread(path, container, body)


def test_tensors_of_rank_0_are_numbers(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    body["functions"][0]["kinds"][0] = ["Tensor", [], "int32"]
    assert "without axes" in refused_unread(path, container, body)


def test_tasks_refer_to_functions(tmp_path):
    path, container, body = saved(tmp_path, CLOSURES)
    names = ("shared", "uniform", "fixed", "rows", "row_inputs", "indirect")
    body["tasks"] = [{"single": 0, "many": 99, **{name: [] for name in names}}]
    assert "a function that does not exist" in refused_unread(path, container, body)


def test_a_loop_without_end_is_interrupted(tmp_path):
    def stop(*_: object) -> None:
        raise TimeoutError

    text = "def @main(%n: int32) -> int32 { if (%n < 0) { %n } else { @main(%n + 2) } }"
    path, container, body = saved(tmp_path, text)
    assert body["functions"][0]["blocks"][0] == {"body": [], "end": ["Jump", 1, [], []]}
    body["functions"][0]["blocks"][0]["end"] = ["Jump", 0, [], []]
    write_container(path, Container(container.kind, body, container.sections))
    endless = relay.Executable.load(path)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(TimeoutError):
            endless(np.int32(0))
    finally:
        signal.signal(signal.SIGALRM, before)

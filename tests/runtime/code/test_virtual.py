"""The virtual machine: the values of the evaluator, step by step if one wants, and its files."""

import dataclasses
import json
import random
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.runtime.artefact import Container, read_container, write_container
from relay.runtime.code import instructions as code
from relay.runtime.code.check_code import check_code
from relay.runtime.code.function import Block
from relay.runtime.code.interface_types import Data
from relay.runtime.code.size_instructions import Arithmetic
from relay.runtime.virtual_machine_executable import VirtualExecutable
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import ArtefactError, RunError
from relay.support.node import replace
from tests.build.code import test_batching as batching
from tests.build.code import test_interface_types as border
from tests.build.code.test_programs import HEAD, LIST, PROGRAMS, VECTOR

HERE = Path(__file__).parent
LIST_PROGRAM = PROGRAMS["a list, there and back"]
FAILS = """
type Option { Some(int32), None }
def @pick(%n: int32) -> Option { if (less(%n, 3)) { Some(%n) } else { None } }
def @main(%n: int32) -> int32 {
  match? (@pick(%n)) { Some(%x) => %x }
}
"""


def virtual(text: str) -> VirtualExecutable:
    executable = relay.vm.compile(relay.parse(HEAD + text))
    check_code(executable.program.code)
    return executable


def assert_close(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            assert_close(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_the_values_of_the_evaluator(name: str):
    module = infer(relay.parse(HEAD + PROGRAMS[name]))
    executable = virtual(PROGRAMS[name])
    expected = evaluate(module, np.int32(6), VECTOR)
    assert_close(executable(np.int32(6), VECTOR), expected)
    assert_close(executable(np.int32(6), VECTOR), expected)


def test_a_straight_line_is_a_program_too():
    text = "def @main(%x: Tensor[(4), float32]) { (nn.relu(%x), sum(%x)) }"
    relu, total = virtual(text)(VECTOR)
    np.testing.assert_array_equal(relu, np.maximum(VECTOR, 0))
    assert total == VECTOR.sum()


def test_calls_that_may_wait_are_carried_out(tmp_path):
    executable = relay.vm.compile(relay.parse(HEAD + batching.TREE), batch=True)
    check_code(executable.program.code)
    tree = batching.random_tree(12)
    expected = batching.state(tree)
    assert_close(executable(tree, batching.W, batching.U), expected)
    executable.save(tmp_path / "p.relay")
    again = relay.Executable.load(tmp_path / "p.relay")
    assert "defer" in cast("VirtualExecutable", again).text
    assert_close(again(tree, batching.W, batching.U), expected)


def test_one_program_runs_any_size(tmp_path):
    executable = virtual("def @main(%x: Tensor[(n, 2), float32]) { (exp(%x), sum(%x)) }")
    executable.save(tmp_path / "p.relay")
    for each in (executable, relay.Executable.load(tmp_path / "p.relay")):
        for size in (1, 5, 64):
            x = np.linspace(0, 1, 2 * size, dtype=np.float32).reshape(size, 2)
            assert_close(each(x), (np.exp(x), x.sum()))


def test_results_belong_to_the_caller():
    executable = virtual("def @main(%x: Tensor[(4), float32]) { (%x, ones(shape=[2])) }")
    given = VECTOR.copy()
    same, ones = executable(given)
    same[0] = 7
    ones[0] = 7
    assert given[0] == VECTOR[0]
    assert executable(given)[1][0] == 1


def test_calls_may_be_as_deep_as_memory_allows():
    text = """
def @count(%n: int32) -> int32 {
  if (less(%n, 1)) { 0 } else { add(1, @count(subtract(%n, 1))) }
}
def @main(%n: int32) -> int32 { @count(%n) }
"""
    assert virtual(text)(np.int32(100_000)) == 100_000


def test_lists_go_in_and_out():
    executable = virtual(border.DOUBLED)
    vectors = [np.array([i, -i], np.float32) for i in range(5)]
    found = border.items_of(executable(border.listed(vectors)))
    np.testing.assert_array_equal(found, 2 * np.array(vectors))
    assert virtual(border.COUNTED)(border.listed([(np.int32(3), vectors[0])] * 4)) == 12


def test_long_lists_go_in_and_out():
    found = virtual(border.DOUBLED)(border.listed([np.zeros(2, np.float32)] * 20_000))
    count = 0
    while found.fields:
        found, count = found.fields[1], count + 1
    assert count == 20_000


def test_what_is_no_value_is_refused_as_by_native_programs():
    with pytest.raises(RunError, match=r"expected a List \(Cons, Nil\), given Leaf") as caught:
        virtual(border.DOUBLED)(Data("Leaf", (1,)))
    assert caught.value.code == "R051"


def test_traps_are_the_same_errors():
    module = relay.parse(HEAD + FAILS)
    for executable in (relay.vm.compile(module), relay.compile(module, threads=1)):
        assert executable(np.int32(2)) == 2
        with pytest.raises(RunError, match="the match has no clause for") as caught:
            executable(np.int32(5))
        assert caught.value.code == "R040"
        assert str(caught.value.span).endswith(":6:3")


def test_every_instruction_can_be_watched():
    steps = list(virtual(LIST_PROGRAM).steps(np.int32(2), VECTOR))
    names = [type(step.instruction).__name__ for step in steps]
    assert names.count("Construct") == 3
    assert max(step.depth for step in steps) == 4
    called = next(step for step in steps if isinstance(step.instruction, code.CallFunction))
    assert called.function == "@main.0"
    assert cast("Any", called.written[0]) == 2  # the callee's first parameter
    less = next(step for step in steps if "less" in step.text)
    assert not cast("Any", less.written[2])
    assert "run-kernel less, %0" in str(less)
    np.testing.assert_allclose(cast("Any", steps[-1].written[0]), VECTOR * 2 + 1, rtol=1e-6)


def test_the_code_is_readable(golden):
    golden(HERE / "golden" / "list.txt", virtual(LIST_PROGRAM).text)
    golden(HERE / "golden" / "cells.txt", virtual(PROGRAMS["cells"]).text)
    golden(HERE / "golden" / "match.txt", virtual(FAILS).text)
    joined = "def @main(%x: Tensor[(n, 2), float32]) { concatenate((exp(%x), %x), axis=0) }"
    golden(HERE / "golden" / "sizes.txt", virtual(joined).text)


def test_the_machine_by_its_old_names():
    machine = relay.vm.VirtualMachine(virtual("def @main(%x: int32, %y: int32) { add(%x, %y) }"))
    assert machine.run(np.int32(1), np.int32(2)) == 3
    machine.set_input("main", np.int32(4), y=np.int32(5))
    assert machine.invoke("main") == 9
    assert machine.get_outputs() == [9]
    assert (machine.get_input_index("y"), machine.get_input_index("z")) == (1, -1)
    with pytest.raises(relay.RelayError, match="no function named 'f'") as caught:
        machine.invoke("f", np.int32(1))
    assert caught.value.code == "U061"


def test_a_function_is_compiled_as_a_module_is():
    x = relay.var("x", shape=(4,))
    executable = relay.vm.compile(relay.Function((x,), relay.nn.relu(x)))
    np.testing.assert_array_equal(executable(VECTOR), np.maximum(VECTOR, 0))


def test_parameters_become_constants():
    module = relay.parse(HEAD + "def @main(%x: int32, %w: int32) { multiply(%x, %w) }")
    executable = relay.vm.compile(module, params={"w": np.int32(3)})
    assert executable(np.int32(5)) == 15


def test_targets_have_names():
    module = relay.parse(HEAD + "def @main(%x: int32) { %x }")
    assert relay.vm.compile(module, target="native")(np.int32(5)) == 5
    with pytest.raises(relay.RelayError, match="unknown machine 'pdp11'") as caught:
        relay.vm.compile(module, target="pdp11")
    assert caught.value.code == "C150"


def test_where_the_time_goes():
    profile = virtual(LIST_PROGRAM).profile(np.int32(5), VECTOR, repeats=2)
    labels = [step.label for step in profile.steps]
    assert labels[-1] == "instructions"
    assert {"add", "less", "subtract"} <= set(labels)
    assert all(step.milliseconds > 0 for step in profile.steps)


# ---- files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [LIST_PROGRAM, PROGRAMS["cells"], PROGRAMS["branches inside values"]]
)
def test_what_is_saved_comes_back(tmp_path, text):
    executable = virtual(text)
    executable.save(tmp_path / "p.relay")
    again = relay.Executable.load(tmp_path / "p.relay")
    assert isinstance(again, VirtualExecutable)
    assert again.text == executable.text
    assert_close(again(np.int32(5), VECTOR), executable(np.int32(5), VECTOR))


def test_one_with_data_too(tmp_path):
    virtual(border.DOUBLED).save(tmp_path / "p.relay")
    again = relay.Executable.load(tmp_path / "p.relay")
    assert (
        repr(again)
        == "<VirtualDataExecutable (l: List[float32[2]]) -> (output0: List[float32[2]])>"
    )
    found = again(border.listed([np.ones(2, np.float32)]))
    np.testing.assert_array_equal(border.items_of(found), [[2, 2]])


def changed(given: Any, choices: random.Random) -> Any:
    """Return JSON with one thing in it replaced, somewhere."""
    if isinstance(given, dict) and given:
        name = choices.choice(sorted(given))
        return {**given, name: changed(given[name], choices)}
    if isinstance(given, list) and given and choices.random() < 0.9:
        at = choices.randrange(len(given))
        return [*given[:at], changed(given[at], choices), *given[at + 1 :]]
    return choices.choice([None, -1, 0, 1, 7, 10**30, "x", "RunKernel", [], {}, [1], 0.5, True])


def code_of_refusal(path: Path) -> str | None:
    """Return the code of the error that loading a file raises; nothing else may come out."""
    try:
        relay.Executable.load(path)
    except relay.RelayError as error:
        return error.code
    return None


def test_files_that_make_no_sense_are_refused(tmp_path):
    path = tmp_path / "p.relay"
    virtual(LIST_PROGRAM).save(path)
    container = read_container(path)
    refused = 0
    for seed in range(400):
        body = changed(json.loads(json.dumps(container.body)), random.Random(seed))
        write_container(
            path, Container("vm", body if isinstance(body, dict) else {}, container.sections)
        )
        refused += code_of_refusal(path) in {"A006", "A007", "A008", "A010", "R012"}
    assert refused > 300


def test_another_version_of_program_code_is_refused(tmp_path):
    path = tmp_path / "p.relay"
    virtual(LIST_PROGRAM).save(path)
    container = read_container(path)
    body = {**container.body, "version": 99}
    write_container(path, Container("vm", body, container.sections))
    with pytest.raises(ArtefactError, match="version 99") as caught:
        relay.Executable.load(path)
    assert caught.value.code == "A006"


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        (code.Move(2, 0), "a value of a wrong type"),
        (code.Move(99, 0), "that do not exist"),
        (code.Construct(0, 0, ()), "as a data value"),
        (code.RunKernel(0, (0, 0, 0), (2,)), "a wrong number of values"),
        (code.RunKernel(99, (0,), (2,)), "kernels that do not exist"),
        (code.CallFunction(1, (1,), (2,)), "a value of a wrong type"),
        (code.CallFunction(99, (1,), (2,)), "functions that do not exist"),
        (code.LoadConstant(0, 99), "constants that do not exist"),
        (code.Close(2, 0, ()), "for captured values"),
        (code.Retain(3), "before it is computed"),
    ],
)
def test_code_is_checked(instruction: code.Instruction, reason: str):
    program = virtual(LIST_PROGRAM).program.code
    main, *others = program.functions
    entry = Block((instruction, *main.blocks[0].body), main.blocks[0].end)
    changed_main = dataclasses.replace(main, blocks=(entry, *main.blocks[1:]))
    with pytest.raises(ArtefactError, match=reason):
        check_code(replace(program, functions=(changed_main, *others)))


@pytest.mark.parametrize("place", ["inputs", "outputs"])
def test_what_kernels_take_and_give_is_checked(place: str):
    """A kernel writes as much as it was compiled for: it is never given a smaller tensor."""
    text = """
    def @main(%x: Tensor[(4), float32], %y: Tensor[(2), float32]) { (exp(%x), exp(%y)) }"""
    program = virtual(text).program.code
    (main,) = program.functions
    instructions = (each for block in main.blocks for each in block.body)
    first, second = (each for each in instructions if isinstance(each, code.RunKernel))
    changed = replace(first, **{place: getattr(second, place)})
    bodies = [tuple(changed if i is first else i for i in b.body) for b in main.blocks]
    blocks = tuple(map(Block, bodies, [block.end for block in main.blocks]))
    wrong = dataclasses.replace(main, blocks=blocks)
    with pytest.raises(ArtefactError, match="a value of a wrong type") as caught:
        check_code(replace(program, functions=(wrong,)))
    assert caught.value.code == "A006"


# ---- levels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("level", range(4))
def test_every_level_gives_the_same(level: int):
    module = relay.parse(HEAD + LIST_PROGRAM)
    expected = evaluate(infer(module), np.int32(4), VECTOR)
    with relay.transform.PassContext(opt_level=level):
        assert_close(relay.vm.compile(module)(np.int32(4), VECTOR), expected)
    assert_close(relay.compile(module, threads=1, opt_level=level)(np.int32(4), VECTOR), expected)


def test_level_0_has_one_operator_a_kernel():
    text = "def @main(%x: Tensor[(4), float32]) { exp(add(%x, 1f)) }"
    module = relay.parse(HEAD + LIST + text)
    with relay.transform.PassContext(opt_level=0):
        assert [use.label for use in relay.vm.compile(module).program.code.kernels] == [
            "add",
            "exp",
        ]
    assert len(relay.vm.compile(module).program.code.kernels) == 1


def test_passes_by_name():
    text = "def @main(%x: Tensor[(4), float32]) { (exp(%x), exp(%x)) }"
    module = relay.parse(HEAD + text)
    assert len(relay.compile(module, threads=1).profile(VECTOR, repeats=1).steps) == 1
    name = "EliminateCommonSubexpressions"
    with relay.transform.PassContext(disabled_pass=[name, "MultiOutputFusion"]):
        assert len(relay.compile(module, threads=1).profile(VECTOR, repeats=1).steps) == 2
    with relay.transform.PassContext(opt_level=1, required_pass=[name]):
        assert len(relay.compile(module, threads=1).profile(VECTOR, repeats=1).steps) == 1


@pytest.mark.parametrize("level", [-1, 5])
def test_there_are_no_other_levels(level: int):
    with pytest.raises(relay.RelayError, match=f"no optimisation level {level}") as caught:
        relay.transform.PassContext(opt_level=level)
    assert caught.value.code == "U060"


@pytest.mark.parametrize(
    ("operation", "left", "right", "result"),
    [
        ("+", 7, 2, 9),
        ("-", 7, 2, 5),
        ("*", 7, 2, 14),
        ("//", 7, 2, 3),
        ("//", -7, 2, -4),
        ("//", 7, 0, 0),
        ("max", 2, 7, 7),
        ("or, if 1,", 1, 7, 7),
        ("or, if 1,", 3, 7, 3),
    ],
)
def test_arithmetic_on_sizes(operation: str, left: int, right: int, result: int):
    assert Arithmetic(operation).value_of(left, right) == result

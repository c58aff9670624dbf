"""`relay run`: inputs from everywhere, what is printed, and what is wrong."""

import json
import re

import numpy as np
import pytest
from onnx import numpy_helper

from relay.build.compile import compile_module
from relay.cli.input_options import chosen_sizes, draw
from relay.frontend.text import parse
from relay.runtime.program import TensorSpec
from relay.support.errors import RelayError

X = np.array([[1.0, 2.0]], np.float32)


@pytest.fixture
def expected():
    weight = np.arange(12, dtype=np.float32).reshape(2, 6) - 5
    return np.maximum(X @ weight, 0)


@pytest.mark.parametrize("kind", ["npy", "npz", "npz-key", "pb", "odd-path", "numbers"])
def test_inputs_come_from_many_places(relay, model, tmp_path, expected, kind):
    np.save(tmp_path / "a.npy", X)
    np.savez(tmp_path / "a.npz", x=X, other=X)
    np.save(tmp_path / "z==1.npy", X)
    (tmp_path / "a.pb").write_bytes(numpy_helper.from_array(X).SerializeToString())
    value = {
        "npy": f"x={tmp_path}/a.npy",
        "npz": f"x={tmp_path}/a.npz",
        "npz-key": f"x={tmp_path}/a.npz:other",
        "pb": f"{tmp_path}/a.pb",
        "odd-path": f"{tmp_path}/z==1.npy",
        "numbers": "x=[[1, 2]]",
    }[kind]
    ran = relay("run", model, "--input", value, "--output", tmp_path / "results")
    assert ran.status == 0, ran.err
    np.testing.assert_allclose(np.load(tmp_path / "results/y.npy"), expected)


def test_what_is_printed(relay, model, expected):
    ran = relay("run", model, "--input", "x=[[1, 2]]", "--threads", "1")
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["x", "float32[1,", "2]", "1", "2", "the", "command", "line"] in lines
    assert any(line[:3] == ["y", "float32[1,", "6]"] for line in lines)
    start = lines.index(["highest", "values", "of", "y", "score"])
    best = [(int(a), float(b)) for a, b in lines[start + 1 : start + 6]]
    order = np.argsort(-expected[0], kind="stable")[:5]
    assert best == [(int(i), float(expected[0, i])) for i in order]
    assert "a call" in lines[-1] or "call" in ran.out


def test_random_inputs_are_those_of_the_seed(relay, model, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        relay("run", model, "--random", "--seed", seed, "--output", tmp_path / name)
    a, b, c = (np.load(tmp_path / name / "y.npy") for name in "abc")
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_open_sizes_are_chosen_or_given(relay, open_model, tmp_path):
    ran = relay("run", open_model, "--random", "--output", tmp_path)
    assert "sizes were chosen" in ran.out
    assert np.load(tmp_path / "y.npy").shape == (1, 6)
    relay("run", open_model, "--random", "--shape", "x=3,2", "--output", tmp_path)
    assert np.load(tmp_path / "y.npy").shape == (3, 6)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "U011"),
        (["--input", "z=1.npy"], "U012"),
        (["--input", "x=absent.npy"], "U013"),
        (["--input", "x=hello"], "U013"),
        (["--random", "--shape", "1,2"], "U010"),
        (["--random", "--shape", "x=1,b"], "U010"),
        (["--random", "--shape", "z=1,2"], "F019"),
        (["--random", "--output", "/proc/none"], "U015"),
        (["--random", "--output", "results.npz"], "U015"),
    ],
)
def test_what_is_refused(relay, model, arguments, code):
    ran = relay("run", model, *arguments)
    assert ran.status == 1
    assert f"error[{code}]" in ran.err


def test_random_inputs_larger_than_the_memory(relay, open_model):
    ran = relay("run", open_model, "--random", "--shape", "x=999999999999999,2")
    assert "error[U013]: random numbers for the input x" in ran.err


NUMBERS = [
    ("int32", "5.9", "R006"),
    ("int32", "5.0", "R006"),
    ("int32", "3000000000", "R006"),
    ("int64", "1e20", "R006"),
    ("uint8", "300", "R006"),
    ("uint8", "-1", "R006"),
    ("float16", "1e9", "R006"),
    ("float32", "true", "R006"),
    ("bool", "2.5", "R006"),
    ("bool", "1", "R006"),
    ("int32", "5", ""),
    ("uint8", "255", ""),
    ("float16", "3", ""),
    ("float32", "Infinity", ""),
    ("bool", "true", ""),
]
"""An element type, a number as it is written, and the code of the error; none where it fits."""


@pytest.mark.parametrize(("dtype", "text", "code"), NUMBERS)
def test_numbers_are_taken_or_refused_as_from_python(relay, tmp_path, dtype, text, code):
    path = tmp_path / "pair.rly"
    path.write_text(f'#[version = "0.0.5"]\ndef @main(%a: {dtype}) {{ (%a, %a) }}')
    ran = relay("run", path, "--input", f"a={text}", "--output", tmp_path)
    assert (f"error[{code}]" in ran.err) if code else not ran.err
    if code and text != "1e9":  # which is infinity to who calls from Python, and is warned
        with pytest.raises(RelayError, match=code):
            compile_module(parse(path.read_text()))(json.loads(text))
    if not code:
        assert np.load(tmp_path / "output0.npy") == json.loads(text)


def test_lists_of_numbers_are_not_rounded(relay, tmp_path):
    path = tmp_path / "list.rly"
    path.write_text('#[version = "0.0.5"]\ndef @main(%a: Tensor[(2), int32]) { %a + %a }')
    assert "error[R006]" in relay("run", path, "--input", "a=[1.7, -1.7]").err
    assert "error[U013]" in relay("run", path, "--input", f"a={'[' * 100000}").err


def test_missing_inputs_are_listed_with_their_types(relay, model):
    ran = relay("run", model)
    assert "x: float32[1, 2]" in ran.err
    assert "--input x=FILE.npy" in ran.err


@pytest.mark.parametrize(("option", "given"), [("--input", "x=[1, 2]"), ("--shape", "x=1,2")])
def test_an_input_has_one_value(relay, model, option, given):
    ran = relay("run", model, option, given, option, given)
    assert f"the option {option} has two values for the input 'x'" in ran.err


def test_pickled_objects_are_not_loaded(relay, model, tmp_path):
    np.save(tmp_path / "bad.npy", np.array([{}], object), allow_pickle=True)
    ran = relay("run", model, "--input", f"x={tmp_path}/bad.npy")
    assert "U013" in ran.err


def test_open_dimensions_that_share_a_name_share_a_size():
    specs = [TensorSpec("a", ("n", "m"), "float32"), TensorSpec("b", ("m", 2), "int64")]
    sizes = chosen_sizes(specs, {"a": (5, 7)})
    assert sizes == {"n": 5, "m": 7}
    array = draw(specs[1], sizes, np.random.default_rng(0))
    assert array.shape == (7, 2)
    assert set(np.unique(array)) <= {0, 1}


HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
MANY = (
    HEAD
    + """
def @count(%n: int32) -> List[int32] { if (%n > 0) { Cons(%n, @count(%n - 1)) } else { Nil } }
def @main(%n: int32) -> (List[int32], (int32, float32)) { (@count(%n), (%n, 2f)) }
"""
)


def test_results_that_are_data_or_tuples_are_printed(relay, tmp_path):
    path = tmp_path / "many.rly"
    path.write_text(MANY)
    ran = relay("run", path, "--input", "n=5")
    assert ran.status == 0, ran.err
    lines = [line.split(maxsplit=2) for line in ran.out.splitlines()]
    assert ["output0", "data", "[5, 4, 3, 2, … 5 in all]"] in [
        [w.strip() for w in x] for x in lines
    ]
    assert any(line[:2] == ["output1.1", "float32[]"] for line in lines)


def test_tuples_are_written_part_by_part_and_data_not_at_all(relay, tmp_path):
    path = tmp_path / "pair.rly"
    path.write_text(HEAD + "def @main(%n: int32) -> (int32, (int32, float32)) { (1, (%n, 2f)) }")
    ran = relay("run", path, "--input", "n=3", "--output", tmp_path / "out")
    assert ran.status == 0, ran.err
    assert np.load(tmp_path / "out" / "output1.0.npy") == 3
    path.write_text(HEAD + "def @main(%n: int32) -> Option[int32] { Some(%n) }")
    ran = relay("run", path, "--input", "n=3", "--output", tmp_path / "out")
    assert ran.status == 1
    assert "error[U015]: the output 'output0' cannot be written: its value is 3" in ran.err


def test_shapes_that_a_compiled_file_does_not_have(relay, model, open_model, tmp_path):
    path = tmp_path / "a.relay"
    relay("compile", model, "-o", path)
    assert "U012" in relay("run", path, "--random", "--shape", "data=1,2").err
    assert "U010" in relay("run", path, "--random", "--shape", "x=2,2").err
    assert "U010" in relay("run", path, "--random", "--shape", "x=1").err
    relay("compile", open_model, "-o", path)
    given = relay("run", path, "--random", "--shape", "x=5,2").out
    assert "float32[5, 6]" in given
    assert "chosen" not in given
    assert "sizes were chosen" in relay("run", path, "--random").out


def test_a_command_line_without_a_command_lists_the_commands(relay):
    ran = relay()
    assert ran.status == 2
    assert "measure the speed of a model" in ran.err


@pytest.mark.parametrize("compiled", [False, True])
def test_a_donated_input_is_overwritten_in_the_measured_calls_only(relay, tmp_path, compiled):
    program, donation = tmp_path / "next.rly", ["--donate", "x=0"]
    program.write_text('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %x + 1f }')
    if compiled:
        assert relay("compile", program, *donation, "-o", tmp_path / "next.relay").status == 0
        program, donation = tmp_path / "next.relay", []
    ran = relay("run", program, "--input", "x=[1, 2]", *donation, "--json")
    assert json.loads(ran.out)["outputs"] == {"output0": [2.0, 3.0]}
    shown = relay("run", program, "--input", "x=[1, 2]", *donation).out
    assert re.search(r"x .*1.*2", shown)

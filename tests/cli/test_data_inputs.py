"""Inputs that are tuples, lists, options and data: written as JSON, or made up."""

import json

import numpy as np
import pytest

from relay.build.compile import compile_module
from relay.frontend.text import parse
from relay.runtime.code.interface_types import Data
from relay.runtime.code.json_arguments import written_value
from relay.runtime.code.signature import ValueSpec
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\ntype Expr { Num(float32), Add(Expr, Expr) }\n'
TYPES = "%xs: List[int32], %p: (int32, Option[Tensor[(2), float32]]), %y: float32"
PLAIN = HEAD + "def @main(" + TYPES + ") { (%xs, %p, %y) }"
TREES = HEAD + "def @main(%e: Option[Expr]) { %e }"


def spec_of(ty: str) -> ValueSpec:
    made = compile_module(parse(HEAD + f"def @main(%a: {ty}) {{ %a }}"))
    (spec,) = made.signature.inputs
    assert isinstance(spec, ValueSpec)
    return spec


def plain(given):
    match given:
        case Data(name, fields):
            return {name: list(map(plain, fields))}
        case tuple():
            return tuple(map(plain, given))
        case list():
            return list(map(plain, given))
        case np.ndarray():
            return given.tolist()
        case _:
            return given


VALUES = [
    ("List[int32]", "[1, 2]", [1, 2]),
    ("List[int32]", '{"Cons": [1, []]}', {"Cons": [1, []]}),
    ("(int32, (float32,))", "[1, [2]]", (1, (2.0,))),
    ("Option[Tensor[(2), float32]]", "null", None),
    ("Option[Tensor[(2), float32]]", "[1, 2]", {"Some": [[1.0, 2.0]]}),
    ("Option[Option[int32]]", '{"Some": [null]}', {"Some": [None]}),
    ("List[(int32, Option[bool])]", "[[1, true], [2, null]]", [(1, {"Some": [True]}), (2, None)]),
    ("Expr", '{"Num": [1]}', {"Num": [1.0]}),
    ("Option[Expr]", '{"Num": [1]}', {"Some": [{"Num": [1.0]}]}),
]


@pytest.mark.parametrize(("ty", "text", "expected"), VALUES)
def test_json_is_read_by_type(ty, text, expected):
    assert plain(written_value(json.loads(text), spec_of(ty))) == expected


MISFITS = [
    ("List[int32]", "5", "U021", "[first, second]"),
    ("(int32, int32)", "[1]", "U021", "a list of its 2 parts"),
    ("(int32, int32)", '{"Pair": [1, 2]}', "U021", "a list of its 2 parts"),
    ("Expr", '{"Sub": []}', "U021", '{"Num": […]} or {"Add": […, …]}'),
    ("Expr", '{"Num": [1, 2]}', "U021", '{"Num": […]} or {"Add": […, …]}'),
    ("Expr", "null", "U021", '{"Num": […]} or {"Add": […, …]}'),
    ("List[int32]", "[1.5]", "R006", "integers from"),
    ("List[int32]", "[null]", "U021", "a number, or a list of numbers"),
    ("List[float32]", '["5"]', "U021", "a number, or a list of numbers"),
    ("(int32, float32)", "[{}, 1]", "U021", "a number, or a list of numbers"),
    ("List[float32]", '["one"]', "U021", "a number, or a list of numbers"),
]


@pytest.mark.parametrize(("ty", "text", "code", "help_"), MISFITS)
def test_what_does_not_fit_is_said_with_the_form_that_does(ty, text, code, help_):
    with pytest.raises(RelayError) as caught:
        written_value(json.loads(text), spec_of(ty))
    assert caught.value.code == code
    assert help_ in str(caught.value.help)


def test_misfits_are_quoted_as_json(relay, file):
    ran = relay("run", file, "--input", 'p={"a": [null, true, "b"]}', "--random")
    assert 'given {"a": [null, true, "b"]}' in ran.err
    ran = relay("run", file, "--input", "y={}", "--random")
    assert "error[U021]: input 'y': expected float32[], given {}" in ran.err


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "plain.rly"
    path.write_text(PLAIN)
    return path


def test_run_takes_json(relay, file):
    ran = relay("run", file, "--input", "xs=[1, 2]", "--input", "p=[7, null]", "--input", "y=3")
    assert ran.status == 0, ran.err
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "xs data [1, 2] the command line" in lines
    assert "p data (7, None) the command line" in lines
    assert "output0 data [1, 2]" in lines


@pytest.mark.parametrize(
    "command", ["run", "explain", pytest.param("bench", marks=pytest.mark.slow)]
)
def test_lists_options_and_tuples_are_made_up(relay, file, command):
    options = {"run": ["--random"], "explain": [], "bench": ["--rounds", 1]}[command]
    ran = relay(command, file, *options)
    assert ran.status == 0, ran.err


@pytest.mark.parametrize("command", ["run", "explain", "bench"])
def test_other_data_is_not_made_up(relay, tmp_path, command):
    path = tmp_path / "trees.rly"
    path.write_text(TREES)
    ran = relay(command, path, *(["--random"] if command == "run" else []))
    assert (
        "error[U018]: no example value of type Expr can be generated for the input 'e'" in ran.err
    )
    if command != "bench":  # it starts processes; `made_up` does so
        ran = relay(command, path, "--input", 'e={"Num": [1]}')
        assert ran.status == 0, ran.err


def test_missing_inputs_are_listed_as_a_call_names_them(relay, file):
    ran = relay("run", file)
    assert "error[U011]" in ran.err
    assert "p: (int32, Option[float32[2]])" in ran.err
    assert "--input p=JSON --input y=FILE.npy" in ran.err
    assert "use one of its inputs: xs, p, y" in relay("run", file, "--input", "p.0=1").err
    assert "error[U013]" in relay("run", file, "--random", "--input", "xs=a.npy").err

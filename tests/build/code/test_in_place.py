"""Programs that write single elements: in place, with what says where and what in the frame."""

import re

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer

HEAD = '#[version = "0.0.5"]\n'
TABLE = "Tensor[(9), int32]"

WRITES = {
    "a constant": "meta[relay.Constant][0]",
    "a number of the step": "reshape(%i * 3, newshape=[1])",
    "a number of the tensor": "reshape(take(%t, %i - 1, axis=0) + 1, newshape=[1])",
}
SEVEN = '{"relay.Constant": [{"shape": [1], "dtype": "int32", "data": "BwAAAA=="}]}'


def program(write: str) -> str:
    return f"""{HEAD}
def @main(%n: int32) -> {TABLE} {{
  let %fill = fn (%i: int32, %t: {TABLE}) -> {TABLE} {{
    if (%i < %n) {{
      %fill(%i + 1, scatter_nd(%t, reshape(%i, newshape=[1, 1]), {write}))
    }} else {{ %t }}
  }};
  %fill(1, zeros(shape=[9], dtype="int32"))
}}
#[metadata]
{SEVEN}
"""


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_loop_writes_into_its_table(write: str):
    module = relay.parse(program(write))
    expected = evaluate(infer(module), np.int32(7))
    np.testing.assert_array_equal(relay.compile(module)(7), expected)
    text = relay.vm.compile(module, "llvm").text
    written = re.search(r"= update scatter_nd, %\d+, (%\d+)", text)
    frames = re.findall(r"in the frame: (.*)", text)
    assert written is not None
    assert any(written[1] in frame.split(", ") for frame in frames)


def test_single_cells_are_read_and_written_without_a_call():
    table = "Tensor[(100, m), float32]"
    module = relay.parse(f"""{HEAD}
def @main(%t: {table}, %n: int32) -> {table} {{
  let %fill = fn (%i: int32, %t: {table}) -> {table} {{
    if (%i < %n) {{
      let %cell = take(take(%t, %i, axis=0, mode="raise"), 1, axis=0, mode="raise");
      let %first = concatenate((reshape(%i, newshape=[1, 1]), reshape(0, newshape=[1, 1])));
      %fill(%i + 1, scatter_nd(%t, %first, reshape(%cell, newshape=[1])))
    }} else {{ %t }}
  }};
  %fill(0, %t)
}}
""")
    table = np.arange(300, dtype=np.float32).reshape(100, 3)
    executable = relay.compile(module)
    found = executable(table, 100)
    np.testing.assert_array_equal(found, table[:, [1, 1, 2]])
    (inlined,) = re.findall("are part of the program: (.*)", str(executable.explain(table, 100)))
    assert "take+take" in inlined


def test_a_loop_writes_rows_into_its_table():
    """As loops of JAX collect results: copying the table in each step made them quadratic."""
    table = "Tensor[(9, 4), float32]"
    module = relay.parse(f"""{HEAD}
def @main(%n: int32, %row: Tensor[(1, 4), float32]) -> {table} {{
  let %fill = fn (%i: int32, %t: {table}) -> {table} {{
    if (%i < %n) {{
      let %at = cast(stack((%i, 0, 1, 4)), dtype="int64");
      let %none = meta[relay.Constant][0];
      let %new = %row * cast(%i, dtype="float32");
      %fill(%i + 1, dyn.set_part(%t, %new, %at, %none, shape=[1, 4]))
    }} else {{ %t }}
  }};
  %fill(1, zeros(shape=[9, 4], dtype="float32"))
}}
#[metadata]
{{"relay.Constant": [{{"shape": [0], "dtype": "int64", "data": ""}}]}}
""")
    row = np.array([[1, 2, 3, 4]], np.float32)
    expected = evaluate(infer(module), np.int32(7), row)
    np.testing.assert_array_equal(relay.compile(module)(7, row), expected)
    assert "= update dyn.set_part" in relay.vm.compile(module, "llvm").text

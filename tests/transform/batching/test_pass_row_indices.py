"""Numbers of rows are passed in place of rows, and are looked at where rows were taken."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, GlobalVar
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.runtime import Data
from relay.semantics.infer import infer
from relay.support.errors import RunError
from relay.transform.batching.pass_row_indices import PassRows
from relay.transform.bind_parameters import bind_parameters
from relay.transform.to_graph_form import ToGraphForm

HEAD = '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil }\n'
V = "Tensor[(4), float32]"
TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
KEPT = f"""{HEAD}
def @run(%items: List[{V}], %row: {V}, %state: {V}) -> {V} {{
  match (%items) {{
    Nil => %state,
    Cons(%item, %rest) => @run(%rest, %row, add(%state, multiply(%item, %row)))
  }}
}}
def @main(%l: List[{V}], %i: int32, %t: Tensor[(3, 4), float32]) -> {V} {{
  let %row = take(%t, %i, axis=0, mode="raise");
  @run(%l, %row, zeros(shape=[4], dtype="float32"))
}}
"""


def with_table(text: str) -> Module:
    return bind_parameters(infer(relay.parse(text)), {"t": TABLE})


def passed(text: str) -> list[list[str]]:
    """Return the types of what is passed to functions whose name begins with `run`."""
    module = PassRows()(ToGraphForm()(with_table(text)))
    calls = [e for f in module.functions.values() for e in post_order(f) if isinstance(e, Call)]
    mine = [c for c in calls if isinstance(c.op, GlobalVar) and c.op.name.startswith("run")]
    return [[repr(arg.type) for arg in call.args[1:]] for call in mine]


def list_of(rows: np.ndarray) -> Data:
    found = Data("Nil")
    for row in reversed(rows):
        found = Data("Cons", (row, found))
    return found


def test_a_row_that_a_function_passes_on_is_a_number():
    assert {types[0] for types in passed(KEPT)} == {"int32"}


def test_a_row_that_changes_on_the_way_is_passed():
    changing = KEPT.replace("@run(%rest, %row,", "@run(%rest, tanh(%row),")
    assert {types[0] for types in passed(changing)} == {"Tensor[(4,), float32]"}


@pytest.mark.parametrize("length", [0, 1, 5])
def test_values_and_numbers_of_no_row(length: int):
    run: Any = relay.compile(with_table(KEPT), threads=1, batch=True)
    rows = np.ones((length, 4), np.float32)
    np.testing.assert_allclose(run(list_of(rows), np.int32(-1)), length * TABLE[-1])
    with pytest.raises(RunError):  # though nobody reads the row of an empty list
        run(list_of(rows), np.int32(3))

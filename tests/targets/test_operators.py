"""Every operator, as the CPU's schedules arrange it, against its reference."""

import pytest

import relay.ops
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.semantics.apply import apply
from relay.testing.operators import arguments, assert_close, instance
from tests.targets.running import run

CASES = [
    pytest.param(cls, example, id=f"{cls.name}-{number}")
    for cls in OPERATORS.values()
    if issubclass(cls, OperatorDef) and cls.has("compute")
    for number, example in enumerate(cls.examples)
]


@pytest.mark.parametrize(("cls", "example"), CASES)
def test_example(cls, example):
    op, values = instance(cls, example), arguments(example)
    assert_close(run(op, values), apply(op, *values), example.tolerance)


def test_there_are_operators():
    assert relay.ops.__doc__
    assert len(CASES) > 300

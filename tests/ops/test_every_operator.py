"""Every operator of the table is held to the laws of `relay.testing.operators`, on its examples."""

import pytest

import relay.ops
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import OPERATORS
from relay.testing import operators

CLASSES = [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]
CASES = [
    pytest.param(cls, example, id=f"{cls.name}-{number}")
    for cls in CLASSES
    for number, example in enumerate(cls.examples)
]
LAWS = {
    "reference": operators.check_reference,
    "symbolic": operators.check_symbolic,
    "decomposition": operators.check_decomposition,
    "derivative": operators.check_derivative,
    "kernel": operators.check_kernel,
    "odd_values": operators.check_odd_values,
}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_class(cls: type[OperatorDef]):
    operators.check_class(cls)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize(("cls", "example"), CASES)
def test_example(cls: type[OperatorDef], example: Example, law):
    law(cls, example)


def test_every_operator_is_reached():
    assert relay.ops.__doc__
    assert len(CLASSES) == len(OPERATORS) > 150
    assert all(cls.examples for cls in CLASSES)

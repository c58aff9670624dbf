"""Every operator of the table is held to the laws of `relay.testing.operators`, on its examples."""

import pytest

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares them
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import OPERATORS
from relay.testing.operators import LAWS, Law, check_class, instance

CLASSES = [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]
CASES = [
    pytest.param(law, cls, example, id=f"{cls.name}-{number}-{law.name}")
    for cls in CLASSES
    for number, example in enumerate(cls.examples)
    for law in LAWS
    if law.applies(cls)
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_class(cls: type[OperatorDef]):
    check_class(cls)


@pytest.mark.parametrize(("law", "cls", "example"), CASES)
def test_example(law: Law, cls: type[OperatorDef], example: Example):
    law.check(instance(cls, example), example)


def test_no_operator_is_left_out():
    assert len(CLASSES) == len(OPERATORS) > 150

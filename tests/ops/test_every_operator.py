"""Tests that every operator satisfies `relay.testing.operator_laws`, on its examples."""

import pytest

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares them
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.table import OPERATORS
from relay.testing.operator_laws import LAWS, Law, check_class, instance

CLASSES = [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]
CASES = [
    pytest.param(law, cls, id=f"{cls.name}-{law.name}")
    for cls in CLASSES
    for law in LAWS
    if law.applies(cls)
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_class(cls: type[OperatorDef]):
    check_class(cls)


@pytest.mark.parametrize(("law", "cls"), CASES)
def test_examples(law: Law, cls: type[OperatorDef]):
    for number, example in enumerate(cls.examples):
        try:
            law.check(instance(cls, example), example)
        except Exception as error:
            error.add_note(f"example {number}: {example}")
            raise


def test_no_operator_is_left_out():
    assert len(CLASSES) == len(OPERATORS) > 150


def test_operators_of_quantised_numbers_are_marked():
    named = {name for name in OPERATORS if name.startswith("qnn.") and "simulated" not in name}
    assert named == {cls.name for cls in CLASSES if cls.quantised}
    assert all(cls.precision is Precision.KEEP for cls in CLASSES if cls.quantised)

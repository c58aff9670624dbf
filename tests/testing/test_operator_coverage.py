"""The inventory of classic operators: complete, and every row is here or left out for a reason."""

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares the operators
from relay.opdef.table import OPERATORS
from relay.testing.operator_coverage import coverage
from relay.testing.tvm_operators import LEFT_OUT, inventory

NAMES = [name for names in inventory().values() for name in names]


def test_the_inventory_is_complete():
    assert len(NAMES) == len(set(NAMES)) == 298
    assert {"nn.conv2d", "qnn.conv2d", "vm.shape_of", "random.uniform"} <= set(NAMES)


def test_every_row_is_here_or_left_out():
    assert {name for name in NAMES if name not in OPERATORS} == set(LEFT_OUT)


def test_derivatives_are_told_apart():
    found = {each.name: each for each in coverage()}
    assert found["nn.conv2d"].derivative == "rule"
    assert found["nn.batch_flatten"].derivative == "parts"
    assert found["floor"].derivative == "zero"
    assert not found["bitwise_and"].derivative
    assert "integers" in found["bitwise_and"].reason
    assert all(each.derivative or each.reason for each in found.values())

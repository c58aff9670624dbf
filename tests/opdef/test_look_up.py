"""Operators are found by name in a process that has loaded none of them."""

import subprocess
import sys

import pytest

TAKEN = """
from relay.op import register
try:
    register("add")
except Exception as error:
    assert error.code == "T059"
else:
    raise SystemExit("the name was not taken")
"""


@pytest.mark.parametrize(
    "program",
    [
        'from relay.dataflow_pattern import is_op; is_op("nn.relu")',
        "from relay.dataflow_pattern import wildcard; wildcard() + wildcard()",
        'import relay; relay.op.get("nn.relu")',
        'from relay.op import register_legalize; register_legalize("add", print)',
        'from relay.op import register_gradient; register_gradient("add", print)',
        TAKEN,
    ],
)
def test_a_new_process_finds_operators(program: str):
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)

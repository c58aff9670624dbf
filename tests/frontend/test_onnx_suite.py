"""The test-suite of the ONNX standard, compiled: a case for each operator, and the listed states.

All cases are run by `python tools/onnx_suite.py`.
"""

import tomllib
from pathlib import Path

import pytest

from tools.onnx_cases import PASSES, case_names, expected_states, sample, short, state

FILE = Path(__file__).with_name("onnx_suite.toml")
EXPECTED = expected_states(FILE)

SHARE = 0.99
"""How many of the cases pass at least."""


@pytest.mark.parametrize("name", sample())
def test_a_case_is_in_the_state_that_is_listed(name: str) -> None:
    found = state(name)
    assert short(found) == EXPECTED.get(name, PASSES), found


def test_nearly_all_cases_pass() -> None:
    known = case_names()
    assert set(EXPECTED) <= set(known)
    assert len(EXPECTED) <= (1 - SHARE) * len(known)


def test_what_is_left_out_has_a_reason() -> None:
    groups = tomllib.loads(FILE.read_text(encoding="utf-8"))["excluded"]
    assert all(group["reason"].endswith(".") for group in groups)
    names = [name for group in groups for name in group["cases"]]
    assert len(set(names)) == len(names)

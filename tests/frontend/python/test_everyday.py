"""Python as people write it has Python's values, evaluated and compiled."""

import pytest

import relay
from relay.frontend.python import PythonFunction
from tests.frontend.python import (
    everyday_algorithms,
    everyday_classes,
    everyday_control,
    everyday_data,
    everyday_endings,
    everyday_functions,
    everyday_holders,
    everyday_lists,
    everyday_matrices,
    everyday_models,
    everyday_numbers,
    everyday_sharing,
    everyday_sizes,
    everyday_traced,
    everyday_trees,
    everyday_ways,
)
from tests.frontend.python.oracle import assert_same, outcomes

HOMES = [
    everyday_algorithms,
    everyday_classes,
    everyday_control,
    everyday_data,
    everyday_endings,
    everyday_functions,
    everyday_holders,
    everyday_lists,
    everyday_matrices,
    everyday_models,
    everyday_numbers,
    everyday_sharing,
    everyday_sizes,
    everyday_traced,
    everyday_trees,
    everyday_ways,
]
CASES = [case for home in HOMES for case in home.CASES]
NAMES = [f"{program.original.__name__}-{i}" for i, (program, _) in enumerate(CASES)]
PROGRAMS = list({program.original: program for program, _ in CASES}.values())


@pytest.mark.parametrize(("program", "arguments"), CASES, ids=NAMES)
def test_it_has_the_value_that_python_gives(program: PythonFunction, arguments):
    assert_same(*outcomes(program, program, arguments))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.original.__name__)
def test_compiled_too(program: PythonFunction):
    compiled = relay.compile(program, threads=1)
    for each, arguments in CASES:
        if each is program:
            assert_same(*outcomes(compiled, program, arguments))


def test_there_are_many():
    assert len(PROGRAMS) >= 60

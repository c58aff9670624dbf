"""Derivatives of random programs; `tools/fuzz_gradients.py` checks many more."""

from collections import Counter

import pytest

from relay.support.errors import TypeWarning
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.gradients import check_gradient_of


@pytest.mark.filterwarnings(f"ignore::{TypeWarning.__module__}.{TypeWarning.__name__}")
def test_gradients_of_random_programs() -> None:
    programs = (random_program(RandomChoices(number), 30) for number in range(24))
    found = Counter(check_gradient_of(each) for each in programs)
    assert found["right"] > 5


@pytest.mark.filterwarnings(f"ignore::{TypeWarning.__module__}.{TypeWarning.__name__}")
def test_every_executor_agrees_on_a_gradient() -> None:
    found = Counter(
        check_gradient_of(random_program(RandomChoices(number), 20), levels=(0, 3))
        for number in range(1000, 1004)
    )
    assert found["right"] > 0

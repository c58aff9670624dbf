"""A sample of what `tools/fuzz_sizes.py` checks on many programs."""

import pytest

from tools.fuzzing.programs import RandomChoices
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.programs.sizes import check_sizes, random_sizes


@pytest.mark.parametrize("number", range(24))
def test_executors_understand_sizes_alike(number: int):
    program = random_sizes(RandomChoices(number), depth=2)
    assert program is None or check_sizes(program)


def test_most_programs_are_accepted_and_some_stop():
    drawn = [random_sizes(RandomChoices(number), depth=2) for number in range(24)]
    programs = [program for program in drawn if program is not None]
    assert len(programs) > 16
    found = [outcome for program in programs[:8] for outcome in check_sizes(program, [0])]
    assert 0 < sum(isinstance(each, Trapped) for each in found) < len(found)


def test_a_program_follows_from_its_number():
    first, again = (random_sizes(RandomChoices(5)) for _ in range(2))
    assert first is not None
    assert again is not None
    assert first.text == again.text

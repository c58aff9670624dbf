"""A sample of what `tools/fuzz_executors.py` checks on many programs."""

from itertools import islice

import numpy as np
import pytest

from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.executors import LEVELS, agrees, check_executors
from tools.fuzzing.programs.open_sizes import check_open_sizes, has_open_sizes
from tools.fuzzing.programs.outcomes import Expected, Trapped
from tools.fuzzing.programs.partial import can_stop, without_clauses


@pytest.mark.parametrize("first", range(0, 24, 4))
def test_all_executors_agree_at_every_level(first: int):
    for number in range(first, first + 4):
        check_executors(random_program(RandomChoices(number), 16), LEVELS)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_reads_behind_tests(first: int):
    for number in range(first, first + 10):
        check_executors(random_program(RandomChoices(number), 16, guarded_reads=True))


def test_one_program_is_right_at_every_size():
    drawn = (random_program(RandomChoices(number), 16) for number in range(100))
    chosen = list(islice(filter(has_open_sizes, drawn), 16))
    assert len(chosen) == 16
    for number, program in enumerate(chosen):
        check_open_sizes(program, level=number % 4)


@pytest.mark.parametrize("level", range(4))
def test_tensors_of_open_lengths_meet(level: int):
    for number in range(3):
        program = random_program(RandomChoices(4 * number + level), 12, open_meetings=True)
        check_open_sizes(program, level=level)


def test_matches_that_lack_a_clause():
    stopped = 0
    for number in range(300):
        choices = RandomChoices(number)
        program = without_clauses(random_program(choices, 12), choices)
        if can_stop(program):
            stopped += isinstance(check_executors(program), Trapped)
        if stopped == 3:
            break
    assert stopped == 3


def test_outcomes_that_are_right():
    traps = frozenset({Trapped("R040", "a:1:2"), Trapped("R056", "a:1:3")})
    one, two = np.array(1.0), np.array(2.0)
    must = Expected(one, traps, must_trap=True)
    may = Expected(one, traps, must_trap=False)
    for found in (Trapped("R040", "a:1:2"), Trapped("R056", "a:1:3")):
        assert must.allows(found, agrees)
        assert may.allows(found, agrees)
    for found in (Trapped("R040", "a:1:3"), Trapped("R054", "a:1:2"), two):
        assert not must.allows(found, agrees)
        assert not may.allows(found, agrees)
    assert may.allows(one, agrees)
    assert not must.allows(one, agrees)
    assert may.allows(Trapped("R040", "a:1:3"), agrees, placed=False)
    assert not agrees((one, two), (one,))
    assert not agrees((one, two), (one, one))
    assert agrees((one, two), (one, two))

"""Programs of many random calls of operators, compared with the NumPy references."""

from collections import Counter
from random import Random

from tools.fuzzing.joined.check import Settings, check
from tools.fuzzing.joined.subject import Subject
from tools.fuzzing.operators.rounds import random_subject

CALLS = 32
"""How many calls a program of fixed sizes has."""

OPEN_CALLS, ROUNDS = 10, 60
"""How many calls a program of open sizes has, and at how many shapes it is called."""


def random_subjects(number: int) -> list[Subject]:
    """Return the calls of a program; in every other program types leave sizes open."""
    random = Random(number)  # noqa: S311 - a case, not a secret
    is_open = number % 2 == 1
    return [
        random_subject(random, f"c{place}_", is_open=is_open, rounds=ROUNDS)
        for place in range(OPEN_CALLS if is_open else CALLS)
    ]


def settings_of(number: int) -> Settings:
    """Return how a program is compiled: half of them with few passes and little of LLVM's."""
    places_results = number % 8 < 4
    if number % 4 < 2:
        return Settings(places_results=places_results)
    return Settings(passes=number // 8 % 3, level=number // 4 % 2, places_results=places_results)


def check_calls(number: int, *, alone: bool) -> Counter[str]:
    """Compare the calls of a program with their references, as `check` does."""
    subjects, settings = random_subjects(number), settings_of(number)
    if alone:
        for place, each in enumerate(subjects):
            print(f"{number}.{place}: {each.text}", flush=True)
            check([each], settings)
    return check(subjects, settings)

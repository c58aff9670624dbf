"""Checking many cases: failures are found and told apart, whatever a case does to its process."""

import argparse
import os

from relay.testing.fuzzing import run


def check(number: int) -> None:
    if number == 7:
        os._exit(3)
    if number % 20 == 3:
        raise ValueError("a three")


def test_what_fails_is_reported(capsys):
    status = run(check, argparse.Namespace(first=0, count=40, jobs=2))
    said = capsys.readouterr().out
    assert status == 1
    assert "40 cases, 3 fail" in said
    assert "2 times, first in case 3: ValueError: a three (check)" in said
    assert "1 times, first in case 7: the process died" in said


def test_nothing_found_is_success(capsys):
    assert run(check, argparse.Namespace(first=10, count=5, jobs=1)) == 0
    assert "5 cases, 0 fail" in capsys.readouterr().out

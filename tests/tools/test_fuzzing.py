"""Checking many cases: failures are found and told apart, whatever a case does to its process."""

import argparse
import os
import sys

from tools.fuzzing.cases import run


def check(number: int) -> None:
    if number == 7:
        os._exit(3)
    if number % 20 == 3:
        raise ValueError("a three")


def test_what_fails_is_reported(capsys):
    status = run(check, argparse.Namespace(first=0, count=40, jobs=2, record=None))
    said = capsys.readouterr().out
    assert status == 1
    assert "40 cases, 3 fail" in said
    assert "2 times, first in case 3: ValueError: a three (check)" in said
    assert "1 times, first in case 7: the process died" in said


def test_nothing_found_is_success(capsys):
    assert run(check, argparse.Namespace(first=10, count=5, jobs=1, record=None)) == 0
    assert "5 cases, 0 fail" in capsys.readouterr().out


def test_runs_are_recorded_as_rows_of_a_table(tmp_path, monkeypatch, capsys):
    table = tmp_path / "counts.md"
    arguments = ["tools/fuzz_threes.py", "--first", "20", "--size=4", "--count", "5", "--jobs=1"]
    monkeypatch.setattr(sys, "argv", arguments)
    for first in (20, 30):
        run(check, argparse.Namespace(first=first, count=5, jobs=1, record=table))
    heading, _, failed, passed = table.read_text(encoding="utf-8").splitlines()
    assert heading.split(" | ")[1:5] == ["command", "first case", "cases", "fail"]
    assert failed.split(" | ")[1:5] == ["fuzz_threes --size=4", "20", "5", "1"]
    assert failed.endswith(" | 23 |")
    assert passed.split(" | ")[1:5] == ["fuzz_threes --size=4", "30", "5", "0"]
    assert "5 cases" in capsys.readouterr().out

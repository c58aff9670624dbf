"""`make conformance`: what it runs, and what the table says of checks that cannot run."""

import sys

import numpy as np
import pytest

from tools import conformance, conformance_checks
from tools.conformance import Check


def test_every_check_has_a_name_of_its_own():
    names = [check.name for check in conformance.checks()]
    assert len({*names}) == len(names)
    pythons = conformance_checks.PYTHONS
    assert [f"wheel on Python {python}" for python in pythons] == names[:4]
    commands = [check.command for check in conformance.checks() if check.command]
    assert {command[0] for command in commands} <= {sys.executable, "make"}


def test_a_check_without_its_packages_is_no_failure():
    line, failed = conformance.row(Check("x", ("false",), ("no-such-package", "numpy")))
    assert (line, failed) == (
        "| x | not run: no-such-package not installed | – | – | – | – |",
        False,
    )
    line, failed = conformance.row(Check("x", ()))
    assert (line, failed) == ("| x | not run: no such Python here | – | – | – | – |", False)


@pytest.mark.parametrize(("status", "said"), [(0, "3 passed in 1.5s"), (1, "== 1 failed in 2s ==")])
def test_the_last_line_of_a_check_is_its_result(status, said):
    code = f"import sys; print({said!r}); sys.exit({status})"
    line, failed = conformance.row(Check("x", (sys.executable, "-c", code), ("numpy",)))
    assert failed == bool(status)
    assert line.startswith("| x | 3 passed |" if not status else "| x | **failed**: 1 failed |")
    assert f"numpy {np.__version__}" in line


def test_the_whole_name_of_a_check_chooses_that_one_only():
    names = [check.name for check in conformance.checks()]
    chosen = [name for name in names if conformance.is_chosen(name, ["random onnx", "JAX"])]
    assert chosen == ["functions of JAX", "random onnx"]


def test_checks_that_are_not_chosen_keep_their_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(conformance, "PAGE", tmp_path / "page.md")
    first, second = Check("one", (sys.executable, "-c", "print(1)")), Check("two", ("false",))
    monkeypatch.setattr(conformance, "checks", lambda: [first, second])
    assert conformance.main(["one"]) == 0
    (tmp_path / "page.md").write_text(
        conformance.PAGE.read_text().replace("not run yet", "an old result")
    )
    assert conformance.main(["one"]) == 0
    assert "| two | an old result |" in conformance.PAGE.read_text()
    assert conformance.main(["two"]) == 1


def test_a_check_runs_in_the_environment_that_has_its_packages(tmp_path, monkeypatch):
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    monkeypatch.setenv("CONFORMANCE_PYTHONS", str(other))
    everything = dict.fromkeys((*conformance.RELAY, "strange-frame"), "1.5")
    known = {sys.executable: {}, str(other): everything}
    monkeypatch.setattr(conformance, "versions", known.__getitem__)
    code = "import os; print(os.environ['PYTHONPATH'])"
    check = Check("x", (sys.executable, "-c", code), ("strange-frame",))
    assert conformance.environment_of(check) == str(other)
    line, failed = conformance.row(check)
    assert not failed
    assert str(conformance.ROOT) in line
    assert "strange-frame 1.5" in line


def test_names_of_packages_are_normalised():
    assert conformance.versions(sys.executable)["ml-dtypes"]


def test_a_check_with_a_table_points_to_it():
    tables = {check.table for check in conformance.checks()} - {""}
    results = conformance.ROOT / "benchmarks" / "results"
    assert tables == {path.stem for path in results.glob("*.md") if path.stem in tables}
    assert "](../benchmarks/results/chains.md)" in Check("x", (), table="chains").not_run
    assert Check("x", ()).not_run == "| x | not run yet | – | – | – | – |"


def test_a_result_says_its_commit_and_why_tests_were_skipped():
    said = "SKIPPED [2] tests/a.py:3: no wine\\nSKIPPED [1] tests/b.py:4: no wine\\n3 skipped in 1s"
    line, _ = conformance.row(Check("x", (sys.executable, "-c", f'print("{said}")')))
    assert line.startswith("| x | 3 skipped (3 × no wine) |")
    assert f" | {conformance.state_of()} | " in line


def test_a_row_that_points_to_a_table_says_when_the_table_changed(monkeypatch):
    monkeypatch.setattr(conformance_checks, "git", lambda *_: "2026-01-02 abc1234")
    check = Check("x", (), table="chains")
    assert check.not_run.endswith("/chains.md) | – | 2026-01-02 | abc1234 | – |")
    assert conformance.row(check) == (check.not_run, False)


def test_a_sample_of_tests_is_called_one(monkeypatch):
    monkeypatch.setattr(conformance_checks, "EVERY", "20")
    monkeypatch.setattr(conformance, "EVERY", "20")
    assert conformance_checks.pytest("-m", "slow")[-4:] == ("--every", "20", "-m", "slow")
    code = (sys.executable, "-c", "print('3 passed in 1s')", "--every")
    assert conformance.row(Check("x", code))[0].startswith("| x | one in 20 tests: 3 passed |")

"""tools/mutants.py and its parts: which changes are drawn, and how they are applied."""

import ast
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from tools.mutant_patch import UnpatchableError, patch
from tools.mutant_sites import Sites, mutants_of

SOURCE = b'''"""What the module does."""

RULES = (Rule(1), Rule("x"))


@decorated(limit=3)
def first(items: list[int] = [0], *, strict: bool = True) -> int | None:
    """Return it."""
    assert len(items) < 5, "few"
    found = [each for each in items if each > 1 and strict]
    if not found:
        log(found)
        return min(items)
    match found:
        case [one] if known(one):
            return one
        case _:
            raise ValueError(f"{1 + 1}")
'''


def test_each_kind_of_change_is_drawn():
    found = {(each.line, each.old, each.new) for each in mutants_of("f.py", SOURCE)}
    assert found >= {
        (3, '(Rule(1), Rule("x"))', "((Rule('x'),))"),
        (7, "True", "(False)"),
        (7, "0", "(1)"),
        (10, "each > 1", "(each >= 1)"),
        (10, "each > 1 and strict", "(each > 1 or strict)"),
        (10, "each > 1 and strict", "(strict)"),
        (11, "not found", "(found)"),
        (12, "log(found)", "pass"),
        (13, "min(items)", "(max(items))"),
        (15, "known(one)", "(not known(one))"),
    }


def test_assertions_errors_annotations_and_docstrings_stay():
    assert {each.line for each in mutants_of("f.py", SOURCE)} == {3, 7, 10, 11, 12, 13, 15}


def test_each_mutant_of_a_real_file_is_another_program():
    path = Path(__file__).parents[2] / "relay/transform/fusion_groups.py"
    source = path.read_bytes()
    same = ast.dump(ast.parse(source))
    found = mutants_of("fusion_groups.py", source)
    assert len(found) > 100
    assert all(ast.dump(ast.parse(each.applied(source))) != same for each in found[::20])


def test_a_mutant_knows_its_function():
    found = mutants_of("f.py", SOURCE)
    assert {each.function for each in found} == {"", "first"}
    inner = mutants_of("f.py", b"class A:\n def f(self):\n  def g():\n   return 1")
    assert [each.function for each in inner] == ["A.f.<locals>.g"]


def test_a_change_keeps_the_lines_of_what_follows():
    source = b"x = f(\n    1,\n    2,\n)\nf(\n    1\n)\ny = 1\n"
    changed = [each.applied(source) for each in mutants_of("f.py", source)]
    assert b"x = (f(2, 1)\n\n\n)\nf(" in changed[0]
    assert b"pass\n\n\ny = 1\n" in changed[3]
    assert {each.count(b"\n") for each in changed} == {8}


def test_the_same_changes_of_a_function_have_numbers():
    names = [str(each) for each in mutants_of("f.py", b"def f():\n  g(1)\n  g(1)")]
    assert names == [
        "f.py:f: `g(1)` → `pass`",
        "f.py:f: `1` → `(2)`",
        "f.py:f: `g(1)` → `pass` (2)",
        "f.py:f: `1` → `(2)` (2)",
    ]


def test_a_mutant_is_found_where_its_file_or_its_function_has_another_name():
    now = mutants_of("a/new.py", b"class New:\n def f(self):\n  return 1 < self.x")
    now += mutants_of("b/f.py", b"def g():\n  return 2 < x")
    change = "`1 < self.x` → `(1 <= self.x)`"
    sites = Sites(now)
    assert sites.find(f"a/new.py:New.f: {change}") is now[0]
    assert sites.find(f"a/old.py:Old.f: {change}") is now[0]
    assert sites.find(f"a/old.py:f_before: {change}") is now[0]
    assert sites.find(f"b/old.py:Old.f: {change}") is None
    assert sites.find("b/f.py:g: `1` → `(2)`") is None


VICTIM = """
LIMIT = 3

def plain(x):
    return x + 1

def outer(k):
    def inner(x):
        return k + x
    return inner

class A:
    def method(self, x, more=2):
        return [each * more for each in range(x)]
"""


@pytest.fixture
def victim(tmp_path, monkeypatch):
    (tmp_path / "mutant_victim.py").write_text(VICTIM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.reload(importlib.import_module("mutant_victim"))


def changed(old: str, new: str) -> bytes:
    assert VICTIM.count(old) == 1
    return VICTIM.replace(old, new).encode()


def test_functions_that_live_are_replaced(victim):
    made = victim.outer(10)
    patch("mutant_victim.py", changed("x + 1", "x - 1"))
    assert victim.plain(5) == 4
    patch("mutant_victim.py", changed("each * more", "each + more"))
    assert victim.A().method(2) == [2, 3]
    patch("mutant_victim.py", changed("k + x", "k - x"))
    assert made(1) == victim.outer(10)(1) == 9


@pytest.mark.parametrize(
    "change", [("LIMIT = 3", "LIMIT = 4"), ("more=2", "more=3"), ("k + x", "x")]
)
def test_what_runs_at_import_is_not_replaced(victim, change):
    made = victim.outer(10)
    with pytest.raises(UnpatchableError):
        patch("mutant_victim.py", changed(*change))
    assert made(1) == 11


@pytest.fixture
def mutant_table(monkeypatch) -> Any:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "tools")
    return importlib.import_module("mutant_table")


def test_arbitrary_limits_count_as_not_caught_and_equivalent_mutants_do_not(mutant_table):
    ran = {"tests": ["a"]}
    outcomes = {"a": {**ran, "caught": "a"}, "b": ran, "c": ran, "d": ran}
    kinds = {"b": "equivalent", "c": "gone", "d": "arbitrary limit"}
    reasons = {name: mutant_table.Reason(what, "because") for name, what in kinds.items()}
    page = mutant_table.table({"few": outcomes}, reasons)
    assert "| few | 4 | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 50.0% | 50.0% |" in page
    assert "## Arbitrary limit\n\n- d: because" in page


def test_an_equivalent_mutant_of_a_file_that_is_not_there_is_gone(
    mutant_table, tmp_path, monkeypatch
):
    name = "relay/nowhere/lost.py:f: `1` → `(2)`"
    monkeypatch.setattr(mutant_table, "REASONS", tmp_path / "reasons.json")
    mutant_table.REASONS.write_text(json.dumps({"equivalent": {name: "why"}}), encoding="utf-8")
    assert mutant_table.reasons()[name].kind == "gone"

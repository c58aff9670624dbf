"""tools/mutants.py and its parts: which changes are drawn, and what they do to a source."""

import ast
from pathlib import Path

from tools.mutant_sites import mutants_of

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
    path = Path(__file__).parents[2] / "relay/transform/fuse_operators.py"
    source = path.read_bytes()
    same = ast.dump(ast.parse(source))
    found = mutants_of("fuse_operators.py", source)
    assert len(found) > 100
    assert all(ast.dump(ast.parse(each.applied(source))) != same for each in found)


def test_a_mutant_knows_its_function():
    found = mutants_of("f.py", SOURCE)
    assert {each.function for each in found} == {"", "first"}
    inner = mutants_of("f.py", b"class A:\n def f(self):\n  def g():\n   return 1")
    assert [each.function for each in inner] == ["A.f.<locals>.g"]

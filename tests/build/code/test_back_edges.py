"""Loops have back edges, branches have none."""

from relay.build.code.back_edges import back_edges
from relay.runtime.code.function import Block, CodeFunction
from relay.runtime.code.instructions import Branch, Jump, Return, Terminator


def function(*ends: Terminator) -> CodeFunction:
    return CodeFunction("f", (), 0, (), tuple(Block((), end) for end in ends))


def test_a_branch_whose_arms_meet_in_a_lower_block_has_none():
    assert back_edges(function(Branch(0, 2, 3), Return(()), Jump(1), Jump(1))) == set()


def test_loops_within_loops_and_in_arms():
    inner = function(Jump(1), Branch(0, 2, 4), Branch(0, 2, 3), Jump(1), Return(()))
    assert back_edges(inner) == {2, 3}
    assert back_edges(function(Branch(0, 1, 2), Jump(1), Return(()))) == {1}


def test_blocks_that_nothing_leads_to_do_not_count():
    assert back_edges(function(Return(()), Jump(1))) == set()


def test_long_chains_are_followed():
    ends = [*(Jump(i + 1) for i in range(50_000)), Branch(0, 0, 50_001), Return(())]
    assert back_edges(function(*ends)) == {50_000}

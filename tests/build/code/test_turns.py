"""Where functions turn back: loops do, branches do not."""

from relay.build.code.turns import turns_back
from relay.runtime.code.function import Block, CodeFunction
from relay.runtime.code.instructions import Branch, Jump, Return, Terminator


def function(*ends: Terminator) -> CodeFunction:
    return CodeFunction("f", (), 0, (), tuple(Block((), end) for end in ends))


def test_a_branch_whose_arms_meet_in_a_lower_block_does_not():
    assert turns_back(function(Branch(0, 2, 3), Return(()), Jump(1), Jump(1))) == set()


def test_a_loop_does_and_one_within_it_and_one_in_an_arm():
    inner = function(Jump(1), Branch(0, 2, 4), Branch(0, 2, 3), Jump(1), Return(()))
    assert turns_back(inner) == {2, 3}
    assert turns_back(function(Branch(0, 1, 2), Jump(1), Return(()))) == {1}


def test_blocks_that_nothing_leads_to_do_not_count():
    assert turns_back(function(Return(()), Jump(1))) == set()


def test_long_chains_are_followed():
    ends = [*(Jump(i + 1) for i in range(50_000)), Branch(0, 0, 50_001), Return(())]
    assert turns_back(function(*ends)) == {50_000}

"""The driver of rewriting rules: fixpoints, sharing, uses, effects, and rules without end."""

from collections.abc import Callable

import pytest

import relay
from relay.ir.dataflow.expression_patterns import TuplePattern, is_constant
from relay.ir.dataflow.matching import Found
from relay.ir.dataflow.patterns import DFPattern, operators, wildcard
from relay.ir.expr import Call, Expr, Operator, Tuple, Var
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.ops.binary import Add, Multiply, Subtract
from relay.ops.elementwise import Abs, Negative
from relay.ops.transcendental import Exp, Tanh
from relay.support.errors import UsageError
from relay.transform.rewriting import Rule, make_normal

X = Var("x", TensorType((4,)))
x, y = wildcard(), wildcard()


def call(op: Operator, *args: Expr) -> Call:
    return Call(op, args)


def pattern(op: type[Operator], *args: DFPattern) -> DFPattern:
    return operators(op)(*args)


def rule(pattern: DFPattern, replacement: Callable[[Found], Expr | None]) -> Rule:
    return Rule(pattern, replacement)


def names(expr: Expr) -> list[str]:
    calls = [each for each in post_order(expr) if isinstance(each, Call)]
    return [each.op.name for each in calls if isinstance(each.op, Operator)]


DOUBLE_NEGATIVE = rule(pattern(Negative, pattern(Negative, x)), lambda found: found[x])
ABS_OF_NEGATIVE = rule(pattern(Abs, pattern(Negative, x)), lambda found: call(Abs(), found[x]))


def test_what_a_rule_makes_is_rewritten_too():
    # abs(-(-(-x))): the inner pair goes first, and what is left meets the other rule
    body = call(Abs(), call(Negative(), call(Negative(), call(Negative(), X))))
    found = make_normal(body, (ABS_OF_NEGATIVE, DOUBLE_NEGATIVE))
    assert names(found) == ["abs"]


def test_new_operands_become_normal_before_the_node_itself():
    # exp(x) is made as -(-tanh(x)), whose pair disappears at once
    grow = rule(
        pattern(Exp, x), lambda found: call(Negative(), call(Negative(), call(Tanh(), found[x])))
    )
    assert names(make_normal(call(Exp(), X), (grow, DOUBLE_NEGATIVE))) == ["tanh"]


def test_nothing_to_do_gives_the_same_object():
    body = call(Abs(), call(Exp(), X))
    assert make_normal(body, (ABS_OF_NEGATIVE, DOUBLE_NEGATIVE)) is body
    refused = rule(pattern(Abs, x), lambda _: None)
    itself = rule(pattern(Exp, x), lambda found: found[itself_pattern])
    itself_pattern = itself.pattern
    assert make_normal(body, (refused, itself)) is body


def test_a_rule_that_writes_the_same_call_again_changes_nothing():
    body = call(Abs(), call(Exp(), X))
    same = rule(pattern(Abs, x), lambda found: call(Abs(), found[x]))
    assert make_normal(body, (same,)) is body


def test_the_first_rule_that_makes_something_counts():
    first = rule(pattern(Abs, x), lambda _: None)
    second = rule(pattern(Abs, x), lambda found: call(Exp(), found[x]))
    third = rule(pattern(Abs, x), lambda found: call(Tanh(), found[x]))
    assert names(make_normal(call(Abs(), X), (first, second, third))) == ["exp"]


def test_a_shared_node_is_rewritten_once_and_stays_shared():
    calls = 0

    def once(found: Found) -> Expr:
        nonlocal calls
        calls += 1
        return call(Tanh(), found[x])

    shared = call(Exp(), X)
    for _ in range(60):  # 2^60 paths
        shared = call(Add(), shared, shared)
    found = make_normal(shared, (rule(pattern(Exp, x), once),))
    assert calls == 1
    assert names(found) == ["tanh", *["add"] * 60]


# Uses.

SINGLE = pattern(Exp, x).used_once()
FUSED = rule(pattern(Negative, SINGLE), lambda found: call(Tanh(), found[x]))


def test_a_value_with_two_users_is_left_to_them():
    exp = call(Exp(), X)
    assert names(make_normal(call(Negative(), exp), (FUSED,))) == ["tanh"]
    shared = call(Add(), call(Negative(), exp), exp)
    assert make_normal(shared, (FUSED,)) is shared


def test_what_is_rebuilt_keeps_its_users():
    exp = call(Exp(), call(Negative(), call(Negative(), X)))
    shared = call(Add(), call(Negative(), exp), exp)
    assert names(make_normal(shared, (FUSED, DOUBLE_NEGATIVE))) == ["exp", "negative", "add"]


def test_what_takes_the_place_of_a_shared_node_has_its_users():
    wrapped = call(Abs(), call(Exp(), X))  # exp itself is used once, as long as abs is there
    shared = call(Add(), call(Negative(), wrapped), wrapped)
    skip = rule(pattern(Abs, x), lambda found: found[x])
    assert names(make_normal(shared, (FUSED, skip))) == ["exp", "negative", "add"]


def test_a_user_that_a_rule_has_removed_no_longer_counts():
    exp = call(Exp(), X)
    zero = rule(pattern(Subtract, x, x), lambda _: X)
    body = call(Add(), call(Negative(), exp), call(Subtract(), exp, exp))
    assert names(make_normal(body, (FUSED, zero))) == ["tanh", "add"]


def test_what_a_rule_uses_twice_is_shared():
    twice = rule(pattern(Abs, x), lambda found: call(Add(), call(Negative(), found[x]), found[x]))
    found = make_normal(call(Abs(), call(Exp(), X)), (twice, FUSED))
    assert names(found) == ["exp", "negative", "add"]


# Commutative operands.


def test_operands_of_commutative_operators_match_in_either_order():
    c = is_constant()
    found = rule(pattern(Multiply, x, c), lambda found: call(Abs(), found[x]))
    for body in (X * 2.0, 2.0 * X):
        assert names(make_normal(body, (found,))) == ["abs"]
    ordered = rule(pattern(Subtract, x, c), lambda found: call(Abs(), found[x]))
    assert names(make_normal(2.0 - X, (ordered,))) == ["subtract"]


# Effects.

PAIR = """#[version = "0.0.5"]
def @main(%r: ref(Tensor[(4), float32]), %x: Tensor[(4), float32]) {
  (ref_write(%r, %x), exp(%x))
}
"""
first, second = wildcard(), wildcard()


@pytest.mark.parametrize(
    ("replacement", "is_made"),
    [
        (lambda found: found[second], False),  # drops the write
        (lambda found: found[first], True),  # drops what has no effect
        (lambda found: Tuple((found[second], found[first], found[first])), True),
    ],
)
def test_effects_are_not_dropped(replacement: Callable[[Found], Expr], is_made: bool):
    body = relay.parse(PAIR).main.body
    pair = TuplePattern((first, second))
    after = make_normal(body, (rule(pair, replacement),))
    assert (after is not body) == is_made


def test_effects_keep_their_order():
    body = relay.parse(PAIR.replace("exp(%x)", "ref_read(%r)")).main.body
    pair = TuplePattern((first, second))
    same = rule(pair, lambda found: Tuple((Tuple((found[first],)), found[second], found[first])))
    swapped = rule(pair, lambda found: Tuple((found[second], found[first], X)))
    assert make_normal(body, (swapped,)) is body
    assert make_normal(body, (same,)) is not body


# Rules without end, and size.


def test_rules_that_undo_one_another_are_refused():
    there = rule(pattern(Abs, x), lambda found: call(Exp(), found[x]))
    back = rule(pattern(Exp, x), lambda found: call(Abs(), found[x]))
    with pytest.raises(UsageError, match="U300"):
        make_normal(call(Abs(), X), (there, back))


def test_rules_that_grow_forever_are_refused():
    more = rule(pattern(Abs, x), lambda found: call(Abs(), call(Abs(), found[x])))
    with pytest.raises(UsageError, match="U300"):
        make_normal(call(Abs(), X), (more,))


def test_a_rule_may_push_something_through_a_deep_program():
    depth = 5_000
    body: Expr = X
    for _ in range(depth):
        body = call(Tanh(), body)
    inwards = rule(
        pattern(Negative, pattern(Tanh, x)),
        lambda found: call(Tanh(), call(Negative(), found[x])),
    )
    found = make_normal(call(Negative(), body), (inwards,))
    assert names(found) == ["negative", *["tanh"] * depth]

"""`relay.ScopeBuilder`: lets and ifs from statements."""

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.support.errors import UsageError


def test_lets_and_ifs_mean_what_was_written():
    x, scope = relay.var("x", "float32"), relay.ScopeBuilder()
    y = scope.let("y", x * 2)
    with scope.if_scope(y < 0):
        scope.ret(-y)
    with scope.else_scope():
        z = scope.let(("z", "float32"), y + 1)
        scope.ret(z * y)
    module = relay.Module.of(relay.Function((x,), scope.get()))
    for number in (-1.5, 2.0):
        y_ = 2 * number
        value = evaluate(module, np.float32(number))
        assert value == (-y_ if y_ < 0 else (y_ + 1) * y_)
    assert scope.type_of(y) is relay.TensorType((), "float32")


def test_lets_stand_in_order():
    scope = relay.ScopeBuilder()
    a = scope.let(relay.var("a", "int32"), relay.const(1))
    scope.let("b", a)
    scope.ret(a)
    program = scope.get()
    assert isinstance(program, relay.Let)
    assert program.var is a
    assert isinstance(program.body, relay.Let)
    assert program.body.var.name == "b"


def test_what_is_refused():
    scope = relay.ScopeBuilder()
    with pytest.raises(UsageError, match="U042"):
        scope.get()
    with pytest.raises(UsageError, match="U041"), scope.else_scope():
        pass
    with scope.if_scope(relay.const(True)):
        scope.ret(relay.const(1))
        with pytest.raises(UsageError, match="U040"):
            scope.ret(relay.const(1))
        with pytest.raises(UsageError, match="U042"):
            scope.get()
    with pytest.raises(UsageError, match="U042"):
        scope.get()

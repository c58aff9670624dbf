"""Ten programs that walk over expressions and types, or change them."""

# Modules of TVM without a file here are found when they are imported.
# pyright: reportMissingImports=none, reportUntypedBaseClass=none

from collections import Counter
from typing import Any

import numpy as np
from relay.dataflow_pattern import DFPatternCallback, is_constant, is_op, rewrite, wildcard
from relay.expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from relay.type_functor import TypeMutator, TypeVisitor

import relay as typed
from tests.classic.running import close, data, run

relay: Any = typed
IRModule = relay.IRModule
F32 = relay.TensorType((2, 3), "float32")


def network():
    x, w = relay.var("x", F32), relay.var("w", shape=(4, 3))
    body = relay.nn.softmax(relay.nn.relu(relay.nn.dense(x, w)))
    return relay.Function([x, w], body)


def test_operators_are_counted():
    class OpCounter(ExprVisitor):
        def __init__(self):
            super().__init__()
            self.ops = Counter()

        def visit_call(self, call):
            if isinstance(call.op, relay.op.Op):
                self.ops[call.op.name] += 1
            super().visit_call(call)

    counter = OpCounter()
    counter.visit(network())
    assert counter.ops == {"nn.softmax": 1, "nn.relu": 1, "nn.dense": 1}


def test_variables_are_renamed():
    class Rename(ExprMutator):
        def visit_var(self, var):
            return relay.Var(f"{var.name_hint}_new", var.type_annotation)

    func = Rename().visit(network())
    assert [param.name_hint for param in func.params] == ["x_new", "w_new"]
    assert relay.structural_equal(func, network())


def test_an_operator_is_replaced():
    class ToTanh(ExprMutator):
        def visit_call(self, call):
            if call.op == relay.op.get("nn.relu"):
                return relay.tanh(self.visit(call.args[0]))
            return super().visit_call(call)

    func = ToTanh().visit(network())
    assert relay.analysis.list_op_freqs(func)["tanh"] == 1
    x, w = data(2, 3), data(4, 3)
    powers = np.exp(np.tanh(x @ w.T))
    close(run(IRModule.from_expr(func), x, w, kind="debug"), powers / powers.sum(1, keepdims=True))


def test_attributes_are_changed():
    class ChangeAxis(ExprMutator):
        def visit_call(self, call):
            args = [self.visit(arg) for arg in call.args]
            if call.op.name == "nn.softmax":
                return relay.nn.softmax(args[0], axis=call.attrs.axis + 1)
            return relay.Call(call.op, args, call.attrs, call.type_args, call.span)

    func = ChangeAxis().visit(network())
    assert func.body.attrs["axis"] == 0


def test_a_functor_computes_a_value():
    class Depth(ExprFunctor):
        def visit_var(self, var):
            return 0

        def visit_call(self, call):
            return 1 + max(self.visit(arg) for arg in call.args)

        def visit_function(self, func):
            return self.visit(func.body)

    assert Depth().visit(network()) == 3


def test_lets_are_visited_in_order():
    class Bound(ExprVisitor):
        def __init__(self):
            super().__init__()
            self.names = []

        def visit_let(self, let):
            self.names.append(let.var.name_hint)
            super().visit_let(let)

    x = relay.var("x", F32)
    sb = relay.ScopeBuilder()
    a = sb.let("a", relay.exp(x))
    b = sb.let("b", relay.add(a, x))
    sb.ret(relay.multiply(a, b))
    bound = Bound()
    bound.visit(relay.Function([x], sb.get()))
    assert bound.names == ["a", "b"]


def test_branches_and_matches_are_rebuilt():
    class AddOne(ExprMutator):
        def visit_constant(self, const):
            return relay.const(const.data + 1, const.data.dtype)

    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    _, cons, nil = mod.get_type("List")
    flag = relay.var("flag", shape=(), dtype="bool")
    xs = relay.If(flag, cons(relay.const(1), nil()), nil())
    head = relay.Var("head")
    clauses = [
        relay.Clause(
            relay.PatternConstructor(cons, [relay.PatternVar(head), relay.PatternWildcard()]), head
        ),
        relay.Clause(relay.PatternWildcard(), relay.const(10)),
    ]
    mod["main"] = AddOne().visit(relay.Function([flag], relay.Match(xs, clauses)))
    assert prelude.mod is mod
    assert run(mod, np.array(True), kind="debug") == 2
    assert run(mod, np.array(False), kind="debug") == 11


def test_types_are_visited_and_changed():
    class Shapes(TypeVisitor):
        def __init__(self):
            super().__init__()
            self.shapes = []

        def visit_tensor_type(self, tt):
            self.shapes.append(tuple(tt.shape))

    class ToDouble(TypeMutator):
        def visit_tensor_type(self, tt):
            return relay.TensorType(tt.shape, "float64")

    ty = relay.FuncType([F32, relay.TupleType([F32, relay.RefType(F32)])], F32)
    shapes = Shapes()
    shapes.visit(ty)
    assert shapes.shapes == [(2, 3)] * 4
    assert ToDouble().visit(ty).ret_type.dtype == "float64"


def test_patterns_are_rewritten():
    class NoDivision(DFPatternCallback):
        def __init__(self):
            super().__init__(require_type=True)
            self.x, self.c = wildcard(), is_constant()
            self.pattern = is_op("divide")(self.x, self.c)

        def callback(self, pre, post, node_map):
            c = node_map[self.c][0]
            return node_map[self.x][0] * relay.const(1 / c.data)

    x = relay.var("x", F32)
    func = rewrite(NoDivision(), relay.Function([x], relay.exp(x / relay.const(4.0))))
    assert relay.analysis.list_op_freqs(func) == {"multiply": 1, "exp": 1}
    a = data(2, 3)
    close(run(IRModule.from_expr(func), a, kind="debug"), np.exp(a / 4))


def test_arguments_with_their_types():
    mod = relay.transform.InferType()(IRModule.from_expr(network()))
    calls = []
    relay.analysis.post_order_visit(
        mod["main"], lambda e: calls.append(e) if isinstance(e, relay.Call) else None
    )
    dense = calls[0]
    assert [arg.checked_type for arg in dense.args] == list(dense.type_args)
    again = relay.Call(dense.op, dense.args, dense.attrs, dense.type_args, dense.span)
    assert relay.structural_equal(again, dense)
    assert relay.Call(dense.op, [relay.Var("x"), dense.args[1]], dense.attrs).type_args == ()
    assert dense.checked_type.shape == (2, 4)
    assert all(call.span is None for call in calls)

"""Visitors: what they visit, in which order, how often, and how deep."""

from typing import Any

import pytest

import relay as typed

relay: Any = typed
DEPTH = 5_000


def chain(depth):
    expr = x = relay.var("x", shape=(2,))
    for _ in range(depth):
        expr = relay.nn.relu(expr)
    return relay.Function([x], expr)


class Count(relay.ExprVisitor):
    def __init__(self):
        super().__init__()
        self.seen = []

    def visit_call(self, call):
        self.seen.append(call)
        super().visit_call(call)


def test_a_deep_program_is_visited_in_the_order_of_a_recursion():
    function, count = chain(DEPTH), Count()
    count.visit(function)
    assert len(count.seen) == DEPTH
    assert count.seen[0] is function.body
    assert all(a.args[0] is b for a, b in zip(count.seen, count.seen[1:], strict=False))


def test_a_deep_program_is_changed():
    class Tanh(relay.ExprMutator):
        def visit_op(self, op):
            return relay.op.get("tanh") if op.name == "nn.relu" else op

    function = Tanh().visit(chain(DEPTH))
    assert relay.analysis.list_op_freqs(function) == {"tanh": DEPTH}


def test_deep_lets_are_visited_through_a_method_of_ones_own():
    class Names(relay.ExprMutator):
        names = 0

        def visit_let(self, let):
            self.names += 1
            return super().visit_let(let)

    names = [relay.var(f"v{i}", shape=(2,)) for i in range(DEPTH)]
    body = names[-1]
    for var, value in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
        body = relay.Let(var, relay.nn.relu(value), body)
    mutator = Names()
    assert mutator.visit(body) is body
    assert mutator.names == DEPTH - 1


def test_what_is_shared_is_visited_once():
    expr = relay.var("x", shape=(2,))
    for _ in range(200):
        expr = expr + expr
    count = Count()
    count.visit(expr)
    assert len(count.seen) == 200
    assert relay.ExprMutator().visit(expr) is expr


def test_errors_come_out_of_the_depth():
    class Fail(relay.ExprVisitor):
        def visit_var(self, var):
            raise KeyError(var.name_hint)

    with pytest.raises(KeyError, match="x"):
        Fail().visit(chain(1000))


def test_every_kind_of_node_goes_through_visitor_and_mutator():
    text = """#[version = "0.0.5"]
    type List[A] { Cons(A, List[A]), Nil }
    def @f(%x: int32, %l: List[int32]) {
      let %r = ref(%x);
      let %u = ref_write(%r, if (%x > 1) { ref_read(%r) } else { 21 });
      match (%l) { Cons(%h, _) => (%h, %x).1 + %x, Nil => (fn (%y: int32) { @g(%y) })(%x) }
    }
    def @g(%x: int32) -> int32 { %x }
    """
    function = relay.parse(text)["f"]
    relay.ExprVisitor().visit(function)
    assert relay.ExprMutator().visit(function) is function

    class Double(relay.ExprMutator):
        def visit_constant(self, const):
            return relay.const(2 * const.data, "int32")

    doubled = Double().visit(function)
    assert doubled.type is function.type
    assert "greater(%x, 2)" in str(doubled)
    assert "42" in str(doubled)


def test_a_functor_says_which_method_is_missing():
    class Empty(relay.ExprFunctor):
        pass

    class NoType(relay.TypeFunctor):
        pass

    for functor, given in ((Empty(), relay.var("x")), (NoType(), relay.TensorType((2,)))):
        with pytest.raises(typed.RelayError) as found:
            functor.visit(given)
        assert found.value.code == "U071"


def test_types_are_visited_and_changed():
    a, head = relay.TypeVar("a"), relay.GlobalTypeVar("List")
    tensor = relay.TensorType((2,))
    ty = relay.FuncType([relay.TupleType([tensor, head(a)]), relay.RefType(tensor)], a, [a])

    class Seen(relay.TypeVisitor):
        seen = ()

        def visit_tensor_type(self, tt):
            self.seen += (tt,)

    visitor = Seen()
    visitor.visit(ty)
    assert visitor.seen == (tensor, tensor)
    assert relay.TypeMutator().visit(ty) is ty

    class Rename(relay.TypeMutator):
        def visit_global_type_var(self, gtv):
            return relay.GlobalTypeVar(gtv.name_hint + "2")

        def visit_tensor_type(self, tt):
            return relay.TensorType(tt.shape, "int8")

    assert (
        repr(Rename().visit(ty))
        == "fn [a]((Tensor[(2,), int8], List2[a]), ref(Tensor[(2,), int8])) -> a"
    )
    data = relay.Prelude().mod.type_definitions[head]
    visitor.visit(data)
    assert relay.TypeMutator().visit(data) is data


def test_a_chain_of_twenty_thousand_calls():
    count = Count()
    count.visit(chain(DEPTH))
    assert len(count.seen) == DEPTH

"""Programs as they were written for the classic language run, to NumPy's values."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from tests.classic.running import close, data, run

relay: Any = typed  # type checkers know fields by their own names only
IRModule = relay.IRModule
TYPE = relay.TensorType((2, 3), "float32")


def run_infer_type(expr):
    mod = relay.transform.InferType()(IRModule.from_expr(expr))
    entry = mod["main"]
    return entry if isinstance(expr, relay.Function) else entry.body


def test_from_expr_infer_and_run():
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", TYPE)
    mod = IRModule.from_expr(relay.Function([x, y], relay.add(x, relay.exp(y))))
    assert run_infer_type(mod["main"]).checked_type == relay.FuncType([TYPE, TYPE], TYPE)
    a, b = data(2, 3), data(2, 3)
    for kind in ("debug", "graph", "vm", "aot"):
        close(run(mod, a, b, kind=kind), a + np.exp(b))


def test_free_variables_become_parameters():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    mod = IRModule.from_expr(relay.nn.dense(x, w))
    assert [p.name_hint for p in mod["main"].params] == ["x", "w"]
    a, b = data(2, 3), data(4, 3)
    close(run(mod, a, b), a @ b.T)


def test_build_and_graph_executor():
    x, w = relay.var("data", shape=(1, 3, 8, 8)), relay.var("weight", shape=(4, 3, 3, 3))
    y = relay.nn.conv2d(x, w, kernel_size=(3, 3), channels=4, padding=(1, 1))
    mod, weight = IRModule.from_expr(relay.Function([x, w], relay.nn.relu(y))), data(4, 3, 3, 3)
    with relay.transform.PassContext(opt_level=3, disabled_pass=["FoldConstant"]):
        lib = relay.build(mod, target="llvm", params={"weight": weight})
    module = relay.graph_executor.GraphModule(lib["default"](relay.cpu(0)))
    image = data(1, 3, 8, 8)
    module.set_input("data", image)
    module.run()
    patches = np.lib.stride_tricks.sliding_window_view(
        np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3)
    )
    close(module.get_output(0), np.einsum("ncyxij,ocij->noyx", patches, weight).clip(0))


def test_if_and_let():
    x, flag, v = (
        relay.var("x", shape=(2, 3)),
        relay.var("flag", shape=(), dtype="bool"),
        relay.Var("v"),
    )
    body = relay.Let(v, relay.multiply(x, relay.const(2.0)), relay.If(flag, v, relay.negative(v)))
    mod = IRModule.from_expr(relay.Function([x, flag], body))
    a = data(2, 3)
    close(run(mod, a, np.array(True)), 2 * a)
    close(run(mod, a, np.array(False)), -2 * a)


def test_assign_functions_and_call_them_by_global_variables():
    mod, square = IRModule(), relay.GlobalVar("square")
    x = relay.var("x", shape=(2, 3))
    mod[square] = relay.Function([x], x * x, TYPE)
    y = relay.var("y", shape=(2, 3))
    mod["main"] = relay.Function([y], square(square(y)))
    assert mod.get_global_var("square") is square
    assert {v.name_hint for v in mod.get_global_vars()} == {"square", "main"}
    assert mod.functions[square] is mod["square"] is mod[square]
    a = data(2, 3)
    close(run(mod, a), a**4)
    del mod["main"]
    assert "main" not in mod


def test_recursion_through_a_global_variable():
    fact, n = relay.GlobalVar("fact"), relay.var("n", "int32")
    one = relay.const(1, dtype="int32")
    body = relay.If(relay.less(n, one), one, relay.multiply(n, fact(relay.subtract(n, one))))
    mod = IRModule({fact: relay.Function([n], body, relay.scalar_type("int32"))})
    m = relay.var("m", "int32")
    mod["main"] = relay.Function([m], fact(m))
    assert run(mod, np.int32(5), kind="vm") == 120


def test_while_loop():
    i, s = relay.var("i", shape=(), dtype="int32"), relay.var("s", shape=(2,))
    loop = relay.loops.while_loop(
        lambda i, _: relay.less(i, relay.const(10)),
        [i, s],
        lambda i, s: [i + relay.const(1), s + relay.const(0.5)],
    )
    start = relay.var("start", shape=(2,))
    body = relay.TupleGetItem(loop(relay.const(0), start), 1)
    mod = IRModule.from_expr(relay.Function([start], body))
    a = data(2)
    close(run(mod, a), a + 5)
    close(run(mod, a, kind="debug"), a + 5)


def test_data_types_step_by_step():
    a, lst = relay.TypeVar("a", relay.TypeKind.Type), relay.GlobalTypeVar("lst")
    nil = relay.adt.Constructor("nil", [], lst)
    cons = relay.adt.Constructor("cons", [a, lst(a)], lst)
    mod = IRModule()
    mod[lst] = relay.TypeData(lst, [a], [nil, cons])
    total, ints = relay.GlobalVar("total"), lst(relay.scalar_type("int32"))
    xs, h, t = relay.Var("xs", ints), relay.Var("h"), relay.Var("t")
    clauses = [
        relay.Clause(relay.PatternConstructor(nil), relay.const(0)),
        relay.Clause(
            relay.PatternConstructor(cons, [relay.PatternVar(h), relay.PatternVar(t)]),
            relay.add(h, total(t)),
        ),
    ]
    mod[total] = relay.Function([xs], relay.Match(xs, clauses), relay.scalar_type("int32"))
    program = total(cons(relay.const(3), cons(relay.const(4), nil())))
    mod["main"] = relay.Function([], program)
    assert run(mod) == run(mod, kind="debug") == 7
    assert [c.name_hint for c in mod.type_definitions[lst].constructors] == ["nil", "cons"]


def test_data_types_after_their_uses():
    head = relay.GlobalTypeVar("Box")
    box = relay.adt.Constructor("Box", [relay.scalar_type("float32")], head)
    x, b = relay.var("x", "float32"), relay.Var("b")
    opened = relay.Match(
        box(x), [relay.Clause(relay.PatternConstructor(box, [relay.PatternVar(b)]), b)]
    )
    mod = IRModule()
    mod["main"] = relay.Function([x], opened)
    mod[head] = relay.TypeData(head, [], [box])
    close(run(mod, np.float32(2.5)), 2.5)


def test_the_prelude():
    mod = IRModule()
    mod.import_from_std("prelude.rly")
    _, cons, nil = mod.get_type("List")
    x, y = relay.var("x", "int32"), relay.var("y", "int32")
    plus = relay.Function([x, y], x + y)
    listed = cons(relay.const(1), cons(relay.const(2), cons(relay.const(39), nil())))
    mod["main"] = relay.Function([], mod.get_global_var("foldl")(plus, relay.const(0), listed))
    assert run(mod) == 42
    p = relay.Prelude(mod)
    p.mod["main"] = relay.Function([], p.length(listed))
    assert run(p.mod) == 3


def test_scope_builder():
    sb, x = relay.ScopeBuilder(), relay.var("x", "float32")
    with sb.if_scope(relay.less(x, relay.const(0.0))):
        one = sb.let("one", relay.const(1.0))
        sb.ret(relay.subtract(one, x))
    with sb.else_scope():
        sb.ret(relay.sqrt(x))
    mod = IRModule.from_expr(relay.Function([x], sb.get()))
    close([run(mod, np.float32(v)) for v in (-3.0, 9.0)], [4.0, 3.0])


def test_a_mutator_replaces_operators():
    class Replace(relay.ExprMutator):
        def visit_call(self, call):
            new_args = [self.visit(arg) for arg in call.args]
            if call.op.name == "nn.relu":
                return relay.clip(new_args[0], a_min=0.0, a_max=6.0)
            return relay.Call(call.op, new_args, call.attrs, call.type_args, call.span)

    x = relay.var("x", shape=(2, 3))
    func = relay.Function([x], relay.nn.softmax(relay.nn.relu(x * relay.const(9.0)), axis=0))
    mod = IRModule.from_expr(Replace().visit(func))
    a = data(2, 3)
    powers = np.exp((9 * a).clip(0, 6))
    close(run(mod, a), powers / powers.sum(axis=0))


def test_a_mutator_changes_types():
    class ToDouble(relay.ExprMutator):
        def visit_var(self, var):
            if var.checked_type.dtype == "float32":
                return relay.var(
                    var.name_hint, shape=var.checked_type.concrete_shape, dtype="float64"
                )
            return var

        def visit_constant(self, const):
            return relay.const(const.data.astype("float64"), "float64")

    x, v = relay.var("x", shape=(2, 3)), relay.Var("v")
    func = run_infer_type(relay.Function([x], relay.Let(v, x * relay.const(2.0), v + v)))
    func = ToDouble().visit(func)
    assert func.checked_type.ret_type.dtype == "float64"
    a = np.random.default_rng(0).standard_normal((2, 3))
    np.testing.assert_allclose(run(IRModule.from_expr(func), a), 4 * a, rtol=1e-12)


def test_a_visitor_collects():
    class Collect(relay.ExprVisitor):
        def __init__(self):
            super().__init__()
            self.calls, self.vars = [], set()

        def visit_call(self, call):
            self.calls.append(call.op.name)
            super().visit_call(call)

        def visit_var(self, var):
            self.vars.add(var.name_hint)

    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    collect = Collect()
    collect.visit(relay.Function([x, y], relay.tanh(relay.add(relay.exp(x), y))))
    assert collect.calls == ["tanh", "add", "exp"]
    assert collect.vars == {"x", "y"}


def test_a_function_pass():
    @relay.transform.function_pass(opt_level=1)
    class AddOne:
        def __init__(self, amount):
            self.amount = amount

        def transform_function(self, func, mod, ctx):
            assert isinstance(mod, IRModule)
            body = relay.add(func.body, relay.const(self.amount))
            return relay.Function(func.params, body, None, func.type_params, func.attrs)

    x = relay.var("x", shape=(2, 3))
    mod = IRModule.from_expr(relay.Function([x], relay.abs(x)))
    assert AddOne(2.0).info.name == "AddOne"
    a = data(2, 3)
    close(run(AddOne(2.0)(mod), a), np.abs(a) + 2)
    sequence = relay.transform.Sequential(
        [AddOne(1.0), relay.transform.FoldConstant(), AddOne(1.0)]
    )
    close(run(sequence(mod), a), np.abs(a) + 2)
    with relay.transform.PassContext(opt_level=0):
        assert sequence(mod) is mod


def test_a_module_pass():
    @relay.transform.module_pass(opt_level=0, name="rename")
    def rename(mod, ctx):
        new = IRModule(mod)
        new["other"] = mod["main"]
        return new

    x = relay.var("x", shape=(2,))
    mod = rename(IRModule.from_expr(relay.Function([x], x)))
    assert isinstance(mod, IRModule)
    assert {v.name_hint for v in mod.functions} == {"main", "other"}


def test_passes_by_their_names():
    x = relay.var("x", shape=(2, 3))
    twice = relay.const(1.0) + relay.const(1.0)
    y = relay.var("y")
    body = relay.Let(y, relay.exp(x), relay.tanh(x * twice) + relay.tanh(x * twice))
    mod = IRModule.from_expr(relay.Function([x], body))
    names = (
        "FoldConstant",
        "EliminateCommonSubexpr",
        "DeadCodeElimination",
        "ToGraphNormalForm",
        "ToANormalForm",
        "FuseOps",
        "DefuseOps",
        "SimplifyExpr",
        "Inline",
        "InferType",
        "RemoveUnusedFunctions",
        "SimplifyInference",
        "FoldScaleAxis",
        "DynamicToStatic",
    )
    a = data(2, 3)
    for name in names:
        mod = getattr(relay.transform, name)()(mod)
        assert isinstance(mod, IRModule)
        close(run(mod, a, kind="debug"), 2 * np.tanh(2 * a))
    assert "exp" not in str(mod)
    close(run(mod, a), 2 * np.tanh(2 * a))


def test_bind_and_bind_params_by_name():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(3,))
    func, weight = relay.Function([x, w], x * w), data(3)
    mod = IRModule.from_expr(func)
    mod["main"] = relay.build_module.bind_params_by_name(mod["main"], {"w": weight, "none": weight})
    a = data(2, 3)
    close(run(mod, a), a * weight)
    assert relay.bind(func.body, {w: relay.const(2.0)}).args[1].data == 2
    assert [p.name_hint for p in relay.bind(func, {w: relay.const(weight)}).params] == ["x"]


def test_text_both_ways():
    mod = relay.fromtext(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }'
    )
    again = relay.parse(mod.astext(show_meta_data=False))
    assert relay.structural_equal(again, mod)
    assert relay.structural_hash(again) == relay.structural_hash(mod)
    assert relay.pretty_print(mod["main"].body) == str(mod["main"].body)
    assert mod.script() == mod.astext() == relay.astext(mod.module)
    assert mod.astext(show_types=False) == str(mod)


def test_parsing_onto_a_module_and_with_a_table_of_metadata():
    base = relay.fromtext('#[version = "0.0.5"]\ndef @twice(%x: int32) -> int32 { %x + %x }')
    table = {"relay.Constant": [relay.const([1, 2, 3])]}
    text = '#[version = "0.0.5"]\ndef @main(%n: int32) { (@twice(%n), meta[relay.Constant][0]) }'
    mod = relay.parse(text, "model.rly", base, table)
    double, constant = run(mod, np.int32(4))
    assert double == 8
    np.testing.assert_array_equal(constant, [1, 2, 3])
    with pytest.raises(typed.RelayError) as found:
        relay.parse(text, init_module=base, init_meta_table={})
    assert found.value.code == "P040"


def test_update_and_eta_expansion():
    x = relay.var("x", shape=(2,))
    first = IRModule({"f": relay.Function([x], x + x)})
    y = relay.var("y", shape=(2,))
    second = IRModule({"f": relay.Function([y], y * y), "g": relay.Function([], relay.const(1.0))})
    first.update(second)
    first["main"] = first.get_global_var("f")
    first["one"] = relay.const(1.0)
    a = data(2)
    close(run(first, a), a * a)
    assert first["one"].params == ()
    copy = first.shallow_copy()
    copy.update_func(copy.get_global_var("f"), relay.Function([x], x))
    close(run(first, a), a * a)
    close(run(copy, a), a)


def test_attributes_of_modules_and_of_functions():
    x = relay.var("x", shape=(2,))
    func = relay.Function([x], x).with_attr("global_symbol", "named")
    mod = IRModule.from_expr(func).with_attr("executor", "graph")
    assert mod.get_global_vars()[0].name_hint == "named"
    assert mod.get_attr("executor") == "graph"
    assert mod.get_attr("runtime") is None


def test_analysis_of_modules():
    x = relay.var("x", shape=(2, 3))
    mod = IRModule.from_expr(relay.Function([x], relay.nn.relu(relay.exp(x))))
    assert relay.analysis.list_op_freqs(mod) == {"nn.relu": 1, "exp": 1}
    assert relay.analysis.well_formed(mod)
    assert relay.analysis.all_dtypes(mod) == {"float32"}
    assert relay.analysis.CallGraph(mod)["main"] == {}
    assert relay.analysis.Feature.fCall in relay.analysis.detect_feature(mod)
    order = []
    relay.analysis.post_order_visit(mod["main"], order.append)
    assert order[-1] is mod["main"]


def test_tuples_and_references():
    x = relay.var("x", "float32")
    pair = relay.Tuple([x, relay.const(2.0)])
    assert len(pair) == 2
    r, u = relay.Var("r"), relay.Var("u")
    body = relay.Let(
        r,
        relay.RefCreate(relay.TupleGetItem(pair, 0)),
        relay.Let(u, relay.RefWrite(r, relay.RefRead(r) * pair[1]), relay.RefRead(r)),
    )
    close(run(IRModule.from_expr(relay.Function([x], body)), np.float32(4)), 8)


def test_generic_functions():
    a = relay.TypeVar("a")
    x = relay.Var("x", a)
    mod, ident = IRModule(), relay.GlobalVar("ident")
    mod[ident] = relay.Function([x], x, a, [a])
    y = relay.var("y", shape=(2, 3))
    mod["main"] = relay.Function([y], relay.Call(ident, [y], None, [TYPE]))
    b = data(2, 3)
    close(run(mod, b), b)


def test_an_operator_of_a_name_equals_those_with_attributes():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    dense = relay.op.get("nn.dense")
    plain, more = relay.nn.dense(x, w), relay.nn.dense(x, w, units=4)
    assert plain.op == dense
    assert dense == more.op
    assert plain.op != more.op
    assert more.op in (relay.op.get("nn.relu"), dense)
    assert more.op != relay.op.get("nn.softmax")
    assert dense == relay.op.get("nn.dense")
    assert x != dense
    assert relay.Call(dense, [x, w], {"units": 4}).op is more.op
    assert dense(x, w, units=4).op is more.op
    assert relay.op.get("nn.relu")(x).op is relay.nn.relu(x).op
    assert repr(dense) == 'relay.op.get("nn.dense")'
    with pytest.raises(typed.RelayError, match="U073"):
        _ = {dense: 1}
    with pytest.raises(typed.RelayError, match="T016"):
        relay.Call(relay.op.get("reshape"), [x])


def test_several_results_are_a_tuple_wrapper():
    x = relay.var("x", shape=(2, 6))
    parts = relay.split(x, 3, axis=1)
    assert isinstance(parts, relay.TupleWrapper)
    assert isinstance(relay.mean_variance(x), relay.TupleWrapper)
    assert not isinstance(x, relay.TupleWrapper)
    assert len(parts) == 3
    assert parts.astuple() is parts.tuple_value is parts
    assert [part.index for part in parts] == [0, 1, 2]
    wrapped = relay.TupleWrapper(relay.Tuple([x, x]), 2)
    assert wrapped[1].index == 1
    for wrong in (lambda: relay.TupleWrapper(x, 1), lambda: relay.TupleWrapper(parts, 2)):
        with pytest.raises(typed.RelayError, match="T013"):
            wrong()
    first, second, third = parts
    mod = IRModule.from_expr(relay.Function([x], relay.concatenate([third, first, second], 1)))
    a = data(2, 6)
    close(run(mod, a), np.roll(a, 2, 1))


def test_results_have_classic_names():
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.Tuple([relay.nn.relu(x), x + x])))
    a = data(2)
    for kind in ("debug", "graph", "vm", "aot"):
        execute = relay.create_executor(kind, mod=mod).evaluate()
        first, second = execute(a)
        close(second.asnumpy(), a + a)
        assert type(first.numpy()) is np.ndarray
        close(execute(second)[1].numpy(), 4 * a)
    module = relay.graph_executor.GraphModule(
        relay.build(mod, target="llvm")["default"](relay.cpu(0))
    )
    module.set_input("x", a)
    module.run()
    close(module.get_output(1).numpy(), a + a)

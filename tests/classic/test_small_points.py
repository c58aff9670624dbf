"""Forms that classic programs use in passing, each once."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import relay as typed
from tests.classic.running import close, data

relay: Any = typed
IRModule = relay.IRModule
ROW = relay.TensorType((3,), "float32")


def dense():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    return IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))


def lists():
    mod = IRModule()
    relay.Prelude(mod)
    return mod, *mod.get_type("List")


def test_passes_get_and_give_modules_that_can_be_changed():
    @relay.transform.module_pass(opt_level=0)
    def copy_main(mod, ctx):
        mod["copy"] = mod["main"]
        return mod

    @relay.transform.function_pass(opt_level=0)
    def check(func, mod, ctx):
        assert isinstance(mod, IRModule)
        return func

    mod = dense()
    after = relay.transform.Sequential([copy_main, check])(mod)
    assert [var.name_hint for var in after.get_global_vars()] == ["main", "copy"]
    assert "copy" not in mod
    assert isinstance(after, IRModule)


def test_parameters_that_were_bound_may_be_set_again():
    x, w = data(2, 3), data(4, 3)
    graph, lib, params = relay.build(dense(), target="llvm", params={"w": w})
    module = relay.graph_executor.create(graph, lib, relay.cpu(0))
    module.set_input("x", x)
    module.set_input(**params)
    module.set_input(w=w)
    module.run()
    close(module.get_output(0).numpy(), x @ w.T)


def test_a_build_is_written_as_a_library(tmp_path):
    _, lib, _ = relay.build(dense(), target="llvm")
    lib.export_library(tmp_path / "dense.relay")
    x, w = data(2, 3), data(4, 3)
    close(relay.Executable.load(tmp_path / "dense.relay")(x, w), x @ w.T)
    assert relay.build(dense()).lib.get_lib().executable.input_names == ["x", "w"]


def test_code_and_library_of_the_virtual_machine():
    exe = relay.vm.compile(dense(), target="llvm")
    code, lib = exe.save()
    again = relay.vm.Executable.load_exec(code, lib)
    x, w = data(2, 3), data(4, 3)
    close(relay.vm.VirtualMachine(again, relay.cpu()).run(x, w), x @ w.T)
    assert exe.get_function_params("main") == ["x", "w"]
    with pytest.raises(typed.RelayError, match="U061"):
        exe.get_function_params("other")


@pytest.mark.parametrize("compiled", [relay.compile, relay.vm.compile])
def test_executables_are_pickled(compiled):
    x, w = data(2, 3), data(4, 3)
    again = pickle.loads(pickle.dumps(compiled(dense())))
    close(again(x, w), x @ w.T)


def test_modules_and_results_of_build_are_pickled():
    mod = dense()
    for module in (mod, mod.module):
        for again in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module)):
            assert type(again) is type(module)
            assert typed.structural_equal(again, module)
    assert copy.copy(mod) is not mod
    assert copy.copy(mod.module) is mod.module
    again = pickle.loads(pickle.dumps(relay.build(mod)))
    x, w = data(2, 3), data(4, 3)
    close(again.executable(x, w), x @ w.T)


def test_deep_modules_are_pickled_and_those_without_types_are_not():
    y = relay.var("x")
    with pytest.raises(typed.RelayError, match="A011"):
        pickle.dumps(relay.IRModule.from_expr(relay.Function([y], y)))
    y = relay.var("x", shape=(2,))
    for _ in range(2_000):
        y = relay.negative(y)
    deep = relay.transform.InferType()(relay.IRModule.from_expr(y)).module
    again = pickle.loads(pickle.dumps(deep))
    assert typed.structural_equal(again, deep)
    assert again.is_inferred


def test_a_functor_without_a_method_is_not_implemented():
    for functor, node in ((relay.ExprFunctor(), relay.const(1)), (relay.TypeFunctor(), ROW)):
        with pytest.raises(NotImplementedError, match="U071"):
            functor.visit(node)


def test_function_types_are_equal_up_to_their_variables():
    a, b, c = (relay.TypeVar(name) for name in "abc")
    first = relay.FuncType([a, ROW], a, [a])
    assert first == relay.FuncType([b, ROW], b, [b])
    assert len({first, relay.FuncType([b, ROW], b, [b])}) == 1
    assert first != relay.FuncType([b, b], b, [b])
    assert first != relay.FuncType([b, ROW], b, [b, c])
    assert relay.FuncType([a], a) != relay.FuncType([b], b)
    nested = relay.FuncType([relay.FuncType([a], b, [a])], b, [b])
    assert nested == relay.FuncType([relay.FuncType([c], a, [c])], a, [a])
    assert relay.TupleType([first]) == relay.TupleType([relay.FuncType([b, ROW], b, [b])])


def test_types_and_patterns_are_compared():
    _, _, cons, nil = lists()
    x, y = relay.Var("x", ROW), relay.Var("y", ROW)
    one, two = ([relay.PatternVar(v), relay.PatternWildcard()] for v in (x, y))
    equal, digest = relay.structural_equal, relay.structural_hash
    assert equal(relay.PatternConstructor(cons, one), relay.PatternConstructor(cons, two))
    assert digest(relay.PatternTuple(one)) == digest(relay.PatternTuple(two))
    assert not equal(relay.PatternTuple(one), relay.PatternTuple(two[::-1]))
    assert not equal(relay.PatternVar(x), relay.PatternVar(relay.Var("z")))
    assert not equal(relay.PatternConstructor(nil), relay.PatternWildcard())
    assert not equal(ROW, relay.PatternWildcard())
    a, b = relay.TypeVar("a"), relay.TypeVar("b")
    assert equal(relay.FuncType([a], a, [a]), relay.FuncType([b], b, [b]))
    assert digest(relay.FuncType([a], a, [a])) == digest(relay.FuncType([b], b, [b]))
    assert not equal(a, b)


def test_an_inferred_module_equals_what_is_printed_and_parsed():
    mod = relay.transform.InferType()(dense())
    assert relay.structural_equal(mod, relay.fromtext(mod.astext()))
    assert relay.structural_equal(relay.fromtext(mod.astext()), mod)


def test_modules_are_asked_for_data_types_and_constructors():
    mod, head, cons, _ = lists()
    assert mod[mod.get_global_type_var("List")].header is head
    assert mod.get_constructor(cons.tag) == mod.get_constructor("List", "Cons") == cons
    with pytest.raises(typed.RelayError, match="T027"):
        mod[relay.GlobalTypeVar("Nothing")]


def test_the_prelude_has_the_types_of_tensor_arrays():
    mod, _, _, _ = lists()
    for element in ("float32", "uint16", "int64"):
        head, *constructors = mod.get_type(f"tensor_{element}_t")
        assert [c.name_hint for c in constructors][:2] == [
            f"tensor_nil_{element}",
            f"tensor0_{element}",
        ]
        assert mod[head].header is head
    p = relay.Prelude(mod)
    assert p.get_tensor_ctor("tensor1", "int64") is mod.get_constructor(
        "tensor_int64_t", "tensor1_int64"
    )
    read = p.get_global_var("tensor_array_read", "int64")
    assert read.name_hint == "tensor_array_read_int64"


def test_relations_with_attributes_and_without_a_name():
    relation = relay.TypeRelation(None, [ROW, ROW], 1, None)
    assert relation == relay.TypeRelation(None, [ROW, ROW], 1)
    assert relation.func.relate([ROW, None]) == [None, None]
    assert (relation.num_inputs, relation.args) == (1, (ROW, ROW))
    softmax = relay.TypeRelation(relay.op.get("nn.softmax"), [ROW, ROW], 1, {"axis": 0})
    assert softmax.func.axis == 0
    with pytest.raises(typed.RelayError, match="T007"):
        relay.TypeRelation(relay.op.get("nn.softmax"), [ROW, ROW], 1, 3)


def test_kinds_by_their_numbers():
    assert relay.TypeVar("v", 1).kind == relay.TypeKind.ShapeVar
    with pytest.raises(typed.RelayError, match="T007"):
        relay.TypeVar("v", 99)


def test_element_types_are_like_those_of_numpy_and_like_strings():
    ty = relay.TensorType((2,), "int8")
    assert ty.dtype == np.dtype("int8") == ty.dtype
    assert ty.dtype != np.dtype("uint8")
    assert "int" in ty.dtype
    assert "float" not in ty.dtype
    assert ty.dtype.startswith("int")
    assert relay.TensorType((2,), "bfloat16").dtype != np.dtype("float16")


def test_expressions_as_json():
    x = relay.var("x", shape=(2, 3))
    for expr in (relay.exp(x) + relay.const(2.0), relay.Tuple([x, x]), relay.const([1, 2])):
        found = relay.load_json(relay.save_json(expr))
        assert relay.structural_equal(found, expr, map_free_vars=True)


def test_cases_that_a_match_leaves_out():
    mod, head, cons, nil = lists()
    xs = relay.var("xs", head(ROW))
    match = relay.Match(xs, [relay.Clause(relay.PatternConstructor(nil), relay.const(1))], False)
    (missing,) = relay.analysis.unmatched_cases(match, mod)
    assert missing.constructor == cons
    (missing,) = relay.analysis.unmatched_cases(match)  # a type of the prelude
    assert missing.constructor == cons
    other = relay.adt.Constructor("Red", [], relay.GlobalTypeVar("Colour"))
    red = relay.Match(xs, [relay.Clause(relay.PatternConstructor(other), relay.const(1))], False)
    with pytest.raises(typed.RelayError, match=r"unmatched_cases\(match, mod\)"):
        relay.analysis.unmatched_cases(red)
    everything = relay.Match(xs, [relay.Clause(relay.PatternWildcard(), relay.const(1))])
    assert relay.analysis.unmatched_cases(everything) == []


@pytest.mark.parametrize("kind", ["debug", "graph", "vm", "aot"])
def test_inputs_of_another_width_are_converted(kind):
    x, n = relay.var("x", shape=(2,)), relay.var("n", shape=(2,), dtype="int32")
    mod = IRModule.from_expr(relay.Function([x, n], relay.Tuple([x * x, n + n])))
    run = relay.create_executor(kind, mod=mod).evaluate()
    square, double = run(np.array([2.0, 3.0]), n=np.array([4, 5]))
    assert (square.dtype, square.tolist()) == ("float32", [4, 9])
    assert (double.dtype, double.tolist()) == ("int32", [8, 10])
    for wrong in (np.array([4.0, 5.0]), np.array([True, False])):
        with pytest.raises(typed.RelayError):
            run(np.ones(2, np.float32), wrong)


def test_modules_and_machines_convert_inputs_too():
    x = np.ones((2, 3))
    w = data(4, 3)
    module = relay.graph_executor.GraphModule(relay.build(dense())["default"](relay.cpu(0)))
    module.run(x=x, w=w)
    close(module.get_output(0), x @ w.T)
    close(relay.vm.VirtualMachine(relay.vm.compile(dense()), relay.cpu()).run(x, w=w), x @ w.T)
    with pytest.raises(typed.RelayError, match="R006"):
        relay.compile(dense())(x, w)


def test_attributes_that_are_constants_and_maps(tmp_path):
    x = relay.var("x", shape=(2,))
    options = {"level": 3, "names": ["a", "b"], "more": {"flag": True}}
    func = relay.Function([x], x).with_attr("options", options)
    assert func.attrs["options"]["more"]["flag"] is True
    func = func.with_attr({"scale": relay.const([1.5, 2.5]), "last": relay.const(3.0)})
    mod = IRModule.from_expr(func).with_attr("about", {"version": "1"})
    again = relay.fromtext(mod.astext())
    assert relay.structural_equal(again, mod)
    assert again["main"].attrs["options"]["names"] == ("a", "b")
    assert again["main"].attrs["scale"].data.tolist() == [1.5, 2.5]
    assert again.attrs["about"]["version"] == "1"
    assert not relay.structural_equal(mod, IRModule.from_expr(relay.Function([x], x)))
    other = relay.Function([x], x).with_attr("options", {**options, "level": 4})
    assert not relay.structural_equal(relay.Function([x], x).with_attr("options", options), other)
    relay.save(IRModule.from_expr(other), tmp_path / "m.relay")
    assert relay.structural_equal(relay.load(tmp_path / "m.relay"), IRModule.from_expr(other))
    for wrong in ({1: 2}, {"a": object()}):
        with pytest.raises(typed.RelayError, match="T007"):
            func.with_attr("wrong", wrong)

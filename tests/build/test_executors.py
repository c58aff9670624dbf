"""Every way to run a module, by the names that people know."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime.code.interface_types import Data
from relay.support.errors import RunError, UsageError

HEAD = '#[version = "0.0.5"]\n'
KINDS = ("debug", "graph", "vm", "aot")
ALL = ("debug", "vm", "aot")
X = np.array([0.5, -1.0, 2.0], np.float32)
GRAPH = "def @main(%x: Tensor[(3), float32], %w: Tensor[(3), float32]) { exp(multiply(%x, %w)) }"
LOOP = """
def @double(%n: int32) -> int32 { add(%n, %n) }
def @main(%n: int32) -> int32 {
  if (less(%n, 100)) { @main(@double(%n)) } else { %n }
}
"""
LIST = """
type List[A] { Cons(A, List[A]), Nil }
def @upto(%n: int32) -> List[int32] {
  if (less(%n, 1)) { Nil } else { Cons(%n, @upto(subtract(%n, 1))) }
}
def @main(%n: int32) -> (List[int32], int32) { (@upto(%n), %n) }
"""


def module(text: str) -> Any:
    return relay.parse(HEAD + text)


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_run_a_graph(kind: str):
    run = relay.create_executor(kind, module(GRAPH), relay.cpu(0), "llvm").evaluate()
    np.testing.assert_allclose(run(X, X), np.exp(X * X), rtol=1e-6)
    np.testing.assert_allclose(run(X, w=2 * X), np.exp(2 * X * X), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_become_constants(kind: str):
    run = relay.create_executor(kind, module(GRAPH), params={"w": X}).evaluate()
    np.testing.assert_allclose(run(X), np.exp(X * X), rtol=1e-6)


@pytest.mark.parametrize("kind", ALL)
def test_all_but_the_graph_executor_run_control_flow(kind: str):
    executor = relay.create_executor(kind, module(LOOP))
    assert executor.evaluate()(np.int32(3)) == 192
    assert executor.evaluate(relay.GlobalVar("double"))(np.int32(4)) == 8


def test_the_graph_executor_says_what_it_cannot_run():
    with pytest.raises(UsageError, match=r"branches, loops or function calls \(") as caught:
        relay.create_executor("graph", module(LOOP)).evaluate()
    assert caught.value.code == "U064"
    assert '"aot"' in (caught.value.help or "")
    with pytest.raises(UsageError, match="results that are not tensors"):
        relay.create_executor("graph", module(LIST)).evaluate()
    with pytest.raises(UsageError, match="dynamic sizes"):
        relay.build(module("def @main(%x: Tensor[(n), float32]) { exp(%x) }"))


@pytest.mark.parametrize("kind", KINDS)
def test_expressions_have_values(kind: str):
    executor = relay.create_executor(kind, module(GRAPH))
    assert executor.evaluate(relay.const(2.0) + relay.const(3.0)) == 5
    x = relay.var("x", shape=(), dtype="float32")
    assert executor.evaluate(x * x, binds={x: np.float32(3)}) == 9
    assert executor.evaluate(relay.Function((x,), x + x))(np.float32(2)) == 4


@pytest.mark.parametrize("kind", ALL)
def test_expressions_may_call_what_is_in_the_module(kind: str):
    executor = relay.create_executor(kind, module(LOOP))
    n = relay.var("n", shape=(), dtype="int32")
    main = relay.GlobalVar("main")
    assert executor.evaluate(main(relay.const(3))) == 192
    assert executor.evaluate(relay.Function((n,), main(main(n)) - n))(np.int32(3)) == 189


@pytest.mark.parametrize("kind", ALL)
def test_values_of_data_types_look_alike(kind: str):
    found, number = relay.create_executor(kind, module(LIST)).evaluate()(np.int32(2))
    assert number == 2
    items = []
    while found.constructor == "Cons":
        assert isinstance(found, Data)
        items.append(int(found.fields[0]))
        found = found.fields[1]
    assert items == [2, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_number_of_arguments(kind: str):
    run = relay.create_executor(kind, module(GRAPH)).evaluate()
    with pytest.raises(RunError) as caught:
        run(X)
    assert caught.value.code == "R001"


def test_there_are_no_other_kinds():
    with pytest.raises(UsageError, match="no executor named 'interpreter'") as caught:
        relay.create_executor("interpreter")
    assert caught.value.code == "U063"
    with pytest.raises(UsageError, match="no executor named 'vm'"):
        relay.build(module(GRAPH), executor="vm")
    for kind in KINDS[1:]:
        with pytest.raises(relay.RelayError, match="unknown machine 'pdp11'"):
            relay.create_executor(kind, module(GRAPH), target="pdp11").evaluate()


# ---- relay.build ----------------------------------------------------------------------------


def test_build_gives_a_factory():
    library = relay.build(module(GRAPH), target="llvm", params={"w": X})
    graph = relay.graph_executor.GraphModule(library["default"](relay.cpu(0)))
    graph.set_input("x", X)
    graph.run()
    np.testing.assert_allclose(graph.get_output(0), np.exp(X * X), rtol=1e-6)
    out = np.empty(3, np.float32)
    graph.run(x=2 * X)
    assert graph.get_output(0, out) is out
    np.testing.assert_allclose(out, np.exp(2 * X * X), rtol=1e-6)
    assert (graph.get_num_inputs(), graph.get_num_outputs()) == (1, 1)
    assert graph.get_input_info() == ({"x": (3,)}, {"x": "float32"})
    assert (graph.get_input_index("x"), graph.get_input_index("w")) == (0, -1)
    assert library.get_params() == {}
    assert graph.benchmark(relay.cpu(0), repeat=2, number=2).min > 0


def test_inputs_are_copied_when_they_are_set():
    graph = relay.build(module(GRAPH))["default"]()
    x = X.copy()
    graph.set_input(0, x)
    graph.set_input(w=X)
    x[:] = 7
    graph.run()
    np.testing.assert_allclose(graph.get_output(0), np.exp(X * X), rtol=1e-6)
    np.testing.assert_array_equal(graph.get_input("x"), X)


@pytest.mark.parametrize(
    ("given", "code"), [(np.ones((2, 3), np.float32), "R004"), (X[:2], "R005"), ("text", "R003")]
)
def test_an_input_that_does_not_fit_is_refused_when_it_is_set(given: object, code: str):
    graph = relay.build(module(GRAPH))["default"]()
    with pytest.raises(RunError, match="input 'x'") as caught:
        graph.set_input("x", given)
    assert caught.value.code == code


def test_what_a_graph_module_does_not_have():
    graph = relay.build(module(GRAPH))["default"]()
    with pytest.raises(RunError, match="no output 0") as caught:
        graph.get_output(0)
    assert caught.value.code == "R015"
    with pytest.raises(RunError, match="no input 'y'") as caught:
        graph.set_input("y", X)
    assert caught.value.code == "R002"
    with pytest.raises(RunError) as caught:
        graph.run()
    assert caught.value.code == "R001"
    with pytest.raises(UsageError, match="no function named 'main'"):
        relay.build(module(GRAPH))["main"]


def test_build_for_other_executors_and_functions():
    library = relay.build(module(LOOP), executor="aot", mod_name="loop")
    program = library["loop"](relay.cpu())
    program.run(n=np.int32(3))
    assert program.get_output(0) == 192
    x = relay.var("x", shape=(3,))
    function = relay.build(relay.Function((x,), relay.exp(x)))["default"]()
    function.run(x=X)
    np.testing.assert_allclose(function.get_output(0), np.exp(X), rtol=1e-6)


def test_a_library_is_a_file(tmp_path):
    relay.build(module(GRAPH)).export_library(tmp_path / "m.relay")
    again = relay.graph_executor.GraphModule(relay.Executable.load(tmp_path / "m.relay"))
    again.run(x=X, w=X)
    np.testing.assert_allclose(again.get_output(0), np.exp(X * X), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_targets_are_machines_that_run_here(kind: str):
    executor = relay.create_executor(kind, module(GRAPH), target="llvm -mcpu=generic")
    np.testing.assert_allclose(executor.evaluate()(X, X), np.exp(X * X), rtol=1e-6)


def test_a_pass_context_holds_for_all(monkeypatch):
    with relay.transform.PassContext(opt_level=0):
        library = relay.build(module(GRAPH))
    assert len(library.executable.profile(X, X, repeats=1).steps) == 2


def test_a_file_for_the_virtual_machine_is_read_by_a_process_that_compiles_nothing(tmp_path):
    text = """#[version = "0.0.5"]
    def @main(%n: int32, %k: int32) -> int32 { if (%n < %k) { @main(%n + %n, %k) } else { %n } }
    """
    path = tmp_path / "loop.relay"
    relay.vm.compile(relay.parse(text)).save(path)
    script = f"import relay; print(relay.Executable.load({str(path)!r})(3, 50))"
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert ran.stdout == "96\n"


@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
def test_data_without_content(kind: str):
    module = relay.IRModule()
    prelude = relay.Prelude(module)
    run = relay.create_executor(kind, module)
    assert run.evaluate(prelude.nil()).constructor == "Nil"
    assert run.evaluate(prelude.length(prelude.nil())).numpy() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_two_parameters_of_one_name(kind: str):
    x, y = (relay.var("x", shape=(3,)) for _ in range(2))
    run = relay.create_executor(kind, relay.IRModule.from_expr(relay.Function((x, y), x - y)))
    found = run.evaluate()(X + 1, X)
    np.testing.assert_allclose(found.numpy(), np.ones(3))
    with pytest.raises(RunError, match="2 inputs of the program have the name 'x'") as caught:
        run.evaluate()(X, x=X)
    assert caught.value.code == "R002"


@pytest.mark.parametrize("kind", KINDS)
def test_matrices_of_numpy_are_arrays(kind: str):
    given, twos = (np.full((2, 2), n, np.float32).view(np.matrix) for n in (1, 2))
    x = relay.var("x", shape=(2, 2))
    pair = relay.Function((x,), relay.Tuple((x, x * relay.Constant(twos))))
    run = relay.create_executor(kind, relay.IRModule.from_expr(pair))
    same, found = run.evaluate()(given)
    assert type(same.numpy()) is type(found.numpy()) is np.ndarray
    np.testing.assert_array_equal(found.numpy(), np.full((2, 2), 2))

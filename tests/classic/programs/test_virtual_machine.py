"""Ten programs for the virtual machine, as classic tutorials and users write them."""

# Modules of TVM without a file here are found when they are imported.
# pyright: reportMissingImports=none, reportUntypedBaseClass=none

from typing import Any

import numpy as np
from relay.scope_builder import ScopeBuilder

import relay as typed
from relay import vm as runtime_vm  # tvm.runtime.vm
from tests.classic.running import close, data

relay: Any = typed
IRModule = relay.IRModule
INT = relay.scalar_type("int32")


def on_vm(mod, *args, **named):
    exe = relay.vm.compile(mod, target="llvm")
    return runtime_vm.VirtualMachine(exe, relay.cpu()).invoke("main", *args, **named)


def test_a_function_by_position_and_by_name():
    x, y = relay.var("x", shape=(3, 2)), relay.var("y", shape=(3, 2))
    mod = IRModule.from_expr(relay.Function([x, y], x - y))
    a, b = data(3, 2), data(3, 2)
    close(on_vm(mod, a, b), a - b)
    close(on_vm(mod, y=b, x=a), a - b)


def test_inputs_are_set_before_the_run():
    x = relay.var("x", shape=(3,))
    exe = relay.vm.compile(IRModule.from_expr(relay.Function([x], relay.Tuple([x, x * x]))))
    machine = runtime_vm.VirtualMachine(exe, relay.cpu())
    a = data(3)
    machine.set_input("main", a)
    machine.invoke("main")
    same, square = machine.get_outputs()
    close(square, same * same)
    assert machine.get_input_index("x") == 0


def test_a_recursive_sum():
    total, n, acc = relay.GlobalVar("total"), relay.var("n", "int32"), relay.var("acc", "int32")
    sb = ScopeBuilder()
    with sb.if_scope(relay.equal(n, relay.const(0, "int32"))):
        sb.ret(acc)
    with sb.else_scope():
        sb.ret(total(relay.subtract(n, relay.const(1, "int32")), relay.add(acc, n)))
    mod = IRModule({total: relay.Function([n, acc], sb.get(), INT)})
    m = relay.var("m", "int32")
    mod["main"] = relay.Function([m], total(m, relay.const(0, "int32")))
    assert on_vm(mod, np.int32(100)) == 5050


def test_a_closure():
    x, y = relay.var("x", shape=()), relay.var("y", shape=())
    add = relay.Function([x], relay.Function([y], x + y))
    ff, clo = relay.var("ff"), relay.var("clo")
    body = relay.Let(ff, add, relay.Let(clo, ff(relay.const(2.0)), clo(relay.const(3.0))))
    assert on_vm(IRModule.from_expr(relay.Function([], body))) == 5


def test_lists_of_the_prelude():
    p = relay.Prelude()
    _, cons, nil = p.mod.get_type("List")
    xs = cons(relay.const(3), cons(relay.const(2), cons(relay.const(1), nil())))
    p.mod["main"] = relay.Function([], p.mod.get_global_var("rev")(xs))
    result = on_vm(p.mod)
    values = []
    while result.constructor == "Cons":
        head, result = result.fields
        values.append(int(head))
    assert values == [1, 2, 3]


def test_options_and_a_match():
    p = relay.Prelude()
    _, some, none = p.mod.get_type("Option")
    v = relay.Var("v")
    found = relay.Match(
        some(relay.const(4)),
        [
            relay.Clause(relay.PatternConstructor(some, [relay.PatternVar(v)]), v + v),
            relay.Clause(relay.PatternConstructor(none, []), relay.const(0)),
        ],
    )
    p.mod["main"] = relay.Function([], found)
    assert on_vm(p.mod) == 8


def test_a_while_loop_over_tensors():
    i, s = relay.var("i", shape=(), dtype="int32"), relay.var("s", shape=(2,))
    n = relay.var("n", shape=(), dtype="int32")
    loop = relay.loops.while_loop(
        lambda i, _: relay.less(i, n), [i, s], lambda i, s: [i + relay.const(1), s + s]
    )
    start = relay.var("start", shape=(2,))
    mod = IRModule.from_expr(relay.Function([n, start], loop(relay.const(0), start)[1]))
    a = data(2)
    close(on_vm(mod, np.int32(3), a), 8 * a)


def test_shapes_that_are_not_known():
    x = relay.var("x", shape=(relay.Any(), 2))
    y = relay.var("y", shape=(relay.Any(), 2))
    mod = IRModule.from_expr(relay.Function([x, y], relay.concatenate([x, y], axis=0)))
    for rows in (1, 4):
        a, b = data(rows, 2), data(3, 2)
        close(on_vm(mod, a, b), np.concatenate([a, b]))


def test_a_shape_that_depends_on_the_data():
    x = relay.var("x", shape=(5,))
    mod = IRModule.from_expr(relay.Function([x], relay.argwhere(x > relay.const(0.0))))
    a = np.array([1, -1, 2, -2, 3], "float32")
    assert on_vm(mod, a).ravel().tolist() == [0, 2, 4]


def test_code_is_saved_and_loaded(tmp_path):
    x = relay.var("x", shape=(2,))
    exe = relay.vm.compile(IRModule.from_expr(relay.Function([x], relay.exp(x))), "llvm")
    code, lib = exe.save()
    path = tmp_path / "code.ro"
    path.write_bytes(code)
    path_lib = tmp_path / "lib.so"
    lib.export_library(path_lib)
    loaded: Any = runtime_vm.Executable.load_exec(
        path.read_bytes(), relay.runtime.load_module(path_lib)
    )
    a = data(2)
    close(runtime_vm.VirtualMachine(loaded, relay.cpu()).run(a), np.exp(a))
    assert "exp" in exe.text

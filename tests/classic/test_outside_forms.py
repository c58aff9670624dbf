"""What classic scripts take apart or write down: graphs, libraries, parameters, modules as JSON."""

import json
from typing import Any

import numpy as np

import relay as typed
from tests.classic.running import close, data

relay: Any = typed
IRModule = relay.IRModule


def module():
    x, w = relay.var("x", shape=(2, 3)), data(4, 3)
    return IRModule.from_expr(relay.Function([x], relay.nn.dense(x, relay.const(w)))), w


def test_a_build_is_taken_apart_into_graph_library_and_parameters():
    mod, w = module()
    graph, lib, params = relay.build(mod, target="llvm")
    nodes = json.loads(graph)["nodes"]
    assert [node["op"] for node in nodes] == ["null", "tvm_op"]
    assert json.loads(graph)["attrs"]["shape"] == ["list_shape", [[2, 3], [2, 4]]]
    run = relay.graph_executor.create(graph, lib, relay.cpu(0))
    run.set_input("x", x := data(2, 3), **params)
    run.run()
    close(run.get_output(0).numpy(), x @ w.T)


def test_modules_and_functions_as_json():
    mod, w = module()
    for given in (mod, mod["main"]):
        found = relay.load_json(relay.save_json(given))
        assert type(found) is type(given)
        assert relay.structural_equal(found, given)
    x = data(2, 3)
    close(relay.compile(relay.load_json(relay.save_json(mod)))(x), x @ w.T)


def test_the_module_of_a_prelude_takes_functions():
    p = relay.Prelude()
    xs = relay.var("xs", p.list(relay.TensorType((), "int32")))
    p.mod["main"] = relay.Function([xs], p.length(xs))
    result = relay.create_executor("vm", mod=p.mod).evaluate()([1, 2, 3])
    assert np.asarray(result) == 3

"""Programs that analyse, change, partition and train programs as tutorials do."""

from typing import Any

import numpy as np

import relay as typed
from relay import analysis, transform
from tests.classic.programs.test_deployment import WANTED, WEIGHTS, X, network
from tests.classic.running import close, data, run

relay: Any = typed
IRModule, dfp = relay.IRModule, relay.dataflow_pattern
is_constant, is_op, is_var, wildcard = dfp.is_constant, dfp.is_op, dfp.is_var, dfp.wildcard


def nodes_of(expr):
    found = []
    analysis.post_order_visit(expr, found.append)
    return found


def test_convolutions_are_collected_with_their_shapes():
    class Collector(relay.ExprVisitor):
        def __init__(self):
            super().__init__()
            self.found = []

        def visit_call(self, call):
            super().visit_call(call)
            if isinstance(call.op, relay.op.Op) and call.op.name == "nn.conv2d":
                ty = call.args[0].checked_type
                kernel = [int(size) for size in call.attrs.kernel_size]
                self.found.append(
                    ([int(s) for s in ty.shape], kernel, str(ty.dtype), call.attrs["data_layout"])
                )

    collector = Collector()
    collector.visit(transform.InferType()(IRModule.from_expr(network()))["main"])
    assert collector.found == [([1, 3, 8, 8], [3, 3], "float32", "NCHW")]


def test_the_input_gets_another_type():
    class FromBytes(relay.ExprMutator):
        def visit_var(self, var):
            if var.name_hint != "data":
                return var
            self.new = relay.var("data", shape=var.type_annotation.shape, dtype="uint8")
            return relay.cast(self.new, "float32")

        def visit_function(self, fn):
            body = self.visit(fn.body)
            params = [self.new if p.name_hint == "data" else p for p in fn.params]
            return relay.Function(params, body, fn.ret_type, fn.type_params, fn.attrs)

    mod = transform.InferType()(IRModule.from_expr(FromBytes().visit(network())))
    assert mod["main"].params[0].checked_type.dtype == "uint8"
    floats = np.zeros((1, 3, 8, 8), "float32")
    close(
        run(mod, floats.astype("uint8"), *WEIGHTS.values()),
        np.broadcast_to(np.maximum(WEIGHTS["bias"], 0)[:, None, None], (1, 4, 8, 8)),
    )


def test_a_chain_of_lets_is_counted_in_a_loop():
    class Counter(relay.ExprVisitor):
        count = 0

        def visit_let(self, let):
            while isinstance(let, relay.Let):
                self.count += 1
                self.visit(let.value)
                let = let.body
            self.visit(let)

    x = relay.var("x", shape=())
    chain = x
    for number in range(500):
        chain = relay.Let(relay.var(f"v{number}"), x + x, chain)
    counter = Counter()
    counter.visit(chain)
    assert counter.count == 500


def test_a_pass_with_an_option_replaces_constants():
    @transform.function_pass(opt_level=1)
    class Scale:
        def __init__(self, multiplier):
            self.multiplier = multiplier

        def transform_function(self, func, mod, ctx):
            scale = self

            class Replace(relay.ExprMutator):
                def visit_constant(self, const):
                    return relay.multiply(scale.multiplier, const)

            return Replace().visit(func)

    x = relay.var("x", shape=(3,))
    mod = IRModule.from_expr(relay.Function([x], x + relay.const(np.arange(3, dtype="float32"))))
    scale = Scale(multiplier=relay.const(3, "float32"))
    assert scale.info.name == "Scale"
    with transform.PassContext(opt_level=3):
        mod = transform.Sequential([transform.FoldConstant(), scale, transform.FuseOps(2)])(mod)
    close(run(mod, np.zeros(3, "float32")), [0, 3, 6])


def test_an_instrument_counts_what_passes_change():
    @transform.pass_instrument
    class Differences:
        def __init__(self):
            self.before, self.found = [], {}

        def run_before_pass(self, mod, info):
            self.before.append(sum(analysis.list_op_freqs(mod).values()))

        def run_after_pass(self, mod, info):
            after = sum(analysis.list_op_freqs(mod).values())
            self.found[info.name] = after - self.before.pop()

    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(x) + relay.exp(x)))
    differences, times = Differences(), transform.PassTimingInstrument()
    with transform.PassContext(opt_level=3, instruments=[differences, times]):
        transform.EliminateCommonSubexpr()(mod)
        assert "EliminateCommonSubexpr" in times.render()
    assert differences.found["EliminateCommonSubexpr"] == -1


def test_layouts_are_converted_with_the_values_kept():
    layouts = {"nn.conv2d": ["NHWC", "default"]}
    passes = [transform.RemoveUnusedFunctions(), transform.ConvertLayout(layouts)]
    with transform.PassContext(opt_level=3):
        mod = transform.Sequential(passes)(IRModule.from_expr(network()))
    assert "NHWC" in mod.astext(show_meta_data=False)
    close(run(mod, X, *WEIGHTS.values(), kind="vm"), WANTED)


def test_kernels_of_the_optimised_program_are_found():
    with transform.PassContext(opt_level=3):
        mod, _ = relay.optimize(IRModule.from_expr(network()), target="llvm", params=WEIGHTS)
    functions = [each for each in nodes_of(mod["main"]) if isinstance(each, relay.Function)]
    assert any("Primitive" in each.attrs.keys() for each in functions)  # noqa: SIM118 - as TVM's code says


def test_fusion_is_stopped_by_an_annotation():
    x = relay.var("x", shape=(2,))
    body = relay.tanh(relay.annotation.stop_fusion(relay.exp(x)))
    mod = transform.FuseOps()(transform.InferType()(IRModule.from_expr(relay.Function([x], body))))
    kernels = [f for f in nodes_of(mod["main"]) if isinstance(f, relay.Function) and f.attrs]
    assert len(kernels) == 2


def test_arithmetic_becomes_a_batch_norm():
    class BatchNorm(dfp.DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.x, self.var, self.mean, self.beta, self.gamma = (wildcard() for _ in range(5))
            self.eps = is_constant()
            scaled = self.gamma * (self.x - self.mean) / is_op("sqrt")(self.var + self.eps)
            self.pattern = scaled + self.beta

        def callback(self, pre, post, node_map):
            x, gamma, beta, mean, var = (
                node_map[each][0] for each in (self.x, self.gamma, self.beta, self.mean, self.var)
            )
            eps = node_map[self.eps][0].data.numpy().item()
            return relay.op.nn.batch_norm(x, gamma, beta, mean, var, epsilon=eps)[0]

    x = relay.var("x", shape=(2, 5))
    var, mean, beta, gamma = (relay.var(n, shape=(5,)) for n in ("var", "mean", "beta", "gamma"))
    plain = gamma * (x - mean) / relay.op.sqrt(var + relay.const(0.25)) + beta
    found = dfp.rewrite(BatchNorm(), plain)
    assert (found.tuple_value.op.name, found.tuple_value.attrs.epsilon) == ("nn.batch_norm", 0.25)
    params, values = [x, var, mean, beta, gamma], [data(2, 5), *np.abs(data(4, 5))]
    before, after = (IRModule.from_expr(relay.Function(params, each)) for each in (plain, found))
    close(run(after, *values), run(before, *values, kind="debug"))


def test_patterns_with_alternatives_and_attributes():
    conv = is_op("nn.conv2d")(wildcard(), is_var("weight")).has_attr({"data_layout": "NCHW"})
    biased = conv.optional(lambda x: is_op("nn.bias_add")(x, wildcard()))
    assert (is_op("nn.relu") | is_op("clip"))(biased).match(network().body)
    assert not conv.match(network().body)
    halves = relay.split(relay.var("x", shape=(4, 2)), 2)
    assert dfp.is_tuple_get_item(is_op("split")(wildcard()), 1).match(halves[1])
    assert not dfp.is_tuple_get_item(is_op("split")(wildcard()), 1).match(halves[0])


def test_a_residual_block_becomes_a_function():
    x, w = relay.var("x", shape=(1, 4, 8, 8)), relay.var("w", shape=(4, 4, 3, 3))
    conv = relay.nn.conv2d(x, w, padding=(1, 1), channels=4, kernel_size=(3, 3))
    start = wildcard()
    block = is_op("nn.relu")(is_op("add")(is_op("nn.conv2d")(start, wildcard()), start))
    call = block.partition(relay.nn.relu(conv + x), {"Composite": "residual"})
    assert (call.op.attrs["Composite"], len(call.args)) == ("residual", 2)
    assert not block.match(relay.nn.relu(conv + conv))


def test_a_network_is_partitioned_for_a_compiler():
    def check(call):
        return call.args[0].args[0].attrs.groups == 1

    conv = is_op("nn.conv2d")(wildcard(), is_constant())
    layer = is_op("nn.relu")(is_op("nn.bias_add")(conv, is_constant()))
    mod = IRModule.from_expr(network())
    mod["main"] = relay.build_module.bind_params_by_name(mod["main"], WEIGHTS)
    passes = [
        transform.InferType(),
        transform.MergeComposite([("mycc.conv2d_bias_relu", layer, check)]),
        transform.AnnotateTarget(["mycc"]),
        transform.MergeCompilerRegions(),
        transform.PartitionGraph(mod_name="net"),
    ]
    mod = transform.Sequential(passes)(mod)
    regions = {v.name_hint: f for v, f in mod.functions.items() if "Compiler" in f.attrs}
    ((name, region),) = regions.items()
    assert name.startswith("tvmgen_net_mycc")
    assert (region.attrs["Compiler"], region.attrs["global_symbol"]) == ("mycc", name)
    close(run(mod, X, kind="debug"), WANTED)


def test_a_line_is_fitted():
    x, y, w = (
        relay.var("x", shape=(8, 3)),
        relay.var("y", shape=(8, 1)),
        relay.var("w", shape=(1, 3)),
    )
    loss = relay.mean(relay.power(relay.nn.dense(x, w) - y, relay.const(2.0)))
    main = transform.InferType()(IRModule.from_expr(relay.Function([x, y, w], loss)))["main"]
    mod = IRModule.from_expr(transform.gradient(main, mode="first_order"))
    step = relay.create_executor("graph", transform.InferType()(mod)).evaluate()
    inputs, weights = data(8, 3), np.zeros((1, 3), "float32")
    wanted = np.array([[1, -2, 0.5]], "float32")
    for _ in range(400):
        _, (_, _, slope) = step(inputs, inputs @ wanted.T, weights)
        weights = weights - 0.1 * slope.numpy()
    np.testing.assert_allclose(weights, wanted, atol=1e-2)


def test_a_tensor_array_is_written_and_stacked():
    mod = IRModule()
    p = relay.Prelude(mod)
    new, write, stack = (
        p.get_global_var(name, "float32")
        for name in ("tensor_array", "tensor_array_write", "tensor_array_stack")
    )
    vector, v = p.get_tensor_ctor("tensor1", "float32"), relay.var("v", shape=(3,))
    array = write(new(relay.const(2)), relay.const(0), vector(v))
    mod["main"] = relay.Function([v], stack(write(array, relay.const(1), vector(v + v))))
    close(run(mod, np.arange(3.0, dtype="float32"), kind="vm").fields[0], [[0, 1, 2], [0, 2, 4]])


def test_a_loop_appends_to_a_tensor():
    i = relay.var("i", shape=(), dtype="int32")
    rows = relay.var("rows", shape=(relay.Any(), 1), dtype="int32")

    def condition(i, _):
        return relay.op.min(relay.op.less(i, relay.const(10)))

    def body(i, rows):
        row = relay.op.reshape(i, newshape=(1, 1))
        return i + relay.const(1), relay.op.concatenate([rows, row], axis=0)

    start = relay.var("start", shape=(), dtype="int32")
    loop = relay.loops.while_loop(condition, [i, rows], body)
    result = loop(start, relay.op.reshape(relay.const(0), newshape=(1, 1)))
    mod = IRModule()
    mod["main"] = relay.Function([start], relay.TupleGetItem(result, 1))
    close(run(mod, np.int32(1), kind="vm"), np.arange(10).reshape(10, 1))

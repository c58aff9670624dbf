"""Ten programs with passes: one by one, in sequences, in contexts, observed, and of one's own."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay import transform as passes  # tvm.transform, too
from tests.classic.running import close, data, run

relay: Any = typed
transform: Any = passes
IRModule = relay.IRModule
ROW = relay.TensorType((1, 4), "float32")


def example():
    """Return a convolution whose bias is computed from constants, and computed twice."""
    x = relay.var("x", relay.TensorType((1, 2, 6, 6), "float32"))
    conv = relay.nn.conv2d(x, relay.var("weight", shape=(3, 2, 3, 3)))
    c = relay.const(np.ones((1, 3, 4, 4), "float32"))
    y = relay.multiply(relay.add(c, c), relay.const(2, "float32"))
    z = relay.add(relay.add(conv, y), c)
    z1 = relay.add(relay.add(conv, y), c)
    func = relay.Function([x, conv.args[1]], relay.add(z, z1))
    return IRModule.from_expr(func)


def test_constants_are_folded():
    after = transform.FoldConstant()(example())
    assert relay.analysis.list_op_freqs(after) == {"nn.conv2d": 1, "add": 5}


def test_equal_expressions_are_computed_once():
    mod = transform.EliminateCommonSubexpr()(transform.FoldConstant()(example()))
    assert relay.analysis.list_op_freqs(mod) == {"nn.conv2d": 1, "add": 3}


def test_a_sequence_of_passes():
    seq = transform.Sequential(
        [
            relay.transform.FoldConstant(),
            relay.transform.EliminateCommonSubexpr(),
            relay.transform.FuseOps(fuse_opt_level=2),
        ]
    )
    mod = example()
    fused = seq(mod)
    x, w = data(1, 2, 6, 6), data(3, 2, 3, 3)
    close(run(fused, x, w, kind="debug"), run(mod, x, w, kind="debug"))
    assert "Primitive=1" in fused.astext(show_meta_data=False)


def test_levels_and_disabled_passes_of_a_context():
    seq = transform.Sequential([relay.transform.FoldConstant(), relay.transform.FuseOps()])
    mod = example()
    with transform.PassContext(opt_level=3, disabled_pass=["FoldConstant"]):
        kept = seq(mod)
    with transform.PassContext(opt_level=0, required_pass=["FoldConstant"]):
        folded = seq(mod)
    assert relay.analysis.list_op_freqs(kept)["multiply"] == 1
    assert "multiply" not in relay.analysis.list_op_freqs(folded)


def test_a_function_pass_with_a_class():
    @relay.transform.function_pass(opt_level=1)
    class CustomPipeline:
        """Replace constants by their multiples."""

        def __init__(self, multiplier):
            self.multiplier = multiplier

        def transform_function(self, func, mod, ctx):
            obj = self

            class ReplaceConstant(relay.ExprMutator):
                def visit_constant(self, c):
                    return relay.multiply(obj.multiplier, c)

            return ReplaceConstant().visit(func)

    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], x + relay.const(2.0)))
    custom_pass = CustomPipeline(multiplier=relay.const(3, "float32"))
    assert custom_pass.info.name == "CustomPipeline"
    a = data(2)
    close(run(custom_pass(mod), a, kind="debug"), a + 6)


def test_a_module_pass_adds_a_function():
    @transform.module_pass(opt_level=2)
    def add_function(mod, ctx):
        y = relay.var("y", shape=(2,))
        gv = relay.GlobalVar("abs")
        new_mod = IRModule({gv: relay.Function([y], relay.abs(y))})
        new_mod.update(mod)
        return new_mod

    x = relay.var("x", shape=(2,))
    mod = add_function(IRModule.from_expr(relay.Function([x], x)))
    assert sorted(var.name_hint for var in mod.get_global_vars()) == ["abs", "main"]
    assert add_function.info.opt_level == 2


def test_passes_are_timed_and_watched():
    seen = []

    @relay.transform.pass_instrument
    class Watch:
        def run_before_pass(self, mod, info):
            seen.append(info.name)

    timing = relay.transform.PassTimingInstrument()
    with transform.PassContext(opt_level=3, instruments=[timing, Watch()]):
        transform.Sequential([relay.transform.InferType(), relay.transform.FoldConstant()])(
            example()
        )
        profiles = timing.render()
    assert "FoldConstant" in seen
    assert "FoldConstant" in profiles


def test_before_and_after_are_equal_up_to_names():
    def before():
        x = relay.var("x", ROW)
        return relay.Function([x], relay.nn.relu(relay.nn.relu(x)))

    def expected():
        y = relay.var("y", ROW)
        p = relay.var("p", ROW)
        body = relay.Function([p], relay.nn.relu(relay.nn.relu(p))).with_attr("Primitive", 1)
        return relay.Function([y], relay.Call(body, [y]))

    from relay.testing import run_infer_type, run_opt_pass

    found = run_opt_pass(before(), relay.transform.FuseOps(fuse_opt_level=2))
    relay.assert_structural_equal(found, run_infer_type(expected()))
    with pytest.raises(AssertionError, match="differ"):
        relay.assert_structural_equal(found, run_infer_type(before()))


def test_functions_are_inlined_by_their_attribute():
    x, y, z = (relay.var(name, ROW) for name in "xyz")
    g, h = relay.GlobalVar("g"), relay.GlobalVar("h")
    mod = IRModule()
    mod[g] = relay.Function([y], relay.exp(y)).with_attr("Inline", 1)
    mod[h] = relay.Function([z], relay.tanh(z))
    mod["main"] = relay.Function([x], h(g(x)))
    after = relay.transform.Inline()(mod)
    calls = []
    relay.analysis.post_order_visit(
        after["main"], lambda e: calls.append(e) if isinstance(e, relay.GlobalVar) else None
    )
    assert [each.name_hint for each in calls] == ["h"]
    a = data(1, 4)
    close(run(after, a, kind="debug"), np.tanh(np.exp(a)))


def test_layouts_precision_and_batches_are_changed():
    mod, (x, w) = example(), (data(1, 2, 6, 6), data(3, 2, 3, 3))
    wanted = run(mod, x, w, kind="debug")
    mod = relay.transform.InferType()(mod)
    converted = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})(mod)
    assert 'data_layout="NHWC"' in converted.astext(show_meta_data=False)
    close(run(converted, x, w, kind="debug"), wanted)
    half = relay.transform.ToMixedPrecision("float16")(mod)
    assert "float16" in half.astext(show_meta_data=False)
    np.testing.assert_allclose(run(half, x, w, kind="debug"), wanted, rtol=2e-2, atol=2e-2)

"""Classic passes by their names, their options, and those of the context."""

import inspect
from typing import Any

import pytest

import relay as typed
from tests.classic.running import close, data, run

relay: Any = typed  # type checkers know fields by their own names only
IRModule = relay.IRModule


@pytest.mark.parametrize(
    "name",
    ["AlterOpLayout", "AnnotateSpans", "CanonicalizeCast", "CanonicalizeOps", "Legalize",
     "CombineParallelConv2D", "CombineParallelDense", "DivToMul", "EtaExpand", "PartialEvaluate",
     "FlattenAtrousConv", "FoldExplicitPadding", "ToBasicBlockNormalForm"],
)  # fmt: skip
def test_passes_that_prepare_a_program_keep_what_it_means(name):
    x, w = relay.var("x", shape=(2, 3)), relay.const(data(4, 3))
    y = relay.nn.dense(x, w)
    body = relay.nn.relu(y) / relay.const(2.0) + relay.split(y, 1, axis=1)[0]
    mod = IRModule.from_expr(relay.Function([x], body))
    changed = getattr(relay.transform, name)()(mod)
    assert isinstance(changed, IRModule)
    a = data(2, 3)
    close(run(changed, a, kind="debug"), run(mod, a, kind="debug"))


def test_annotate_spans_gives_each_call_its_place_in_the_printed_text():
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.tanh(relay.exp(x))))
    outer = relay.transform.AnnotateSpans()(mod)["main"].body
    lines = mod.astext().splitlines()
    assert lines[outer.span.line - 1].startswith("  tanh(%0)")
    assert lines[outer.args[0].span.line - 1].startswith("  %0 = exp(%x)")


LEVELS = {
    0: "AnnotateSpans AnnotateTarget DivToMul FirstOrderGradient FlattenAtrousConv FuseOps"
    " FoldExplicitPadding InferType MergeComposite MergeCompilerRegions PartitionGraph"
    " SimplifyExpr SimplifyInference ToMixedPrecision",
    1: "ChangeBatch DeadCodeElimination EtaExpand Inline LambdaLift Legalize PartialEvaluate"
    " RemoveUnusedFunctions SplitArgs ToANormalForm ToBasicBlockNormalForm ToCPS"
    " ToGraphNormalForm",
    2: "DynamicToStatic FoldConstant LazyGradientInit",
    3: "AlterOpLayout BackwardFoldScaleAxis CanonicalizeCast CanonicalizeOps ConvertLayout"
    " DefuseOps EliminateCommonSubexpr FoldScaleAxis ForwardFoldScaleAxis",
    4: "CombineParallelBatchMatmul CombineParallelConv2D CombineParallelDense FastMath",
}
DEFAULTS = {
    "AnnotateTarget": {"include_non_call_ops": True},
    "ChangeBatch": {"batch_size": 16},
    "CombineParallelBatchMatmul": {"min_num_branches": 3},
    "CombineParallelConv2D": {"min_num_branches": 3},
    "CombineParallelDense": {"min_num_branches": 3, "to_batch": True},
    "DeadCodeElimination": {"inline_once": False, "ignore_impurity": False},
    "EliminateCommonSubexpr": {"fskip": None},
    "EtaExpand": {"expand_constructor": False, "expand_global_var": False},
    "FoldConstant": {"fold_qnn": False},
    "FuseOps": {"fuse_opt_level": -1, "limit": 64},
    "Legalize": {"legalize_map_attr_name": "FTVMLegalize"},
    "PartitionGraph": {"mod_name": "default", "bind_constants": True},
    "ToMixedPrecision": {"mixed_precision_type": "float16", "missing_op_mode": 1},
}
REQUIRED = {
    "AnnotateTarget": "dnnl", "ChangeBatch": {}, "ConvertLayout": {}, "MergeComposite": [],
    "SplitArgs": 8,
}  # fmt: skip


@pytest.mark.parametrize(("level", "names"), LEVELS.items(), ids=LEVELS)
def test_passes_have_the_levels_and_defaults_of_tvm(level, names):
    for name in names.split():
        make = getattr(relay.transform, name)
        made = make(*([REQUIRED[name]] if name in REQUIRED else []))
        assert (made.info.name, made.info.opt_level) == (name, level)
        options = inspect.signature(make).parameters.values()
        defaults = {each.name: each.default for each in options if each.default is not each.empty}
        assert name not in DEFAULTS or defaults == DEFAULTS[name]


def test_passes_take_their_classic_options():
    mod = IRModule.from_expr(relay.Function([x := relay.var("x", shape=(2,))], relay.nn.relu(x)))
    passes = [
        relay.transform.CombineParallelConv2D(min_num_branches=2),
        relay.transform.EtaExpand(expand_constructor=True, expand_global_var=False),
        relay.transform.Legalize("FTVMLegalize"),
        relay.transform.SplitArgs(8),
    ]
    with relay.transform.PassContext(opt_level=4):
        assert relay.transform.Sequential(passes)(mod)["main"].ret_type == x.checked_type


def test_fskip_keeps_expressions_apart():
    x = relay.var("x", shape=(2,))
    body = relay.Tuple([relay.exp(x), relay.exp(x), relay.tanh(x), relay.tanh(x)])
    mod = IRModule.from_expr(relay.Function([x], body))
    skipped = []

    def is_exp(expr):
        skipped.append(expr.op.name)
        return expr.op.name == "exp"

    merged = relay.transform.EliminateCommonSubexpr(fskip=is_exp)(mod)["main"].body.fields
    assert merged[0] is not merged[1]
    assert merged[2] is merged[3]
    assert set(skipped) == {"exp", "tanh"}


def test_options_of_passes():
    x = y = relay.var("x", shape=(2,))
    for _ in range(5):
        y = relay.exp(y)
    mod = IRModule.from_expr(relay.Function([x], y))

    def kernels(config):
        with relay.transform.PassContext(opt_level=3, config=config):
            fused = relay.transform.FuseOps()(mod)["main"].body
        count = 0
        while isinstance(fused, relay.Call):
            count, fused = count + 1, fused.args[0]
        return count

    assert kernels({}) == kernels({"relay.backend.use_auto_scheduler": True}) == 1
    assert kernels({"relay.FuseOps.max_depth": 1}) == 5
    assert "relay.FuseOps.max_depth" in relay.transform.PassContext.list_configs()
    with relay.transform.PassContext(config={"relay.FuseOps.max_depth": 2}):
        close(relay.compile(mod)(data(2)).shape, (2,))
    for wrong in ({"relay.FuseOps.max_depth": "2"}, {"relay.FuseOps.max_depth": 0}, {"tir.x": 1}):
        with pytest.raises(typed.RelayError, match="U062"):
            relay.transform.PassContext(config=wrong)


def test_fuse_ops_links_constants_into_kernels_that_can_be_compiled():
    x = relay.var("x", shape=(2, 3))
    body = relay.nn.relu(relay.nn.dense(x, relay.const(data(4, 3))))
    mod = IRModule.from_expr(relay.Function([x], body))
    with relay.transform.PassContext(config={"relay.FuseOps.link_params": True}):
        fused = relay.transform.FuseOps()(mod)
    call = fused["main"].body
    assert [arg.name_hint for arg in call.args] == ["x"]
    given = data(2, 3)
    close(run(fused, given), run(mod, given))


@pytest.mark.parametrize("kind", ["let", "tuple", "argument"])
def test_kernels_that_are_values_may_hold_constants(kind: str):
    p, x, f = relay.var("p", shape=(3,)), relay.var("x", shape=(3,)), relay.var("f")
    bias = data(3)
    kernel = relay.Function([p], relay.add(p, relay.const(bias))).with_attr("Primitive", 1)
    if kind == "let":
        body = relay.Let(f, kernel, f(x))
    elif kind == "tuple":
        body = relay.Tuple([kernel])[0](x)
    else:
        body = relay.Function([f], f(x))(kernel)
    given = data(3)
    close(run(IRModule.from_expr(relay.Function([x], body)), given), given + bias)


def test_fuse_ops_makes_a_kernel_of_each_operator_at_level_0():
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(relay.tanh(x))))
    with relay.transform.PassContext(opt_level=0):
        apart = relay.transform.FuseOps()(mod)["main"].body
        fused = relay.transform.FuseOps(fuse_opt_level=1)(mod)["main"].body
    assert isinstance(apart.args[0], relay.Call)
    assert isinstance(fused.args[0], relay.Var)


@pytest.mark.parametrize(
    ("context", "error"),
    [
        (
            {"disabled_pass": ["FuseOpps"]},
            r"(?s)U320.*no pass named 'FuseOpps'.*did you mean FuseOps",
        ),
        ({"required_pass": ["Nonsense"]}, "U320"),
        ({"required_pass": ["ManifestLifetimes"]}, "U072"),
    ],
)
def test_names_of_passes_in_a_context_are_checked(context, error):
    mod = IRModule.from_expr(relay.Function([x := relay.var("x", shape=(2,))], relay.nn.relu(x)))
    with pytest.raises(typed.RelayError, match=error), relay.transform.PassContext(**context):
        relay.compile(mod)


def test_a_compilation_runs_a_required_pass_that_it_would_not_run():
    x = relay.var("x", shape=(2,))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(x) * relay.const([1.0, 1.0])))

    def kernels(names):
        with relay.transform.PassContext(required_pass=names):
            executable = typed.compile(mod.module)
        return [step.label for step in executable.profile(data(2), repeats=1).steps]

    assert kernels([]) == ["exp+multiply"]
    assert kernels(["SimplifyExpr"]) == ["exp"]

"""Rules for operators that users register, and the passes that apply them."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.opdef.user_rules import ALTER, CONVERT, HOOKS, LEGALIZE
from relay.semantics.infer import infer
from relay.transform.pipeline import Pass
from relay.transform.run_passes import run_passes

relay: Any = typed

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 6, 6), float32], %w: Tensor[(4, 3, 3, 3), float32],
          %v: Tensor[(5, 4, 1, 1), float32], %d: Tensor[(2, 180), float32]) {
  %0 = nn.relu(nn.conv2d(%x, %w, padding=[1, 1]));
  nn.dense(nn.batch_flatten(nn.conv2d(%0, %v)), %d)
}
"""


def after(each: Pass) -> Module:
    """The module after a pass that keeps what it computes."""
    return run_passes(infer(typed.parse(TEXT)), [each], check=Verifier(values=True))[0]


def count(module: Module, name: str) -> int:
    return relay.analysis.list_op_freqs(module).get(name, 0)


def test_a_rule_legalises_each_call():
    seen: list[Any] = []

    def as_matmul(attrs: Any, inputs: Any, types: Any) -> Any:
        seen.append((attrs.units, types))
        return relay.nn.matmul(inputs[0], relay.transpose(inputs[1]))

    with HOOKS.added("nn.dense", LEGALIZE, as_matmul):
        legal = after(relay.transform.Legalize())
    assert (count(legal, "nn.dense"), count(legal, "nn.matmul")) == (0, 1)
    assert [ty.shape for ty in seen[0][1]] == [(1, 180), (2, 180), (1, 2)]
    with HOOKS.added("nn.dense", "mine", lambda *_: None):
        assert count(after(relay.transform.Legalize("mine")), "nn.dense") == 1


def test_the_rule_of_the_highest_level_counts():
    with (
        HOOKS.added("nn.dense", LEGALIZE, lambda *_: None, level=20),
        HOOKS.added("nn.dense", LEGALIZE, lambda *_: 1 / 0),
    ):
        assert count(after(relay.transform.Legalize()), "nn.dense") == 1


@pytest.mark.parametrize("answer", [7, relay.const(1.0), relay.var("x")])
def test_an_answer_of_another_type_is_an_error(answer: Any):
    with (
        HOOKS.added("nn.dense", LEGALIZE, lambda *_: answer),
        pytest.raises(typed.RelayError) as found,
    ):
        after(relay.transform.Legalize())
    assert found.value.code == "U311"


def last(attrs: Any, data: Any, weight: Any) -> Any:
    """A convolution in other layouts, written as code for TVM writes it."""
    layouts = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
    return relay.nn.conv2d(data, weight, **dict(attrs.items()) | layouts)


def test_a_rule_alters_layouts():
    def channels_last(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Any:
        assert [ty.rank for ty in (*tinfos, out_type)] == [4, 4, 4]
        return last(attrs, *inputs)

    with HOOKS.added("nn.conv2d", ALTER, channels_last):
        altered = after(relay.transform.AlterOpLayout())
    assert count(altered, "layout_transform") == 4  # the image, two weights, the result
    assert count(after(relay.transform.AlterOpLayout()), "layout_transform") == 0


def test_a_rule_may_return_other_expressions_of_its_inputs():
    two = relay.const(2.0)
    rules: list[Any] = [
        lambda a, inputs, *_: last(a, inputs[0], inputs[1] * two) / two,
        lambda a, inputs, *_: relay.nn.relu(last(a, *inputs)) - relay.nn.relu(-last(a, *inputs)),
        lambda a, inputs, *_: relay.Call(relay.op.get("nn.conv2d"), inputs, a),
    ]
    for rule, number in zip(rules, (5, 4, 0), strict=True):
        with HOOKS.added("nn.conv2d", ALTER, rule):
            altered = after(relay.transform.AlterOpLayout())
        assert count(altered, "layout_transform") == number


def test_a_blocked_convolution_may_replace_one():
    def blocked(attrs: Any, inputs: Any, tinfos: Any, *_: Any) -> Any:
        block = tinfos[0].shape[1]
        names = {"data_layout": f"NCHW{block}c", "kernel_layout": f"OIHW{block}i2o"}
        return relay.nn.contrib_conv2d_nchwc(
            *inputs, padding=attrs.padding, out_layout="NCHW2c", **names
        )

    text = """#[version = "0.0.5"]
    def @main(%x: Tensor[(1, 3, 6, 6), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
      nn.relu(nn.conv2d(%x, %w, padding=[1, 1]))
    }
    """
    with HOOKS.added("nn.conv2d", ALTER, blocked):
        altered = run_passes(
            infer(typed.parse(text)), [relay.transform.AlterOpLayout()], check=Verifier(values=True)
        )[0]
    assert count(altered, "nn.contrib_conv2d_NCHWc") == 1


def test_an_altered_call_has_the_same_inputs_and_the_same_operator():
    wrong = [
        lambda _, inputs, *__: relay.nn.relu(inputs[0]),
        lambda _, inputs, *__: relay.nn.conv2d(inputs[0], inputs[1] * inputs[1]),
        lambda _, inputs, *__: relay.nn.conv2d_transpose(*inputs),
    ]
    for rule in wrong:
        with (
            HOOKS.added("nn.conv2d", ALTER, rule),
            pytest.raises(typed.RelayError) as found,
        ):
            after(relay.transform.AlterOpLayout())
        assert found.value.code in ("U311", "T105")


def test_a_rule_converts_to_the_layouts_that_are_asked_for():
    asked: list[Any] = []

    def convert(attrs: Any, inputs: Any, tinfos: Any, desired: Any) -> Any:
        asked.append(desired)
        return last(attrs, *inputs) if len(asked) > 1 else None

    with HOOKS.added("nn.conv2d", CONVERT, convert):
        kept = after(relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]}))
    assert asked == [["NHWC", "default"]] * 2
    assert count(kept, "layout_transform") == 3  # the data, the weight, the result


CONVERTED = [
    ("nn.global_avg_pool2d", "nn.global_avg_pool2d(%x)", "float32"),
    ("nn.adaptive_max_pool2d", "nn.adaptive_max_pool2d(%x, output_size=[2, 2])", "float32"),
    ("image.resize2d", "image.resize2d(%x, size=[5, 7], roi=[0f, 0f, 0f, 0f])", "float32"),
    ("nn.upsampling", "nn.upsampling(%x, scale_h=2f, scale_w=2f)", "float32"),
    ("nn.depth_to_space", "nn.depth_to_space(%x, block_size=2)", "float32"),
    (
        "vision.roi_align",
        "vision.roi_align(%x, %r, pooled_size=[2, 2], spatial_scale=1f)",
        "float32",
    ),
    (
        "qnn.avg_pool2d",
        "qnn.avg_pool2d(%x, 0.5f, 1, 0.5f, 1, pool_size=[2, 2])",
        "uint8",
    ),
    (
        "qnn.conv2d",
        'qnn.conv2d(%x, %w, 1, 2, 0.1f, 0.2f, channels=4, kernel_size=[3, 3], out_dtype="int32")',
        "int8",
    ),
    (
        "nn.deformable_conv2d",
        "nn.deformable_conv2d(%x, %o, %w, kernel_size=[3, 3], channels=4)",
        "float32",
    ),
]


def program(call: str, dtype: str) -> Module:
    return infer(
        typed.parse(f"""#[version = "0.0.5"]
    def @main(%x: Tensor[(1, 4, 8, 8), {dtype}], %w: Tensor[(4, 4, 3, 3), {dtype}],
              %o: Tensor[(1, 18, 6, 6), float32], %r: Tensor[(1, 5), float32]) {{ {call} }}
    """)
    )


@pytest.mark.parametrize(("name", "call", "dtype"), CONVERTED[:7])
def test_rules_of_operators_with_one_layout(name: str, call: str, dtype: str):
    build: Any = relay
    for part in name.split("."):
        build = getattr(build, part)

    def rule(attrs: Any, inputs: Any, *_: Any) -> Any:
        return build(*inputs, **{**attrs, "layout": "NHWC"})

    with HOOKS.added(name, ALTER, rule):
        altered = run_passes(
            program(call, dtype), [relay.transform.AlterOpLayout()], check=Verifier(values=True)
        )[0]
    assert count(altered, "layout_transform") == 2


def test_blocks_must_divide_the_result():
    def blocked(attrs: Any, inputs: Any, *_: Any) -> Any:
        return relay.nn.max_pool2d(*inputs, **{**attrs, "layout": "NCHW8c"})

    module = program("nn.max_pool2d(%x, pool_size=[2, 2])", "float32")
    with HOOKS.added("nn.max_pool2d", ALTER, blocked), pytest.raises(typed.RelayError) as found:
        run_passes(module, [relay.transform.AlterOpLayout()])
    assert found.value.code == "U311"
    assert "blocks" in str(found.value)


@pytest.mark.parametrize(
    ("weight", "layouts"),
    [
        ("(4, 4, 3, 3)", {"data_layout": "NCHW4c", "kernel_layout": "OIHW4i8o"}),
        ("(6, 4, 3, 3)", {"kernel_layout": "OIHW4o"}),
        ("(8, 2, 3, 3)", {"kernel_layout": "OIHW4i4o"}),
        ("(8, 4, 3, 3)", {"data_layout": "NCHW3c"}),
    ],
)
def test_blocks_must_divide_the_operands(weight: str, layouts: dict[str, str]):
    def blocked(attrs: Any, inputs: Any, *_: Any) -> Any:
        return relay.nn.conv2d(*inputs, **{**attrs, **layouts})

    groups = 2 if weight.startswith("(8, 2") else 1
    module = infer(
        relay.parse(
            f"""#[version = "0.0.5"]
            def @main(%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[{weight}, float32]) {{
              nn.conv2d(%x, %w, groups={groups})
            }}"""
        )
    )
    with HOOKS.added("nn.conv2d", ALTER, blocked), pytest.raises(typed.RelayError) as found:
        run_passes(module, [relay.transform.AlterOpLayout()])
    assert found.value.code == "U311"
    assert "blocks" in str(found.value)


def test_only_the_replaced_operator_may_name_other_layouts():
    def rule(attrs: Any, inputs: Any, *_: Any) -> Any:
        return relay.nn.avg_pool2d(inputs[0], pool_size=(8, 8), layout="NHWC")

    module = program("nn.global_avg_pool2d(%x)", "float32")
    with HOOKS.added("nn.global_avg_pool2d", ALTER, rule), pytest.raises(typed.RelayError) as found:
        run_passes(module, [relay.transform.AlterOpLayout()])
    assert found.value.code == "U311"
    assert "NCHW" in str(found.value)


def test_a_rule_must_not_transform_layouts_itself():
    def rule(attrs: Any, inputs: Any, *_: Any) -> Any:
        x = relay.layout_transform(inputs[0], "NCHW", "NHWC")
        return last(attrs, x, inputs[1])

    with HOOKS.added("nn.conv2d", ALTER, rule), pytest.raises(typed.RelayError) as found:
        after(relay.transform.AlterOpLayout())
    assert found.value.code == "U311"


@pytest.mark.parametrize(("name", "call", "dtype"), CONVERTED)
def test_operators_are_converted_with_all_their_arguments(name: str, call: str, dtype: str):
    converted = run_passes(
        program(call, dtype),
        [relay.transform.ConvertLayout({name: ["NHWC", "default"]})],
        check=Verifier(values=True),
    )[0]
    assert count(converted, "layout_transform") >= 2


def test_convolutions_may_be_skipped_and_blocks_must_divide():
    convert = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})
    with relay.transform.LayoutConfig(skip_layers=[1]):
        assert count(after(convert), "layout_transform") == 3
    assert count(after(convert), "layout_transform") == 4
    data_only = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC"]})
    assert count(after(data_only), "layout_transform") == 4
    blocked = relay.transform.ConvertLayout({"nn.conv2d": ["NCHW2c", "OIHW"]})
    assert count(after(blocked), "layout_transform") == 0


def test_layouts_of_what_has_none():
    for layouts, code in (
        ({"nn.relu": ["NHWC"]}, "U310"),
        ({"nn.conv4d": ["NHWC"]}, "T005"),
        ({"nn.conv2d": ["NHWCC"]}, "T106"),
        ({"nn.conv2d": []}, "T007"),
        ({"nn.conv2d": "NHWC"}, "T007"),
        ({"nn.conv2d": ["NHWC", 5]}, "T007"),
        (["nn.conv2d"], "T007"),
    ):
        with pytest.raises(typed.RelayError) as found:
            relay.transform.ConvertLayout(layouts)
        assert found.value.code == code


def test_rules_are_registered_by_decorators():
    @relay.op.register_legalize("erf", level=0)
    def rule(attrs: Any, inputs: Any, types: Any) -> None: ...

    assert HOOKS.find(relay.op.get("erf"), LEGALIZE) is rule
    x = np.ones(3, np.float32)
    module = infer(Module.of(relay.Function([v := relay.var("x", shape=(3,))], relay.erf(v))))
    run = relay.create_executor("debug", mod=relay.transform.Legalize()(module)).evaluate()
    np.testing.assert_allclose(run(x).numpy(), 0.8427008, rtol=1e-6)


@pytest.mark.parametrize("skip_layers", [3, "ab", ["a"], [1.5], [-1]])
def test_layers_to_skip_are_numbers(skip_layers: Any):
    with pytest.raises(relay.RelayError, match="T007"):
        relay.transform.LayoutConfig(skip_layers=skip_layers)


@pytest.mark.parametrize("rule", ["legalize", "alter_op_layout", "convert_op_layout"])
def test_rules_are_functions_and_levels_are_numbers(rule: str):
    register = getattr(relay.op, f"register_{rule}")
    with pytest.raises(relay.RelayError, match="T007"):
        register("nn.conv2d", level="x")
    with pytest.raises(relay.RelayError, match="T007"):
        register("nn.dense")(3)

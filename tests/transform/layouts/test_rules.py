"""Rules for operators that users register, and the passes that apply them."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.opdef.user_rules import ALTER, CONVERT, HOOKS, LEGALIZE
from relay.semantics.infer import infer
from relay.transform.pipeline import Pass, run_passes

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


def test_a_rule_alters_layouts():
    def channels_last(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Any:
        assert [ty.rank for ty in (*tinfos, out_type)] == [4, 4, 4]
        op = relay.op.get("nn.conv2d")
        layouts = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
        return relay.Call(op, inputs, dict(attrs.items()) | layouts, ty=out_type)

    with HOOKS.added("nn.conv2d", ALTER, channels_last):
        altered = after(relay.transform.AlterOpLayout())
    assert count(altered, "layout_transform") == 4  # the image, two weights, the result
    assert count(after(relay.transform.AlterOpLayout()), "layout_transform") == 0


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

    def keep(attrs: Any, inputs: Any, tinfos: Any, desired: Any) -> Any:
        asked.append(desired)

    with HOOKS.added("nn.conv2d", CONVERT, keep):
        kept = after(relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]}))
    assert asked == [["NHWC", "default"]] * 2
    assert count(kept, "layout_transform") == 0


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

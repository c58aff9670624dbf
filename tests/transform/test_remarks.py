"""Passes say why: remarks are typed, and recorded only on request."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.build.pipeline import pipeline
from relay.frontend.python import Tensor
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.targets.cpu import this_cpu
from relay.transform.fuse_operators import FuseOperators
from relay.transform.inline import Inline
from relay.transform.pipeline import Pass
from relay.transform.remarks import (
    FusionObstacle,
    InlineObstacle,
    LayoutChosen,
    LayoutReason,
    NotFused,
    NotInlined,
    Remark,
    recorded,
    recorder,
)
from relay.transform.run_passes import run_passes
from relay.transform.to_graph_form import ToGraphForm

relay: Any = typed
HEAD = '#[version = "0.0.5"]\n'
X = "%x: Tensor[(8, 8), float32]"


def module(text: str) -> Module:
    return infer(typed.parse(HEAD + text))


def remarks(text: str, *passes: Pass) -> list[Remark]:
    with recorded() as found:
        run_passes(module(text), passes)
    return found


FUSION = {
    "(tanh(%x), exp(tanh(%x)))": None,  # two calls of tanh
    "let %y = exp(%x); (tanh(%y), %y)": FusionObstacle.OTHER_READER,
    "let %y = exp(%x); (sum(%y, axis=[0]), sum(%y, axis=[1]))": FusionObstacle.SEVERAL_KERNELS,
    "sum(nn.dense(%x, %x))": FusionObstacle.SECOND_ANCHOR,
    "sort(nn.dense(%x, %x))": FusionObstacle.READER_APART,
    "nn.dense(exp(%x), %x)": FusionObstacle.PROLOGUE,
    "exp(sort(%x))": FusionObstacle.OPAQUE,
    "exp(topk(%x, k=4).0)": FusionObstacle.OPAQUE,
    "split(exp(%x), indices_or_sections=2).0 + 1f": FusionObstacle.UNKNOWN_SIZE,
    "sort(concatenate((exp(%x), %x)))": FusionObstacle.TUPLE,
    "tanh(if (%c) { exp(%x) } else { %x })": FusionObstacle.BRANCH,
    "let %y = ref(exp(%x)); tanh(ref_read(%y))": FusionObstacle.REFERENCE,
    "let %r = ref(%x); let %y = exp(%x); ref_write(%r, %x); tanh(%y)": None,
    "let %p = if (%c) { (exp(%x), %x) } else { (%x, %x) }; tanh(%p.1)": None,
    "transpose(nn.dense(%x, %x) + 1f)": FusionObstacle.EPILOGUE,
    "transpose(nn.dense(%x, %x))": FusionObstacle.OTHER_SHAPE,
    "%x + broadcast_to(exp(sum(%x)), shape=[8, 8])": FusionObstacle.REPEATED,
    "let %f = if (%c) { fn (%y) { exp(%y) } } else { fn (%y) { sqrt(%y) } }; tanh(%f(%x))": (
        FusionObstacle.RESULT
    ),
    "(fn (%f) { %f(exp(%x)) })(fn (%y) { tanh(%y) })": FusionObstacle.ARGUMENT,
    "match (if (%c) { S(exp(%x)) } else { Z }) { S(%a) => tanh(%a), Z => %x }": FusionObstacle.DATA,
    "match (S((exp(%x), %x))) { S((_, %a)) => tanh(%a), Z => %x }": None,
    "let %r = ref(%x); let %y = exp(%x); ref_write(%r, %y); tanh(ref_read(%r))": (
        FusionObstacle.REFERENCE
    ),
    "exp(annotation.stop_fusion(tanh(%x)))": FusionObstacle.ANNOTATION,
}


STOPPED = [
    "exp(annotation.stop_fusion(nn.dense(%x, %x)))",
    "let %y = annotation.stop_fusion(sum(%x, axis=[0])); tanh(%y) + sqrt(sum(%y))",
]


@pytest.mark.parametrize("body", STOPPED)
def test_an_annotation_is_the_reason_on_both_sides(body: str):
    found = remarks(f"def @main({X}) {{ {body} }}", ToGraphForm(), FuseOperators())
    reasons = [each.obstacle for each in found if isinstance(each, NotFused)]
    assert reasons[:2] == [FusionObstacle.ANNOTATION] * 2


@pytest.mark.parametrize("body", FUSION)
def test_fusion_says_why_not(body: str):
    text = f"type O[a] {{ S(a), Z }} def @main(%c: bool, {X}) {{ {body} }}"
    found = remarks(text, ToGraphForm(), FuseOperators())
    expected = FUSION[body]
    obstacles = [each.obstacle for each in found if isinstance(each, NotFused)]
    assert (expected in obstacles) if expected else not obstacles


def test_a_remark_is_a_value_and_a_sentence():
    (found,) = remarks(f"def @main({X}) {{ tanh(exp(%x)) }}", FuseOperators(limit=1))
    assert found == NotFused(found.span, relay.op.get("exp"), ("tanh",), FusionObstacle.LIMIT)
    assert (
        str(found)
        == "exp is not fused with tanh: the kernel has the largest allowed number of operators"
    )


def test_readers_of_a_field_are_named():
    found = remarks(f"def @main({X}) {{ exp(topk(%x, k=4).0) }}", FuseOperators())
    assert [str(each) for each in found] == [
        "topk is not fused with exp: it is never part of a larger kernel"
    ]


LOOP = """def @main(%n: int32, %x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %f = fn (%i: int32, %y: Tensor[(2), float32]) -> Tensor[(2), float32] {
    if (%i == 0) { %y } else { %f(%i - 1, tanh(%y)) }
  };
  exp(%f(%n, cosh(%x)))
}"""


def test_what_a_local_loop_reads_and_returns_has_reasons():
    assert set(map(str, remarks(LOOP, Inline(), FuseOperators()))) == {
        "%f is not inlined: it is recursive",
        *(
            f"{name}: a function takes its result, which must be in memory"
            for name in (
                "subtract is not fused with equal and subtract",
                "tanh is not fused with tanh and exp",
                "cosh is not fused with tanh and exp",
            )
        ),
    }


STEP = "fn (%i: int32, %y: Tensor[(8, 8), float32]) -> Tensor[(8, 8), float32]"
TAIL = "if (%i > 0) { @f(%i - 1, tanh(%y)) } else { nn.dense(%y, %y) }"
CALLED = {
    TAIL: "nn.dense is not fused with callers of @f: a branch returns its result",
    "let %r = if (%i > 0) { @f(%i - 1, %y) } else { %y }; sqrt(%r)": (
        "sqrt is not fused with callers of @f: a function returns its result"
    ),
}


@pytest.mark.parametrize("body", CALLED)
def test_callers_of_a_global_function_read_its_result(body: str):
    step = f"def @f{STEP[3:]} {{ {body} }}"
    text = f"{step} def @main(%n: int32, {X}) {{ exp(@f(%n, %x)) }}"
    found = list(map(str, remarks(text, Inline(), FuseOperators())))
    assert f"{CALLED[body]}, which must be in memory" in found
    assert not any(each.startswith("exp") for each in found)


def test_inlining_says_why_not():
    text = """
    def @loop(%n: int32) -> int32 { if (%n == 0) { 0 } else { @loop(%n - 1) } }
    def @big(%n: int32) -> int32 { %n + 1 + 2 + 3 }
    def @id[A](%x: A) -> A { %x }
    def @main(%n: int32) { (@loop(%n), @big(%n), @big(%n), @id(%n)) }
    """
    found = {
        each.function: each.obstacle
        for each in remarks(text, Inline(limit=3))
        if isinstance(each, NotInlined)
    }
    assert found == {
        "loop": InlineObstacle.RECURSIVE, "big": InlineObstacle.LARGE, "id": InlineObstacle.GENERIC
    }  # fmt: skip


def test_layouts_have_reasons():
    text = """def @main(%x: Tensor[(1, 16, 8, 8), float32], %w: Tensor[(16, 16, 3, 3), float32]) {
      reshape(nn.relu(nn.conv2d(%x, %w, padding=[1, 1])), newshape=[16, 64])
    }"""
    found = remarks(text, *pipeline(this_cpu()))
    chosen = {each.operator.name: each for each in found if isinstance(each, LayoutChosen)}
    conv, relu, reshape = (chosen[name] for name in ("nn.conv2d", "nn.relu", "reshape"))
    assert conv.reason is LayoutReason.PREFERRED
    assert relu.reason is LayoutReason.FOLLOWED
    assert reshape.reason is LayoutReason.LOST
    assert conv.layout == relu.layout != ""
    assert reshape.layout == ""
    pool = "def @main(%x: Tensor[(1, 3, 8, 8), float32]) { nn.max_pool2d(%x, pool_size=[2, 2]) }"
    (plain,) = [e for e in remarks(pool, *pipeline(this_cpu())) if isinstance(e, LayoutChosen)]
    assert plain.reason is LayoutReason.PLAIN


def test_nothing_is_recorded_unless_wanted():
    assert recorder() is None
    text = f"def @main({X}) {{ nn.softmax(nn.dense(exp(%x), %x)) }}"
    quiet, loud = (relay.compile(module(text), remarks=wanted) for wanted in (False, True))
    assert quiet.compilation().remarks == ()
    assert any("nn.dense" in each for each in loud.compilation().remarks)
    text = str(loud.explain(np.ones((8, 8), np.float32)))
    assert "exp is not fused with nn.dense" in text
    assert recorder() is None


def test_matrices_that_nobody_froze_are_named():
    weight, other = (np.ones((64, 64), np.float32) for _ in range(2))
    known, bias = typed.frozen(np.ones((64, 64), np.float32)), np.ones(64, np.float32)

    @typed.function
    def layer(x: Tensor[2, 64]) -> Tensor[2, 64]:
        return (x @ weight @ other @ known) + bias

    (found,) = typed.compile(layer).compilation().remarks
    assert found.startswith("weight, other (32 kB) can be written to")
    assert found.endswith("weight = relay.frozen(weight)")


def test_many_branches_around_many_results_leave_none_without_a_reason():
    count = 400
    lets = (f"let %v{i + 1} = if (%c) {{ exp(%x) }} else {{ %v{i} }};" for i in range(count))
    body = f"let %v0 = %x; {' '.join(lets)} tanh(%v{count})"
    found = remarks(f"def @main(%c: bool, {X}) {{ {body} }}", ToGraphForm(), FuseOperators())
    assert len(found) == count
    assert {each.obstacle for each in found if isinstance(each, NotFused)} == {
        FusionObstacle.BRANCH
    }

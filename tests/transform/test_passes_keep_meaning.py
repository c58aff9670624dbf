"""Every pass, and all of them with code generation behind, on random well-typed programs."""

import pytest
from hypothesis import given, settings
from networks import networks
from strategies import modules

import relay
from relay.build.pipeline import optimize
from relay.build.rounding_sensitive_results import rounds_to_integers
from relay.build.sample_inputs import random_inputs
from relay.build.value_difference import difference
from relay.build.verification_samples import Sample
from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.targets.cpu import this_cpu
from relay.transform.canonicalize.canonicalize_ops import CanonicalizeOps
from relay.transform.canonicalize.div_to_mul import DivToMul
from relay.transform.canonicalize.fold_explicit_padding import FoldExplicitPadding
from relay.transform.canonicalize.split_args import SplitArgs
from relay.transform.combine.conv2d import CombineParallelConv2D
from relay.transform.combine.dense import CombineParallelDense
from relay.transform.forms.defunctionalize import Defunctionalize
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.forms.lambda_lift import LambdaLift
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.forms.to_continuation_passing import ToContinuationPassing
from relay.transform.layouts.desired_layouts import DesiredLayouts
from relay.transform.partial_evaluation.partial_evaluate import PartialEvaluate
from relay.transform.pipeline import Pass, Repeat
from relay.transform.run_passes import run_passes
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.fold_scale_forward import FoldScaleForward
from relay.transform.simplify.simplify_expressions import SimplifyExpressions
from tools.fuzzing.programs.required import with_required

TARGET = this_cpu()
PASSES = list(dict.fromkeys([*optimize(TARGET), SimplifyExpressions()]))
BY_NAME = [EtaExpand(global_functions=True), LambdaLift(), ToBasicBlockForm()]
"""Passes that no compilation runs."""
ON_LAYERS = [
    CanonicalizeOps(),
    CombineParallelConv2D(2),
    CombineParallelDense(),
    CombineParallelDense(2, to_batch=False),
    DesiredLayouts((("nn.conv2d", ("NHWC", "OHWI")), ("nn.max_pool2d", ("NHWC",)))),
    DivToMul(),
    FoldExplicitPadding(),
    FoldScale(parameters=True),
    FoldScaleForward(parameters=True),
    SplitArgs(2),
]
"""Passes that no compilation runs, and that look at layers."""
TRANSLATIONS = [Defunctionalize(), PartialEvaluate(), ToContinuationPassing()]
"""Passes that may translate again what they have translated."""


@pytest.mark.parametrize("each", PASSES + BY_NAME, ids=lambda each: each.title())
@given(modules())
@settings(max_examples=20)
def test_a_pass_keeps_form_types_and_values_and_then_changes_nothing(each: Pass, module: Module):
    after, _ = run_passes(with_required(each, module), [each], check=Verifier(values=True))
    fixpoint = Repeat((each,))(after)
    assert each(fixpoint) is fixpoint


@pytest.mark.parametrize("each", TRANSLATIONS, ids=lambda each: each.title())
@given(modules())
@settings(max_examples=20)
def test_a_translation_keeps_form_types_and_values(each: Pass, module: Module):
    run_passes(with_required(each, module), [each], check=Verifier(values=True))


@pytest.mark.parametrize("each", ON_LAYERS, ids=lambda each: each.title())
@given(networks())
@settings(max_examples=25)
def test_a_pass_on_layers_keeps_types_and_values(each: Pass, module: Module):
    after, _ = run_passes(module, [each], check=Verifier(values=True))
    fixpoint = Repeat((each,))(after)
    assert each(fixpoint) is fixpoint


@given(modules())
def test_all_passes_in_order(module: Module):
    run_passes(module, optimize(TARGET), check=Verifier(values=True))


@given(modules(control=False, max_steps=5))
@settings(max_examples=15)
def test_compiled_programs_compute_what_the_evaluator_does(module: Module):
    inputs = random_inputs(module, Sample(3))
    found = relay.compile(module, threads=1)(*inputs)
    rounds = rounds_to_integers(module)
    assert difference(evaluate(module, *inputs), found, rounds=rounds) < 1e-5

"""Every pass, and all of them with code generation behind, on random well-typed programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import modules

import relay
from relay.build.pipeline import optimize
from relay.build.verify import Verifier, difference, random_inputs
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.targets.cpu import CpuTarget
from relay.transform.forms.defunctionalize import Defunctionalize
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.forms.lambda_lift import LambdaLift
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.forms.to_continuation_passing import ToContinuationPassing
from relay.transform.pipeline import Pass, Repeat, run_passes
from tests.transform.required import with_required

TARGET = CpuTarget.host(1)
PASSES = list(dict.fromkeys(optimize(TARGET)))
BY_NAME = [EtaExpand(global_functions=True), LambdaLift(), ToBasicBlockForm()]
"""Passes that no compilation runs."""
TRANSLATIONS = [Defunctionalize(), ToContinuationPassing()]
"""Passes that may translate again what they have translated."""


@pytest.mark.parametrize("each", PASSES + BY_NAME + TRANSLATIONS, ids=lambda each: each.title())
@given(modules())
def test_a_pass_keeps_form_types_and_values(each: Pass, module: Module):
    run_passes(with_required(each, module), [each], check=Verifier(values=True))


@given(modules())
def test_all_passes_in_order(module: Module):
    run_passes(module, optimize(TARGET), check=Verifier(values=True))


@pytest.mark.parametrize("each", PASSES + BY_NAME, ids=lambda each: each.title())
@given(modules())
@settings(max_examples=20)
def test_a_pass_that_changes_nothing_returns_the_same_object(each: Pass, module: Module):
    fixpoint = Repeat((each,))(with_required(each, module))
    assert each(fixpoint) is fixpoint


@given(modules(control=False, max_steps=5))
@settings(max_examples=15)
def test_compiled_programs_compute_what_the_evaluator_does(module: Module):
    inputs = random_inputs(module.main, np.random.default_rng(3))
    found = relay.compile(module, threads=1)(*inputs)
    assert difference(evaluate(module, *inputs), found) < 1e-5

"""`relay explain` and `Executable.explain`: passes, kernels, the roofline, pages of codes."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import relay as package
from relay.cli.explain import section
from relay.runtime.compilation_report import Report
from relay.runtime.explanation import Explanation, sample_inputs
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import Signature, TensorSpec
from relay.runtime.roofline import Roofline, roofline
from relay.support.errors import RelayError, UsageError
from relay.support.node import replace

ROOT = Path(__file__).parents[2]


def test_passes_and_kernels_are_explained(relay, model):
    ran = relay("explain", model, "--threads", "1")
    assert ran.status == 0, ran.err
    first = [line.split()[0] for line in ran.out.splitlines() if line]
    executable = package.compile(package.load(model))
    for name, _ in executable.report:
        assert name in first
    assert "total" in first
    assert "GFLOP/s" in ran.out


def test_a_kernel_is_listed_for_any_machine(relay, tmp_path):
    path = tmp_path / "layer.rly"
    path.write_text(
        """#[version = "0.0.5"]
def @main(%x: Tensor[(16, 64), float32], %w: Tensor[(48, 64), float32]) { nn.dense(%x, %w) }
"""
    )
    ran = relay("explain", path)
    assert re.search(r"^dense +products\(high=1", ran.out, re.MULTILINE)
    ran = relay("explain", path, "--kernel", "dense", "--target", "aarch64-linux-gnu")
    assert ran.out.startswith("dense: products(")
    assert "kernel dense(p0: float32[16, 64]" in ran.out
    assert "fmla" in ran.out
    assert "C170" in relay("explain", path, "--kernel", "softmax").err
    chosen = ("--kernel", "dense", "--schedule", "dense:wide=1")
    ran = relay("explain", path, *chosen)
    assert "wide=1" in ran.out
    for option in (["--verify"], ["--threads", "2"]):
        assert f"{option[0]} cannot be combined" in relay("explain", path, *chosen, *option).err


def test_the_report_travels_with_the_file_but_for_its_seconds(model, tmp_path):
    executable = package.compile(package.load(model))
    executable.save(tmp_path / "a.relay")
    again = package.Executable.load(tmp_path / "a.relay")
    before, after = executable.compilation().passes, again.compilation().passes
    assert after == tuple(replace(entry, seconds=0.0) for entry in before)
    assert "fuse-operators" in str(again.explain())


def test_a_saved_program_has_no_times_of_passes(relay, model, tmp_path):
    package.compile(package.load(model)).save(tmp_path / "a.relay")
    heading, *rows = relay("explain", tmp_path / "a.relay", "--remarks", 5).out.splitlines()
    assert heading.split() == ["pass", "before", "after"]
    assert "there are no remarks" in rows


def test_sizes_before_and_after_join_up(model):
    passes = package.compile(package.load(model)).compilation().passes
    assert passes[0].before > 0
    for former, latter in pairwise(passes):
        assert former.after == latter.before
        assert former.changed or former.before == former.after


def test_open_models_are_explained_with_inputs(open_model):
    executable = package.compile(package.load(open_model))
    with pytest.raises(UsageError, match="U018"):
        executable.explain()
    explanation = executable.explain(np.ones((3, 2), np.float32))
    assert explanation.report.passes
    assert explanation.profile.steps


def test_a_step_is_held_against_the_slower_of_its_bounds():
    line = Roofline(1e9, ((1000, 1e9), (10**9, 1e8)))
    steps = (StepTime("product", "a", 4.0, 10**6, 100), StepTime("copy", "b", 1.0, 0, 10**4))
    explanation = Explanation(Report(), Profile(steps), line, 2)
    assert explanation.bound(steps[0]) == pytest.approx(0.5)  # 1 ms of arithmetic on 2 threads
    assert explanation.bound(steps[1]) == pytest.approx(0.05)  # 10 kB at 100 MB/s
    assert explanation.share(steps[0]) == pytest.approx(0.125)
    assert explanation.total_share == pytest.approx(0.55 / 5)
    assert "12%" in str(explanation)


def test_this_machine_has_plausible_limits():
    line = roofline()
    assert 1e8 < line.peak < 1e13
    assert all(1e8 < rate < 1e13 for _, rate in line.bandwidths)
    assert roofline() is line


def test_sample_inputs_fit_the_signature():
    specs = [TensorSpec("x", (2, 3), "float16"), TensorSpec("i", (4,), "int64")]
    x, i = sample_inputs(Signature(specs, ()))
    assert (x.shape, str(x.dtype)) == ((2, 3), "float16")
    assert not i.any()
    with pytest.raises(RelayError) as caught:
        sample_inputs(Signature([TensorSpec("x", (1 << 40, 1 << 40), "float32")], ()))
    assert caught.value.code == "R009"


def test_every_section_of_the_page_can_be_printed():
    page = (ROOT / "relay/cli/errors.md").read_text("utf-8")
    codes = re.findall(r"^## ([A-Z]\d{3}):", page, re.MULTILINE)
    assert codes
    for code in codes:
        text = section(code)
        assert text.startswith(f"## {code}: ")
        assert len(re.findall(r"^## [A-Z]\d{3}:", text, re.MULTILINE)) == 1


def test_codes_are_explained(relay):
    for written in ("t100", "error[T100]", "T100:"):
        assert "has the wrong rank" in relay("explain", written).out
    assert "U019" in relay("explain", "E12").err
    beside = relay("explain", "T100", "--kernel", "dense")
    assert "U014" in beside.err
    assert "--kernel" in beside.err
    missing = relay("explain", "T999")
    assert missing.status == 1
    assert "U019" in missing.err

"""Explain a compiled model: its passes, its kernels, and their distance from hardware limits."""

import math

import numpy as np

from relay.runtime.aligned_memory import too_large
from relay.runtime.arguments import Array
from relay.runtime.compilation_report import Report
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import Signature, TensorSpec
from relay.runtime.roofline import Roofline
from relay.support.dtype import Kind
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node

SHOWN = 24
"""The number of kernels in the printed table; the most expensive ones come first."""


@node
class Explanation:
    """The report of a compilation, the profile of a run, and the roofline of the machine.

    `threads` is the number of threads of the run. The printed form has three tables, and between
    them the remarks of passes, if the model was compiled with `remarks=True`.
    """

    report: Report
    profile: Profile
    roofline: Roofline
    threads: int

    def bound(self, step: StepTime) -> float:
        """Return a lower bound on a step's milliseconds, for perfect division among threads."""
        one = self.roofline.seconds(step.flops / step.calls, step.bytes / step.calls)
        return step.calls * one * 1e3 / self.threads

    @property
    def total_share(self) -> float:
        """Return the sum of the lower bounds of all steps, as a fraction of the total time."""
        total = self.profile.total.milliseconds
        return sum(map(self.bound, self.profile.steps)) / total if total else 0.0

    def share(self, step: StepTime) -> float:
        """Return the lower bound of a step as a fraction of its time: 1 is the hardware limit."""
        return self.bound(step) / step.milliseconds if step.milliseconds else 0.0

    def __str__(self) -> str:
        tables = (self._passes(), self._notes(), self._schedules(), self._kernels())
        return "\n".join(line for table in tables for line in table)

    def _notes(self) -> list[str]:
        blocks = (self.report.notes, self.report.remarks)
        return [line for block in blocks if block for line in (*block, "")]

    def _passes(self) -> list[str]:
        if not self.report.passes:
            return []
        width = max(len(entry.name) for entry in self.report.passes)
        lines = [f"{'pass':<{width}}{'ms':>10}{'before':>8}{'after':>8}"]
        for entry in self.report.passes:
            after = str(entry.after) if entry.changed else "–"
            ms = _ms(entry.seconds)
            lines.append(f"{entry.name:<{width}}{ms:>10}{entry.before:>8}{after:>8}")
        return [*lines, f"{'kernels':<{width}}{_ms(self.report.kernel_seconds):>10}", ""]

    def _schedules(self) -> list[str]:
        found = self.report.schedules
        if not found:
            return []
        width = max(8, *(len(each.name) for each in found))
        return [f"{'kernel':<{width}}  schedule", *(f"{s.name:<{width}}  {s}" for s in found), ""]

    def _kernels(self) -> list[str]:
        steps = sorted(self.profile.steps, key=lambda step: -step.milliseconds)
        total = self.profile.total
        rows = [*steps[:SHOWN], total]
        width = max(8, *(len(step.label) for step in rows))
        head = f"{'kernel':<{width}}{'calls':>8}{'ms':>10}{'%':>6}{'MFLOP':>10}{'MB':>9}"
        shares = [*map(self.share, rows[:-1]), self.total_share]
        lines = [f"{head}{'GFLOP/s':>9}{'of bound':>10}"]
        lines += [_row(s, total, width, share) for s, share in zip(rows, shares, strict=True)]
        if len(steps) > SHOWN:
            lines.insert(-1, f"… {len(steps) - SHOWN} more")
        return [*lines, "", describe(self.roofline, self.threads)]


def _row(step: StepTime, total: StepTime, width: int, share: float) -> str:
    part = 100 * step.milliseconds / total.milliseconds if total.milliseconds else 0.0
    return (
        f"{step.label:<{width}}{step.calls:>8}{step.milliseconds:>10.4f}{part:>6.1f}"
        f"{step.flops / 1e6:>10.2f}{step.bytes / 1e6:>9.2f}{step.gflops:>9.1f}{share:>10.0%}"
    )


def describe(limits: Roofline, threads: int) -> str:
    """Return a sentence that describes the limits from which lower bounds are computed."""
    rates = [f"{rate / 1e9:.0f} GB/s to {_size(size)}" for size, rate in limits.bandwidths]
    cores = "1 core" if threads == 1 else f"{threads} cores, each"
    return f"bound by {cores} {limits.peak / 1e9:.0f} GFLOP/s, {', '.join(rates)}"


GIVE_INPUTS = "pass inputs: executable.explain(x)"


def sample_inputs(signature: Signature, seed: int = 0) -> list[Array]:
    """Return inputs for measurements: normally distributed floats, and zeros for other types.

    Zeros are valid as indices.

    Raises `U018` for a signature with dynamic dimensions, `R009` if memory runs out.
    """
    if not all(spec.is_static for spec in signature.inputs):
        raise UsageError(
            ErrorCode.U018,
            "inputs cannot be generated for a model whose input sizes are not known",
            notes=[str(spec) for spec in signature.inputs],
            help=GIVE_INPUTS,
        )
    rng = np.random.default_rng(seed)
    return [_sample(spec, rng) for spec in signature.inputs]


def _sample(spec: TensorSpec, rng: np.random.Generator) -> Array:
    try:
        if spec.dtype.kind in (Kind.FLOAT, Kind.BFLOAT):
            return np.asarray(rng.standard_normal(spec.static_shape)).astype(spec.dtype.numpy)
        return np.zeros(spec.static_shape, spec.dtype.numpy)
    except (MemoryError, ValueError) as error:
        raise too_large(math.prod(spec.static_shape) * spec.dtype.itemsize) from error


def _size(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB"


def _ms(seconds: float) -> str:
    """Return seconds as text in milliseconds; a dash if the time is unknown (0)."""
    return f"{seconds * 1e3:.2f}" if seconds else "–"

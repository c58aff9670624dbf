"""Learning-rate schedules: functions from the step number to a rate."""

from collections.abc import Callable
from math import pi
from typing import TypeAlias

from relay.ir.expr import Expr
from relay.ops.functions import core
from relay.ops.functions.variables_and_constants import const

Rate: TypeAlias = "float | Callable[[Expr], Expr]"
"""A learning rate, or a function of the step number, which is a float and starts at 0."""


def exponential_decay(rate: float, factor: float, steps: int) -> Rate:
    """Return a schedule that multiplies the rate by `factor` over every `steps` steps."""
    return lambda step: core.power(_like(factor, step), step / float(steps)) * rate


def cosine_decay(rate: float, steps: int, end: float = 0.0) -> Rate:
    """Return a schedule from `rate` to `end · rate` along half a cosine, then constant."""

    def at(step: Expr) -> Expr:
        wave = core.cos(_done(step, steps) * pi) * 0.5 + 0.5
        return (wave * (1.0 - end) + end) * rate

    return at


def warmup(steps: int, rate: Rate) -> Rate:
    """Return a schedule that rises linearly for `steps` steps, then follows `rate`.

    The schedule `rate` begins with its step 0 after the warmup.
    """

    def at(step: Expr) -> Expr:
        rest = core.maximum(step - float(steps), _like(0.0, step))
        return rate_at(rate, rest) * _done(step + 1.0, steps)

    return at


def piecewise(rate: float, factors: dict[int, float]) -> Rate:
    """Return a schedule that multiplies the rate by each factor from the step that is its key."""

    def at(step: Expr) -> Expr:
        found: Expr = _like(rate, step)
        for begin, factor in factors.items():
            found = core.where(step >= float(begin), found * factor, found)
        return found

    return at


def rate_at(rate: Rate, step: Expr) -> Expr:
    """Return the learning rate of a step, in the element type of `step`."""
    return rate(step) if callable(rate) else _like(rate, step)


def _done(step: Expr, steps: int) -> Expr:
    """Return the completed fraction of `steps`, at most 1."""
    return core.clip(step / float(max(1, steps)), 0.0, 1.0)


def _like(number: float, step: Expr) -> Expr:
    return const(number, step.tensor_type.dtype)

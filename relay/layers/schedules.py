"""Learning rates that change from step to step: functions of the number of the step."""

from collections.abc import Callable
from math import pi
from typing import TypeAlias

from relay.ir.expr import Expr
from relay.ops.functions import core
from relay.ops.functions.syntax import const

Rate: TypeAlias = "float | Callable[[Expr], Expr]"
"""A learning rate, or one for each step: the first is number 0, a float."""


def exponential_decay(rate: float, factor: float, steps: int) -> Rate:
    """Multiply by `factor` in the course of every `steps` steps."""
    return lambda step: core.power(_like(factor, step), step / float(steps)) * rate


def cosine_decay(rate: float, steps: int, end: float = 0.0) -> Rate:
    """Go from `rate` to `end · rate` in `steps` steps along half a wave, and stay there."""

    def at(step: Expr) -> Expr:
        wave = core.cos(_done(step, steps) * pi) * 0.5 + 0.5
        return (wave * (1.0 - end) + end) * rate

    return at


def warmup(steps: int, rate: Rate) -> Rate:
    """Go to a rate in `steps` steps along a line; what follows begins at its own step 0."""

    def at(step: Expr) -> Expr:
        rest = core.maximum(step - float(steps), _like(0.0, step))
        return rate_at(rate, rest) * _done(step + 1.0, steps)

    return at


def piecewise(rate: float, factors: dict[int, float]) -> Rate:
    """Multiply by each of the factors from the step on that it belongs to."""

    def at(step: Expr) -> Expr:
        found: Expr = _like(rate, step)
        for begin, factor in factors.items():
            found = core.where(step >= float(begin), found * factor, found)
        return found

    return at


def rate_at(rate: Rate, step: Expr) -> Expr:
    """Return the learning rate of a step, in the element type of its number."""
    return rate(step) if callable(rate) else _like(rate, step)


def _done(step: Expr, steps: int) -> Expr:
    """Return which part of the steps is over, at most all."""
    return core.clip(step / float(max(1, steps)), 0.0, 1.0)


def _like(number: float, step: Expr) -> Expr:
    return const(number, step.tensor_type.dtype)

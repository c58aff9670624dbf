"""Optimizers, which turn trees of gradients into trees of parameter updates.

They can be composed: `chain(clip_by_norm(1.0), adamw(3e-4))`. The state of an optimizer is also a
tree. For 16-bit floats, updates are float32: only new parameters and states are rounded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers import initializers
from relay.layers.learning_rate_schedules import Rate, rate_at
from relay.layers.parameter_tree import Leaf, Parameter, Tree, leaves, map_tree, trained
from relay.layers.working_precision import rounded, widened
from relay.numpy.tensor_conversion import together
from relay.ops.binary import add
from relay.ops.functions import core
from relay.ops.functions.variables_and_constants import const
from relay.support.dtype import DType, int32


@dataclass(frozen=True)
class Optimizer:
    """An update rule for training: two functions on parameter trees.

    `init(parameters)` returns the initial state of the optimizer, as a tree of `Parameter`s.
    `update(gradients, state, parameters)` returns the updates to add to the parameters, and the
    next state.
    """

    init: Callable[[Tree], Tree]
    update: Callable[[Tree, Tree, Tree], tuple[Tree, Tree]]


@builds_expressions
def apply_updates(parameters: Tree, updates: Tree) -> Tree:
    """Return parameters with updates added; an update of None leaves its parameter unchanged."""

    def added(leaf: Leaf, update: Expr | None) -> Expr:
        if update is None:
            return leaf.value
        return rounded(widened(leaf.value) + widened(update), leaf.value)

    return map_tree(added, parameters, updates)


def chain(*optimizers: Optimizer) -> Optimizer:
    """Return an optimizer in which each one takes, as gradients, the updates of the one before."""

    def init(parameters: Tree) -> Tree:
        return tuple(each.init(parameters) for each in optimizers)

    @builds_expressions
    def update(gradients: Tree, state: Tree, parameters: Tree) -> tuple[Tree, Tree]:
        states: list[Tree] = []
        for each, own in zip(optimizers, state, strict=True):
            gradients, new = each.update(gradients, own, parameters)
            states.append(new)
        return gradients, tuple(states)

    return Optimizer(init, update)


def sgd(rate: Rate, momentum: float = 0.0, *, nesterov: bool = False) -> Optimizer:
    """Return the optimizer SGD, stochastic gradient descent, optionally with `momentum`."""

    def init(parameters: Tree) -> Tree:
        return {"step": _COUNT, "sum": _zeros(parameters) if momentum else None}

    @builds_expressions
    def update(gradients: Tree, state: Tree, parameters: Tree) -> tuple[Tree, Tree]:
        del parameters
        gradients = _widened(gradients)
        rates, following = _rates(rate, state["step"]), state["step"] + 1
        if not momentum:
            updates = map_tree(lambda g: -(rates(g.type.dtype) * g.value), gradients)
            return updates, {**state, "step": following}
        before = _widened(state["sum"])
        sums = map_tree(lambda g, s: s * momentum + g.value, gradients, before)
        went = map_tree(lambda g, s: g.value + s * momentum, gradients, sums) if nesterov else sums
        updates = map_tree(lambda g: -(rates(g.type.dtype) * g.value), went)
        return updates, _rounded({"step": following, "sum": sums}, state)

    return Optimizer(init, update)


def adam(rate: Rate, b1: float = 0.9, b2: float = 0.999, epsilon: float = 1e-8) -> Optimizer:
    """Return the optimizer Adam (Kingma and Ba, 2015)."""
    return adamw(rate, b1, b2, epsilon, decay=0.0)


def adamw(
    rate: Rate, b1: float = 0.9, b2: float = 0.999, epsilon: float = 1e-8, decay: float = 0.01
) -> Optimizer:
    """Return AdamW: Adam with weight decay `rate · decay` per step (Loshchilov, Hutter, 2019)."""

    def init(parameters: Tree) -> Tree:
        return {"step": _COUNT, "mean": _zeros(parameters), "square": _zeros(parameters)}

    @builds_expressions
    def update(gradients: Tree, state: Tree, parameters: Tree) -> tuple[Tree, Tree]:
        rates, following = _rates(rate, state["step"]), state["step"] + 1
        gradients, before = _widened(gradients), _widened(state)
        means = map_tree(lambda g, m: m * b1 + g.value * (1.0 - b1), gradients, before["mean"])
        squares = map_tree(
            lambda g, s: s * b2 + g.value * g.value * (1.0 - b2), gradients, before["square"]
        )

        @cache
        def factors(element: DType) -> tuple[Expr, Expr, Expr]:
            """Return Adam's factors of one step: for means, for squares, and the decay."""
            unbiased = rates(element) / _missing(b1, following, element)
            return unbiased, core.rsqrt(_missing(b2, following, element)), rates(element) * decay

        def went(mean: Leaf, square: Expr, parameter: Expr) -> Expr:
            unbiased, root, decaying = factors(mean.type.dtype)
            step = mean.value * unbiased / (core.sqrt(square) * root + epsilon)
            return -(step + parameter * decaying) if decay else -step

        new = {"step": following, "mean": means, "square": squares}
        updates = map_tree(went, means, squares, _widened(parameters))
        return updates, _rounded(new, state)

    return Optimizer(init, update)


def lion(rate: Rate, b1: float = 0.9, b2: float = 0.99, decay: float = 0.0) -> Optimizer:
    """Return the optimizer Lion (Chen, 2023); suitable rates are a tenth of those of Adam."""

    def init(parameters: Tree) -> Tree:
        return {"step": _COUNT, "mean": _zeros(parameters)}

    @builds_expressions
    def update(gradients: Tree, state: Tree, parameters: Tree) -> tuple[Tree, Tree]:
        rates = _rates(rate, state["step"])
        gradients, before = _widened(gradients), _widened(state["mean"])

        def went(gradient: Leaf, mean: Expr, parameter: Expr) -> Expr:
            sign = core.sign(mean * b1 + gradient.value * (1.0 - b1))
            return -(rates(gradient.type.dtype) * (sign + parameter * decay if decay else sign))

        updates = map_tree(went, gradients, before, _widened(parameters))
        means = map_tree(lambda g, m: m * b2 + g.value * (1.0 - b2), gradients, before)
        return updates, _rounded({"step": state["step"] + 1, "mean": means}, state)

    return Optimizer(init, update)


def clip_by_norm(limit: float) -> Optimizer:
    """Return an optimizer that scales all gradients so that their joint norm is at most `limit`."""

    @builds_expressions
    def update(gradients: Tree, state: Tree, parameters: Tree) -> tuple[Tree, Tree]:
        del parameters
        gradients = _widened(gradients)
        squares = together([core.sum(leaf.value * leaf.value) for leaf in leaves(gradients)])
        total = reduce(add, squares)
        most = const(limit, total.tensor_type.dtype)
        factor = most / core.maximum(core.sqrt(total), most)
        return map_tree(lambda g: g.value * rounded(factor, g.value), gradients), state

    return Optimizer(lambda _: None, update)


def clip_by_value(limit: float) -> Optimizer:
    """Return an optimizer that clips each element of gradients to `-limit` … `limit`."""

    @builds_expressions
    def update(gradients: Tree, state: Tree, parameters: Tree) -> tuple[Tree, Tree]:
        del parameters
        return map_tree(lambda g: core.clip(g.value, -limit, limit), _widened(gradients)), state

    return Optimizer(lambda _: None, update)


_COUNT = Parameter(TensorType((), int32), initializers.zeros)


def _rates(rate: Rate, step: Expr) -> Callable[[DType], Expr]:
    """Return a function from an element type to the learning rate of `step` in that type."""

    @cache
    def at(element: DType) -> Expr:
        return rate_at(rate, core.cast(step, element))

    return at


def _missing(factor: float, step: Expr, element: DType) -> Expr:
    """Return `1 - factor ** step`, the bias correction of a running mean that starts at 0."""
    return 1.0 - core.power(const(factor, element), core.cast(step, element))


def _widened(tree: Tree) -> Tree:
    return map_tree(lambda leaf: widened(leaf.value), tree)


def _rounded(tree: Tree, like: Tree) -> Tree:
    return map_tree(lambda leaf, kept: rounded(leaf.value, kept), tree, like)


def _zeros(parameters: Tree) -> Tree:
    def zero(leaf: Leaf) -> Parameter:
        return Parameter(leaf.type, initializers.zeros)

    return map_tree(zero, trained(parameters))

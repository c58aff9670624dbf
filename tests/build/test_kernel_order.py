"""In which order kernels run."""

from itertools import pairwise
from random import Random

import pytest

from relay.build.kernel_order import StepOrder
from relay.build.straight_line_program import KernelCall, Storage
from relay.ir.expr import Call, Function, Var
from relay.ir.types import TensorType
from relay.ops.binary import Add

X = Var("x", TensorType((4,)))
Y = Var("y", X.ty)
KERNEL, UPDATE = Function((X,), X), Function((X, Y), Call(Add(), (X, Y)))


def _chain(length: int, small: int) -> list[KernelCall]:
    """Return kernels that each read the value before, and behind them a reader of each value."""
    values = [Storage(100) for _ in range(length + 1)]
    steps = [KernelCall(KERNEL, [before], [value]) for before, value in pairwise(values)]
    return [*steps, *(KernelCall(KERNEL, [value], [Storage(small)]) for value in values[1:])]


def _random_steps(random: Random) -> list[KernelCall]:
    known = [Storage(random.randint(1, 50), input_index=0) for _ in range(3)]
    steps: list[KernelCall] = []
    for _ in range(random.randint(1, 25)):
        reads = random.choices(known, k=random.randint(0, 3))
        writes = [Storage(random.randint(1, 50)) for _ in range(random.randint(1, 2))]
        steps.append(KernelCall(KERNEL, reads, writes))
        known += writes
    return steps


def _by_definition(steps: list[KernelCall]) -> list[KernelCall]:
    """Return the order that is found by a look at all kernels before each step."""

    def growth(step: KernelCall) -> int:
        others = {each for other in left if other is not step for each in other.reads}
        gone = {each for each in step.reads if each.is_intermediate and each not in others}
        return sum(each.nbytes for each in step.writes) - sum(each.nbytes for each in gone)

    left, order = list(steps), list[KernelCall]()
    while left:
        unwritten = {each for step in left for each in step.writes}
        ready = [step for step in left if unwritten.isdisjoint(step.reads)]
        best = min(ready, key=growth)
        left.remove(chosen := best if growth(best) <= 0 else ready[0])
        order.append(chosen)
    return order


@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_that_of_its_definition(seed: int) -> None:
    steps = _random_steps(Random(seed))
    assert StepOrder(steps).sorted() == _by_definition(steps)


def test_what_frees_memory_runs_as_soon_as_it_can() -> None:
    """A value is used up when the next one is known, which needs it too."""
    steps = _chain(4, small=10)
    wanted = [0, 1, 4, 2, 5, 3, 6, 7]
    assert StepOrder(steps).sorted() == [steps[number] for number in wanted]


def test_what_needs_more_than_it_frees_waits_for_its_turn() -> None:
    steps = _chain(4, small=200)
    assert StepOrder(steps).sorted() == steps


def test_readers_come_before_what_overwrites() -> None:
    """The first kernel writes over the input that the second one reads."""
    given, new, read = Storage(100, input_index=0), Storage(100), Storage(10)
    steps = [KernelCall(KERNEL, [Storage(10)], [new]), KernelCall(KERNEL, [given], [read])]
    order = StepOrder(steps)
    assert order.overwrite(new, given)
    assert order.sorted() == [steps[1], steps[0]]


def test_what_a_reader_needs_does_not_overwrite() -> None:
    given, new = Storage(100, input_index=0), Storage(100)
    steps = [
        KernelCall(KERNEL, [Storage(10)], [new]),
        KernelCall(KERNEL, [new, given], [Storage(10)]),
    ]
    assert not StepOrder(steps).overwrite(new, given)


def test_gradients_that_updates_in_place_read_come_early() -> None:
    """They do not last, so that what they are computed from is free sooner."""
    activation, gradient = Storage(100), Storage(200)
    state, new = Storage(200, input_index=0), Storage(200)
    steps = [
        KernelCall(KERNEL, [], [activation]),
        KernelCall(KERNEL, [], [Storage(10)]),
        KernelCall(KERNEL, [activation], [gradient]),
        KernelCall(UPDATE, [state, gradient], [new]),
    ]
    order = StepOrder(steps)
    assert order.sorted() == steps
    assert order.overwrite(new, state)
    assert order.sorted() == [steps[number] for number in (0, 2, 3, 1)]

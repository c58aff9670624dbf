"""In which order kernels run."""

from itertools import pairwise

from relay.build.step_order import StepOrder
from relay.build.straight_line import KernelCall, Storage
from relay.ir.expr import Function, Var
from relay.ir.types import TensorType

X = Var("x", TensorType((4,)))
KERNEL = Function((X,), X)


def _chain(length: int, small: int) -> list[KernelCall]:
    """Return kernels that each read the value before, and behind them a reader of each value."""
    values = [Storage(100) for _ in range(length + 1)]
    steps = [KernelCall(KERNEL, [before], [value]) for before, value in pairwise(values)]
    return [*steps, *(KernelCall(KERNEL, [value], [Storage(small)]) for value in values[1:])]


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

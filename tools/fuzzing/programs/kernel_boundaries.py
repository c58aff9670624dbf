"""Which results of kernels other kernels read when a program runs, and which have no remark."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

from relay.ir.expr import Call, Expr, Function
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.evaluate import Interpreter
from relay.semantics.evaluator_values import Argument, Value
from relay.support.errors import RunError
from relay.support.span import Span
from relay.transform.fuse_operators import FuseOperators
from relay.transform.remarks import NotFused, recorded
from relay.transform.run_passes import run_passes
from relay.transform.to_graph_form import ToGraphForm

Place: TypeAlias = tuple[Span | None, str]
"""The source location and the name of the operator that computes a kernel's result."""


def silent_boundaries(module: Module, inputs: Sequence[Argument]) -> list[Place]:
    """Return the kernels of `main` that other kernels read in a run although no remark says why.

    The operators of the module must have source locations. The results of other functions are left
    out: the remark that a function was not inlined explains them.
    """
    with recorded() as remarks:
        fused, _ = run_passes(module, [ToGraphForm(), FuseOperators()])
    known = {(each.span, each.operator.name) for each in remarks if isinstance(each, NotFused)}
    observer = _Observer(fused)
    with suppress(RunError):  # what ran before a trap counts
        observer.result_of("main", inputs)
    inside = set(post_order(fused.main))
    found = [_place(each) for each in observer.read if each in inside]
    return [each for each in found if each not in known]


def _place(kernel: Call) -> Place:
    assert isinstance(kernel.op, Function), "a kernel is a call of a primitive function"
    assert isinstance(kernel.op.body, Call), "a kernel ends with an operator"
    assert isinstance(kernel.op.body.op, OperatorDef), "a kernel ends with an operator"
    return kernel.span, kernel.op.body.op.name


class _Observer(Interpreter):
    """An evaluator that notes which kernels have results that other kernels read."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self.read: dict[Call, None] = {}
        self._kernel_of = dict(_members(module))
        self._made: dict[int, tuple[Value, Call]] = {}  # the values are kept, and so their numbers

    def operate(self, call: Call, op: OperatorDef, inputs: Sequence[Value]) -> Value:
        kernel = self._kernel_of.get(call)
        for part in _parts(inputs):
            _, maker = self._made.get(id(part), (part, kernel))
            if maker is not None and maker is not kernel:
                self.read[maker] = None
        made = super().operate(call, op, inputs)
        if kernel is not None:
            self._made |= {id(part): (part, kernel) for part in _parts([made])}
        return made


def _parts(values: Sequence[Value]) -> Iterator[Value]:
    for each in values:
        if isinstance(each, tuple):
            yield from _parts(each)
        else:
            yield each


def _members(module: Module) -> Iterator[tuple[Expr, Call]]:
    """Yield each node in a kernel with the call of the kernel."""
    for expr in post_order(*module.functions.values()):
        if isinstance(expr, Call) and isinstance(expr.op, Function) and expr.op.is_primitive:
            yield from ((inner, expr) for inner in post_order(expr.op.body))

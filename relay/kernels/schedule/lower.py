"""Lowers schedules to kernels in the loop IR."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.kernels.loops import Allocate, Buffer, Kernel, MemoryScope, Stmt, extents
from relay.kernels.passes.bind_bounds_checks import bind_bounds_checks
from relay.kernels.passes.blocked_summation import block_sums
from relay.kernels.passes.hoist_addresses import hoist
from relay.kernels.passes.hoist_invariants import hoist_invariants
from relay.kernels.passes.insert_prefetch import insert_row_prefetches
from relay.kernels.passes.partition_loops import partition
from relay.kernels.passes.register_transpose import transpose_squares
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import NOTHING, sequence
from relay.kernels.passes.vectorize import vectorize
from relay.kernels.scalar import Const, Size
from relay.kernels.schedule.iteration_state import whole
from relay.kernels.schedule.lower_stage import NestWriter, Place, Places, whole_vectors
from relay.kernels.schedule.schedule import Schedule, inputs_of
from relay.kernels.schedule.skip_empty import unless_empty
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.hand_written_loops import HandWritten, LoopOutput
from relay.kernels.te.tensor import Dim, Placeholder, Tensor, View
from relay.support.dtype import DType

Limits: TypeAlias = Sequence[tuple[Size, int, int]]
"""Sizes, with the smallest and the largest value of each."""


def lower(
    schedule: Schedule,
    inputs: Sequence[Tensor],
    name: str = "kernel",
    params: Sequence[Buffer] = (),
    limits: Limits = (),
) -> Kernel:
    """Return the kernel that a schedule describes; its parameters are inputs, then outputs.

    If `params` are given (those of another kernel for the same tensors), they are its parameters.
    The kernel is only valid for sizes within `limits`.
    """
    simplify = Simplifier()
    for size, low, high in limits:
        simplify.arithmetic.declare(size, low, high)
    kernel = bind_bounds_checks(nested(schedule, inputs, name, simplify, params))
    kernel = block_sums(partition(kernel, simplify), simplify)
    kernel = transpose_squares(vectorize(kernel, simplify), simplify)
    kernel = hoist_invariants(kernel)
    return hoist(insert_row_prefetches(kernel, simplify), simplify)


def nested(
    schedule: Schedule,
    inputs: Sequence[Tensor],
    name: str,
    simplify: Simplifier,
    params: Sequence[Buffer] = (),
) -> Kernel:
    """Return the kernel as scheduled, before its loops are partitioned and vectorised."""
    writer = _KernelWriter(schedule, simplify)
    tensors = (*inputs, *schedule.outputs)
    buffers = params or [writer.buffer(tensor) for tensor in tensors]
    for tensor, buffer in zip(tensors, buffers, strict=True):
        writer.place(tensor, buffer)
    writer.place_views()
    return Kernel(name, tuple(buffers), (), writer.write())


class _KernelWriter:
    """A writer of the steps of a schedule that are not computed inside other steps."""

    def __init__(self, schedule: Schedule, simplify: Simplifier) -> None:
        self._schedule = schedule
        self._simplify = simplify
        self._places: Places = {}
        self._buffers: list[Buffer] = []
        read = [tensor for step in schedule.steps for tensor in inputs_of(step)]
        built = [t for t in (*read, *schedule.outputs) if isinstance(t, LoopOutput)]
        self._built = {(tensor.stage, tensor.index): tensor for tensor in built}

    def buffer(self, tensor: Tensor) -> Buffer:
        """Return a buffer for an input or an output."""
        ahead = self._schedule.ahead(tensor)
        indirect_rows = isinstance(tensor, Placeholder) and tensor.indirect_rows
        return Buffer(
            tensor.name,
            extents(tensor.shape),
            tensor.dtype,
            ahead=ahead,
            indirect_rows=indirect_rows,
        )

    def place_views(self) -> None:
        """Place tensors that read another tensor's memory as elements of another type."""
        read = [tensor for step in self._schedule.steps for tensor in inputs_of(step)]
        for tensor in dict.fromkeys(read):
            if isinstance(tensor, View):
                of, ahead = self._places[tensor.source].buffer, self._schedule.ahead(tensor)
                shape, scope = extents(tensor.shape), MemoryScope.VIEW
                buffer = Buffer(tensor.name, shape, tensor.dtype, scope, ahead, of=of)
                self._buffers.append(buffer)
                self.place(tensor, buffer)

    def write(self) -> Stmt:
        """Return all steps in order, inside the allocations of the intermediate buffers."""
        body = sequence([self._step(step) for step in self._schedule.steps])
        for buffer in reversed(self._buffers):
            body = Allocate(buffer, body)
        return body

    def _step(self, step: Stage | HandWritten) -> Stmt:
        if isinstance(step, HandWritten):
            sources = tuple(self._places[tensor].buffer for tensor in step.inputs)
            targets = [self._target(step, index) for index in range(len(step.outputs))]
            return unless_empty(step, step.written(sources, tuple(targets)), self._simplify)
        if step.attachment is not None:
            return NOTHING
        if step.tensor not in self._places:
            tensor, shape = step.tensor, step.tensor.shape
            if step.scope is MemoryScope.REGISTER:
                shape = whole_vectors(step, shape)
            self.place(tensor, self._allocate(step.name, shape, tensor.dtype, step.scope))
        spans = [whole(axis) for axis in step.axes]
        nest = NestWriter(self._schedule, step, self._simplify).write(self._places, spans)
        return unless_empty(step, nest, self._simplify)

    def _target(self, stage: HandWritten, index: int) -> Buffer:
        """Return the buffer of an output of hand-written loops, even if nothing reads it."""
        tensor = self._built.get((stage, index))
        place = None if tensor is None else self._places.get(tensor)
        if place is not None:
            return place.buffer
        shape, dtype = stage.outputs[index]
        buffer = self._allocate(f"{stage.name}{index}", shape, dtype, MemoryScope.SCRATCH)
        return buffer if tensor is None else self.place(tensor, buffer)

    def _allocate(
        self, name: str, shape: Sequence[Dim], dtype: DType, scope: MemoryScope
    ) -> Buffer:
        buffer = Buffer(name, extents(shape), dtype, scope)
        self._buffers.append(buffer)
        return buffer

    def place(self, tensor: Tensor, buffer: Buffer) -> Buffer:
        """Record that a buffer holds a tensor, and return the buffer."""
        self._places[tensor] = Place(buffer, tuple(Const(0) for _ in buffer.shape))
        return buffer

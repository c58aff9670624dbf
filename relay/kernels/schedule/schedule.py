"""Schedules: how the tensors of a kernel are computed, as loops that users can transform.

>>> from relay.kernels import te
>>> from relay.kernels.loops import MemoryScope
>>> a = te.placeholder((64, 64), "float32", "a")
>>> b = te.placeholder((64, 64), "float32", "b")
>>> k = te.reduce_axis(64, "k")
>>> c = te.compute((64, 64), lambda i, j: te.sum(a[i, k] * b[k, j], k), "matmul")
>>> y = te.compute((64, 64), lambda i, j: te.maximum(c[i, j], 0.0), "relu")
>>> s = Schedule(y)
>>> i, j = s[y].axes
>>> (io, ii), (jo, ji) = s[y].split(i, 4), s[y].split(j, 16)
>>> s[y].reorder(io, jo, ii, ji)
>>> s[y].unroll(ii)
>>> s[y].vectorize(ji)
>>> s[c].compute_at(s[y], jo)          # a tile of 4 × 16 sums at a time …
>>> s[c].set_scope(MemoryScope.REGISTER)     # … in registers
>>> (ci, cj), (ck,) = s[c].axes, s[c].reduce_axes
>>> s[c].reorder(ck, ci, cj)
>>> s[c].unroll(ci)
>>> s[c].vectorize(cj)
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from relay.kernels.loops import MemoryScope
from relay.kernels.scalar import Scalar
from relay.kernels.schedule.copy_layout import Arrangement, redirect
from relay.kernels.schedule.factor_reduction import in_parts
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.hand_written_loops import HandWritten, LoopOutput
from relay.kernels.te.tensor import (
    Axis,
    Computed,
    Joint,
    Placeholder,
    Read,
    Tensor,
    renamed,
    tensors_read,
)
from relay.kernels.traverse_scalars import rewrite
from relay.support.dtype import int64

Step: TypeAlias = Stage | HandWritten


class Schedule:
    """The stages of all tensors on which the outputs depend; `schedule[tensor]` is its stage.

    `steps` are the stages and the hand-written loops in data-flow order, producers first.
    """

    def __init__(self, outputs: Tensor | Sequence[Tensor]) -> None:
        listed = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
        self.outputs = distinct(listed)
        self.steps: list[Step] = []
        self._of: dict[Tensor, Stage] = {}
        self._ahead: dict[Tensor, int] = {}
        for tensor in topological(self.outputs):
            if isinstance(tensor, Computed):
                self._add(len(self.steps), tensor)
            elif isinstance(tensor, LoopOutput) and tensor.stage not in self.steps:
                self.steps.append(tensor.stage)

    def __getitem__(self, tensor: Tensor) -> Stage:
        return self._of[tensor]

    def __contains__(self, tensor: Tensor) -> bool:
        return tensor in self._of

    @property
    def stages(self) -> list[Stage]:
        """Return the stages, whose loops can be rearranged, producers first."""
        return [step for step in self.steps if isinstance(step, Stage)]

    def readers(self, tensor: Tensor) -> list[Step]:
        """Return the steps that read a tensor, in order."""
        return [step for step in self.steps if tensor in inputs_of(step)]

    def fetch_ahead(self, tensor: Tensor, distance: int) -> None:
        """Prefetch the address `distance` bytes after each load from an input.

        Use it for inputs in main memory that are read once and sequentially.
        """
        self._ahead[tensor] = distance

    def ahead(self, tensor: Tensor) -> int:
        """Return the prefetch distance of an input in bytes; 0 if it is not prefetched."""
        return self._ahead.get(tensor, 0)

    def inline(self, tensor: Tensor) -> None:
        """Replace every read of a tensor by its expression, and remove the tensor's own loops."""
        stage = self._of.pop(tensor)
        assert not stage.reduce_axes, f"{stage.name} is a reduction, which cannot be inlined"
        assert tensor not in self.outputs, f"{stage.name} is an output, which must be stored"
        for reader in self.readers(tensor):
            assert isinstance(reader, Stage), f"hand-written loops read {stage.name}"
            reader.body = redirect(reader.body, tensor, stage.formula_at)
        self.steps.remove(stage)

    def join(self, tensors: Sequence[Tensor]) -> Stage:
        """Compute tensors of one shape in the same loops; return their stage, whose loops are new.

        `tensors` are in data-flow order, and read one another at the same index only. All elements
        at an index are computed before any of them is stored, so each tensor may overwrite an input
        of which the others read no other element.
        """
        stages = [self[tensor] for tensor in tensors]
        axes = renamed(stages[0].axes)
        values: dict[Tensor, Scalar] = {}
        for stage in stages:
            values[stage.tensor] = _with_elements(stage, axes, values)
        body = Joint(tuple(values.values()), stages[0].body.dtype)
        first = stages[0].tensor
        joint = Stage(Computed(first.name, first.shape, first.dtype, axes, body), first)
        joint.others = tuple(tensors[1:])
        self.steps[self.steps.index(stages[-1])] = joint
        self.steps = [step for step in self.steps if step not in stages]
        self._of |= dict.fromkeys(tensors, joint)
        return joint

    def cache_write(self, tensor: Tensor, scope: MemoryScope = MemoryScope.REGISTER) -> Stage:
        """Compute a tensor into a buffer of its own, from which its stage then copies.

        Return the new stage, which does the computation; the tensor's own stage becomes a plain
        copy with fresh loops (`schedule[tensor]`). Computing the new stage at a tile of the copy
        keeps sums in registers until they are complete.
        """
        old = self[tensor]
        axes = renamed(old.axes)
        worker = Computed(f"{tensor.name}_local", tensor.shape, tensor.dtype, old.axes, old.body)
        copy = Computed(tensor.name, tensor.shape, tensor.dtype, axes, worker[axes])
        place = self.steps.index(old)
        self.steps[place] = self._of[tensor] = Stage(copy, tensor)
        return self._add(place, worker, scope)

    def rfactor(
        self, tensor: Tensor, axis: Axis, lanes: int, scope: MemoryScope = MemoryScope.REGISTER
    ) -> Stage:
        """Reduce over `axis` in `lanes` independent partial reductions, which are then combined.

        Return the stage of the partial reductions: it has the tensor's axes and then one of extent
        `lanes`, which can be vectorised; its reduction runs over every `lanes`-th element. The
        tensor's own stage, whose loops are fresh, then reduces over the partial results. The order
        of additions changes.
        """
        old = self[tensor]
        parts, whole = in_parts(tensor, old, axis, lanes)
        place = self.steps.index(old)
        self.steps[place] = self._of[tensor] = Stage(whole, tensor)
        return self._add(place, parts, scope)

    def cache_read(
        self,
        tensor: Tensor,
        readers: Sequence[Stage],
        order: Sequence[int],
        blocks: Sequence[tuple[int, int]] = (),
        scope: MemoryScope = MemoryScope.SCRATCH,
    ) -> Stage:
        """Make some stages read a tensor through a copy; return the stage that makes the copy.

        The copy may have another layout: `order` permutes the dimensions (dimension k of the copy
        is dimension `order[k]` of the tensor), then each `(dimension, size)` of `blocks` splits a
        dimension of the copy into blocks, whose inner index becomes the last dimension. The usual
        packed operand `[N / 32][K][32]` of `[K][N]` is `order=(1, 0), blocks=[(0, 32)]`. If the
        stage is moved into a reader's loops with `compute_at`, it holds just the region that is
        needed there.
        """
        arrangement = Arrangement(tensor, order, blocks)
        copy = arrangement.copy()
        for reader in readers:
            reader.body = redirect(reader.body, tensor, lambda at: copy[arrangement.place(at)])
        first = min(self.steps.index(reader) for reader in readers)
        return self._add(first, copy, scope)

    def _add(self, place: int, tensor: Computed, scope: MemoryScope = MemoryScope.SCRATCH) -> Stage:
        stage = self._of[tensor] = Stage(tensor, tensor)
        stage.set_scope(scope)
        self.steps.insert(place, stage)
        return stage


def _with_elements(stage: Stage, axes: Sequence[Axis], values: Mapping[Tensor, Scalar]) -> Scalar:
    """Return a stage's expression at some axes, with known elements in place of reads."""

    def change(part: Scalar) -> Scalar:
        if not (isinstance(part, Read) and part.tensor in values):
            return part
        assert _is_at(part, axes), f"{stage.name} reads other elements of {part.tensor.name}"
        return values[part.tensor]

    return rewrite(stage.formula_at(axes), change, {})


def _is_at(read: Read, axes: Sequence[Axis]) -> bool:
    pairs = zip(read.indices, axes, strict=True)
    return all(index is axis or axis.extent == 1 for index, axis in pairs)


def inputs_of(step: Step) -> tuple[Tensor, ...]:
    """Return the tensors that a step reads, each once."""
    return step.inputs if isinstance(step, HandWritten) else tensors_read(step.body)


def distinct(outputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the outputs, with a copy for each that is an input or a repetition."""
    found: dict[Tensor, None] = {}
    for tensor in outputs:
        again = isinstance(tensor, Placeholder) or tensor in found
        found[copy_of(tensor) if again else tensor] = None
    return tuple(found)


def copy_of(tensor: Tensor) -> Computed:
    """Return a tensor expression that copies a tensor."""
    axes = tuple(Axis(f"i{k}", int64, extent) for k, extent in enumerate(tensor.shape))
    return Computed(f"{tensor.name}_copy", tensor.shape, tensor.dtype, axes, tensor[axes])


def topological(outputs: Sequence[Tensor]) -> list[Tensor]:
    """Return the outputs and all tensors on which they depend, producers first."""
    order: dict[Tensor, None] = {}
    stack: list[tuple[Tensor, bool]] = [(tensor, False) for tensor in reversed(outputs)]
    while stack:
        tensor, ready = stack.pop()
        if ready:
            order[tensor] = None
        elif tensor not in order:
            stack.append((tensor, True))
            stack += [(each, False) for each in reversed(tensor.inputs) if each not in order]
    return list(order)

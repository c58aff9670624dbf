"""Lifts tensor expressions over a new axis: the same computation for each element along it.

Every tensor expression can be lifted, so `vmap` needs no rule from an operator.

>>> from relay.kernels import te
>>> x = te.placeholder((3,), "float32", "x")
>>> k = te.reduce_axis(3, "k")
>>> total = te.compute((), lambda: te.sum(x[k], k), "total")
>>> rows = te.placeholder((8, 3), "float32", "rows")
>>> (totals,) = lift_formulas([total], {x: rows}, 8)
>>> totals.shape, totals.inputs == (rows,)
((8,), True)
"""

from collections.abc import Mapping, Sequence

from relay.kernels.loops import Buffer, For, Load, Mode, Stmt, Store
from relay.kernels.passes.traverse_statements import map_scalars
from relay.kernels.scalar import Scalar, Var, lift
from relay.kernels.te.hand_written_loops import Build, HandWritten, LoopOutput
from relay.kernels.te.tensor import Axis, Computed, Dim, Read, Tensor
from relay.kernels.traverse_scalars import rewrite
from relay.support.dtype import int64


def lift_formulas(
    outputs: Sequence[Tensor], inputs: Mapping[Tensor, Tensor], size: Dim
) -> tuple[Tensor, ...]:
    """Return tensors that compute `outputs` for each of `size` elements along a new first axis.

    `inputs` maps each tensor that varies along the new axis to the tensor that has this axis.
    Tensors that depend on none of them are computed once; an output among those keeps its shape.
    """
    lifting = _Lifting(inputs, size)
    return tuple(map(lifting.tensor, outputs))


class _Lifting:
    """A transformation that lifts tensors and the tensors that they read, each once.

    It recurses on the depth of one operator's expression, which is written by hand.
    """

    def __init__(self, inputs: Mapping[Tensor, Tensor], size: Dim) -> None:
        self._known = dict(inputs)
        self._stages: dict[HandWritten, HandWritten] = {}
        self._size = size

    def tensor(self, old: Tensor) -> Tensor:
        if old not in self._known:
            moved = {each: self.tensor(each) for each in old.inputs}
            varies = any(new is not each for each, new in moved.items())
            self._known[old] = self._lifted(old, moved) if varies else old
        return self._known[old]

    def _lifted(self, old: Tensor, moved: Mapping[Tensor, Tensor]) -> Tensor:
        shape = (self._size, *old.shape)
        match old:
            case Computed(name, _, dtype, axes, body):
                call = Axis("call", int64, self._size)
                return Computed(name, shape, dtype, (call, *axes), _reading(body, moved, call))
            case LoopOutput(name, _, dtype, stage, index):
                return LoopOutput(name, shape, dtype, self._stage(stage, moved), index)
            case _:
                raise AssertionError(f"the input {old.name} has no replacement")

    def _stage(self, stage: HandWritten, moved: Mapping[Tensor, Tensor]) -> HandWritten:
        if stage not in self._stages:
            inputs = tuple(moved[each] for each in stage.inputs)
            varying = [new is not old for old, new in zip(stage.inputs, inputs, strict=True)]
            outputs = tuple(((self._size, *shape), dtype) for shape, dtype in stage.outputs)
            build = _repeated(stage.build, varying, self._size)
            self._stages[stage] = HandWritten(stage.name, inputs, outputs, build, stage.number)
        return self._stages[stage]


def _reading(body: Scalar, moved: Mapping[Tensor, Tensor], call: Axis) -> Scalar:
    """Return an expression in which every varying tensor is also read at the new axis `call`."""

    def change(part: Scalar) -> Scalar:
        if isinstance(part, Read) and moved[part.tensor] is not part.tensor:
            return Read(moved[part.tensor], (call, *part.indices), part.dtype)
        return part

    return rewrite(body, change, {})


def _repeated(build: Build, varying: Sequence[bool], size: Dim) -> Build:
    """Return a builder of hand-written loops that runs them for each element of the new axis."""

    def build_all(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        call = Var("call")
        whole = dict[Buffer, Buffer]()
        parts = [
            _part(buffer, whole) if varies else buffer
            for buffer, varies in zip(inputs, varying, strict=True)
        ]
        body = build(tuple(parts), tuple(_part(buffer, whole) for buffer in outputs))
        return For(call, lift(0), lift(size), Mode.SERIAL, _inside(body, whole, call))

    return build_all


def _part(buffer: Buffer, whole: dict[Buffer, Buffer]) -> Buffer:
    """Return a placeholder for a slice of a buffer along the new axis; record it in `whole`."""
    part = Buffer(buffer.name, buffer.shape[1:], buffer.dtype)
    whole[part] = buffer
    return part


def _inside(body: Stmt, whole: Mapping[Buffer, Buffer], call: Var) -> Stmt:
    """Return loops over slices as loops over the whole buffers, at the index `call`."""

    def load(e: Scalar) -> Scalar:
        if isinstance(e, Load) and e.buffer in whole:
            return Load(whole[e.buffer], (call, *e.indices), e.mask)
        return e

    def store(stmt: Store) -> Store:
        if stmt.buffer in whole:
            return Store(whole[stmt.buffer], (call, *stmt.indices), stmt.value, stmt.mask)
        return stmt

    memo: dict[Scalar, Scalar] = {}
    return map_scalars(body, lambda e: rewrite(e, load, memo), store)

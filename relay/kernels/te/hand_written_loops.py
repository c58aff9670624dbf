"""Tensors that hand-written loops fill, for sorting, scanning, scattering and searching.

A `LoopBuilder` writes loop IR in program order: blocks are `with` statements, a mutable scalar
is a `Cell`.

>>> from relay.kernels.te.tensor import placeholder
>>> def running_sum(inputs, outputs):
...     (x,), (y,) = inputs, outputs
...     b = LoopBuilder()
...     total = b.cell(0.0, "float32")
...     with b.for_(4) as i:
...         total.value = total.value + x[i]
...         b.store(y, (i,), total.value)
...     return b.finish()
>>> x = placeholder((4,), "float32")
>>> (y,) = loops([((4,), "float32")], [x], running_sum, "cumsum")
>>> y.inputs == (x,)
True
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from relay.kernels.bounds_checks import numbered, present_number
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Let,
    MemoryScope,
    Mode,
    Stmt,
    Store,
    While,
    extents,
)
from relay.kernels.scalar import Number, Scalar, Var, cast, lift
from relay.kernels.te.tensor import Dim, Tensor
from relay.support.dtype import DType, int64
from relay.support.dtype import dtype as dtype_of
from relay.support.node import node

Build: TypeAlias = Callable[[tuple[Buffer, ...], tuple[Buffer, ...]], Stmt]


@node
class HandWritten:
    """A stage whose outputs are filled by hand-written loops, which `build` returns.

    A kernel returns `number` if an index of this stage is out of bounds.
    """

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[tuple[tuple[Dim, ...], DType], ...]
    build: Build
    number: int

    def written(self, inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        """Return the hand-written loops over these input and output buffers."""
        with numbered(self.number):
            return self.build(inputs, outputs)


@node
class LoopOutput(Tensor):
    """A tensor that is output number `index` of a hand-written stage."""

    stage: HandWritten
    index: int

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Return the tensors that the hand-written stage reads."""
        return self.stage.inputs


def loops(
    outputs: Sequence[tuple[Sequence[Dim], DType | str]],
    inputs: Sequence[Tensor],
    build: Build,
    name: str = "loops",
) -> tuple[LoopOutput, ...]:
    """Return tensors that hand-written loops fill: one for each shape and dtype in `outputs`.

    `build` is called with the whole row-major buffers of the inputs and of the outputs, and returns
    the statement. The outputs are not initialised.
    """
    listed = tuple((tuple(shape), dtype_of(dtype)) for shape, dtype in outputs)
    stage = HandWritten(name, tuple(inputs), listed, build, present_number())
    return tuple(
        LoopOutput(name if k == 0 else f"{name}{k}", shape, dtype, stage, k)
        for k, (shape, dtype) in enumerate(listed)
    )


class Cell:
    """A mutable scalar in a register; assigning to `value` adds a store."""

    def __init__(self, builder: "LoopBuilder", buffer: Buffer) -> None:
        self._builder = builder
        self._buffer = buffer

    @property
    def value(self) -> Scalar:
        """Return a load of the cell at this point of the program."""
        return self._buffer[0]

    @value.setter
    def value(self, new: Number) -> None:
        self._builder.store(self._buffer, (0,), new)


class LoopBuilder:
    """A builder of loop IR, which appends statements in the order of its method calls."""

    def __init__(self) -> None:
        self._frames: list[list[Stmt | Callable[[Stmt], Stmt]]] = [[]]

    def store(self, buffer: Buffer, indices: Sequence[Number], value: Number) -> None:
        """Append the statement `buffer[indices] = value`."""
        places = tuple(cast(lift(i), int64) for i in indices)
        assert len(places) == len(buffer.shape), f"{buffer.name} has {len(buffer.shape)} dimensions"
        self._add(Store(buffer, places, lift(value, buffer.dtype)))

    def let(self, value: Scalar, name: str = "t") -> Scalar:
        """Append a let binding of a value, and return its variable."""
        var = Var(name, value.dtype)
        self._add(lambda rest: Let(var, value, rest))
        return var

    def cell(self, start: Number, dtype: DType | str = "int64", name: str = "cell") -> Cell:
        """Return a mutable scalar with the initial value `start`."""
        cell = Cell(self, self._allocate(name, (1,), dtype, MemoryScope.REGISTER))
        cell.value = start
        return cell

    def scratch(self, shape: Sequence[Dim], dtype: DType | str, name: str = "scratch") -> Buffer:
        """Return an uninitialised buffer that is live until the end of the current block."""
        return self._allocate(name, tuple(shape), dtype, MemoryScope.SCRATCH)

    @contextmanager
    def for_(
        self, extent: Number, name: str = "i", *, start: Number = 0, mode: Mode = Mode.SERIAL
    ) -> Generator[Var]:
        """Open a loop over `start`, …, `start + extent - 1` for the `with` block."""
        var = Var(name)
        self._frames.append([])
        yield var
        body = self._close()
        self._add(For(var, lift(start), lift(extent), mode, body))

    @contextmanager
    def while_(self, condition: Scalar) -> Generator[None]:
        """Open a loop that runs while the condition holds, tested before each iteration."""
        self._frames.append([])
        yield
        self._add(While(condition, self._close()))

    @contextmanager
    def if_(self, condition: Scalar) -> Generator[None]:
        """Open a branch that runs the `with` block if the condition holds."""
        self._frames.append([])
        yield
        self._add(If(condition, self._close(), Block(())))

    @contextmanager
    def else_(self) -> Generator[None]:
        """Open the other branch of the preceding `if_` for the `with` block."""
        before = self._frames[-1].pop()
        assert isinstance(before, If), "else_ follows if_"
        self._frames.append([])
        yield
        self._add(If(before.condition, before.then, self._close()))

    def finish(self) -> Stmt:
        """Return all statements appended so far as one statement."""
        assert len(self._frames) == 1, "a block is still open"
        return self._close()

    def _allocate(
        self, name: str, shape: tuple[Dim, ...], dtype: DType | str, scope: MemoryScope
    ) -> Buffer:
        buffer = Buffer(name, extents(shape), dtype_of(dtype), scope)
        self._add(lambda rest: Allocate(buffer, rest))
        return buffer

    def _add(self, item: Stmt | Callable[[Stmt], Stmt]) -> None:
        self._frames[-1].append(item)

    def _close(self) -> Stmt:
        """Close the innermost block, and return its statements, lets and allocations."""
        stmts: list[Stmt] = []
        for item in reversed(self._frames.pop()):
            if isinstance(item, Stmt):
                stmts.append(item)
            else:
                stmts = [item(_block(stmts))]
        return _block(stmts)


def _block(backwards: list[Stmt]) -> Stmt:
    return backwards[0] if len(backwards) == 1 else Block(tuple(reversed(backwards)))

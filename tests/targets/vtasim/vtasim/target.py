"""The accelerator as the compiler sees it: layouts, one rule for convolutions, and code.

A convolution goes in tiles: of some rows, columns and blocks of 16 output channels, and for each of
them through the input channels in chunks of blocks. With two `threads`, one half of the scratchpads
is filled while the matrix unit reads the other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from relay.ir.expr import Call
from relay.kernels import te
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import ObjectCode, Options
from relay.kernels.llvm.kernel_fingerprint import fingerprint
from relay.kernels.llvm.workspace_sizes import evaluate_size
from relay.kernels.loops import (
    Block,
    Buffer,
    For,
    Intrinsic,
    Invoke,
    Kernel,
    Mode,
    Stmt,
    extents,
)
from relay.kernels.scalar import Binary, Cast, Const, Scalar, Var, lift
from relay.kernels.scalar import Op as Scalars
from relay.kernels.te.tensor import Read
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.nn.conv_operators import Conv2D
from relay.support.dtype import int8
from relay.support.node import node, replace, value
from relay.support.progress_callback import Progress
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Config, Rule
from relay.targets.target import Target
from relay.transform.convert_layout import ConvertLayout
from relay.transform.fusion_groups import no_prologue
from vtasim.isa import (
    BYTES,
    DEPTH,
    FIELDS,
    KERNEL,
    LANES,
    OUT_BYTES,
    ROW,
    UOP,
    Alu,
    Op,
    Pad,
    encode,
)

_LOADED = 3.3  # bytes that DMA brings in a cycle
_NUMBERS = tuple(name for name in FIELDS if name not in ("op", "argument"))
_INSTRUCTIONS = {op: Intrinsic(op.name.lower(), ("argument",), _NUMBERS) for op in Op}
_UOP = Intrinsic("uop", (), ("acc", "inp", "wgt"))  # one more of the kernel's micro-operations
_DATA, _WEIGHT = "NCHW16c", "OIHW16o16i"
_VECTOR = {
    Scalars.MIN: Alu.MIN,
    Scalars.MAX: Alu.MAX,
    Scalars.ADD: Alu.ADD,
    Scalars.SHR: Alu.SHR,
}


def prefer(call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
    """Return a convolution over blocks of 16 channels, if those of its result fill them.

    Those of the data are filled up with zeros.
    """
    del layouts
    outer = call.tensor_type.shape[1] if isinstance(call.op, Conv2D) else 0
    return blocked(call) if isinstance(outer, int) and outer % LANES == 0 else None


def blocked(call: Call) -> Relayout | None:
    """Return a convolution over blocks of channels; None for another call."""
    match call.op:
        case Conv2D(groups=1, data_layout="NCHW", kernel_layout="OIHW") as op:
            changed = replace(op, data_layout=_DATA, kernel_layout=_WEIGHT, out_layout=_DATA)
            data, weight = Layout.parse(_DATA), Layout.parse(_WEIGHT)
            return Relayout(changed, (data, weight), data)
        case _:
            return None


@value
class ConvTiles(Config):
    """A tile of `rows` × `columns` × `out` blocks of channels, from `into` blocks at a time."""

    rows: int
    columns: int
    out: int
    into: int
    threads: int


@node
class Matched:
    """A convolution: its operator, its buffers in the order of the kernel, the vector steps."""

    name: str
    op: Conv2D
    params: tuple[Buffer, ...]
    data: Buffer
    weight: Buffer
    steps: tuple[tuple[Alu, int], ...]

    @property
    def result(self) -> tuple[int, ...]:
        """Return images, blocks of channels, rows and columns of the result."""
        return _sizes(self.params[-1])[:4]

    @property
    def source(self) -> tuple[int, ...]:
        """Return images, blocks of channels, rows and columns of the data."""
        return _sizes(self.data)[:4]

    @property
    def taps(self) -> tuple[int, int]:
        """Return the rows and columns of the filter."""
        high, wide = _sizes(self.weight)[2:4]
        return high, wide

    def window(self, config: ConvTiles) -> tuple[int, int]:
        """Return the rows and columns that a tile reads, with zeros around the image."""
        pairs = zip((config.rows, config.columns), self.op.strides, self.taps, strict=True)
        high, wide = ((size - 1) * stride + taps for size, stride, taps in pairs)
        return high, wide


@value
class Convolve(Rule[Matched, ConvTiles]):
    """Convolutions of int8 by the matrix unit, what follows on each element by the vector unit."""

    name: ClassVar[str] = "convolve"

    def match(self, formulas: Formulas) -> Matched | None:
        """Match a convolution in blocks, and arithmetic with numbers on its sums, to int8."""
        anchor, output = formulas.anchor, formulas.outputs[0]
        if anchor is None or len(formulas.outputs) != 1 or output.dtype is not int8:
            return None
        op, sums = anchor
        steps = _steps(output, sums)
        if not isinstance(op, Conv2D) or steps is None:
            return None
        laid = (op.data_layout, op.kernel_layout, op.out_layout) == (_DATA, _WEIGHT, _DATA)
        tensors = (*formulas.inputs, output)
        known = all(isinstance(size, int) for tensor in tensors for size in tensor.shape)
        bytes_only = all(tensor.dtype is int8 for tensor in formulas.inputs)
        if not (laid and known and bytes_only) or len(tensors) != 3 or set(op.dilation) != {1}:
            return None
        params = tuple(Buffer(t.name, extents(t.shape), t.dtype) for t in tensors)
        data, weight = sorted(params[:2], key=lambda each: len(each.shape))
        return Matched(formulas.name, op, params, data, weight, tuple(steps))

    def candidates(self, matched: Matched) -> Iterator[ConvTiles]:
        """Yield tiles that fill the result and fit into the scratchpads."""
        _, blocks, high, wide = matched.result
        for rows in _divisors(high):
            for columns in (wide, *([wide // 2] if wide % 2 == 0 else [])):
                for out in _divisors(blocks):
                    for into in _divisors(matched.source[1]):
                        for threads in (2, 1):
                            config = ConvTiles(rows, columns, out, into, threads)
                            if all(n <= DEPTH[p] for p, n in needs(matched, config).items()):
                                yield config

    def cost(self, matched: Matched, config: ConvTiles) -> float:
        """Return the cycles: those of the units, or of DMA if they are more."""
        done = work(matched, config)
        units = done["GEMM"] + done["reset"] + 2 * done["ALU"]
        loads = (done["INP bytes"] + done["WGT bytes"]) / _LOADED
        return max(units, loads) if config.threads == 2 else units + loads

    def apply(self, matched: Matched, config: ConvTiles) -> Kernel:
        """Write the loops over tiles, and in each of them over chunks of input channels."""
        return Kernel(matched.name, matched.params, (), _Loops(matched, config).body())


def needs(matched: Matched, config: ConvTiles) -> dict[Pad, int]:
    """Return how many elements of each scratchpad a tile takes, with all its threads."""
    high, wide = matched.window(config)
    taps = matched.taps[0] * matched.taps[1]
    uops = config.out * (config.into * taps + 1)
    return {
        Pad.INP: config.threads * config.into * high * wide,
        Pad.WGT: config.threads * config.out * config.into * taps,
        Pad.ACC: config.threads * config.out * config.rows * config.columns,
        Pad.UOP: config.threads * config.threads * uops,
    }


def work(matched: Matched, config: ConvTiles) -> dict[str, int]:
    """Return what the machine will count: micro-operations, and bytes that DMA moves."""
    images, blocks, high, wide = matched.result
    inner, (kh, kw) = matched.source[1], matched.taps
    points, tiles = images * blocks * high * wide, (high // config.rows) * (wide // config.columns)
    read = sum(_bounds(matched, config)[0]) * sum(_bounds(matched, config)[1])
    uops = needs(matched, config)[Pad.UOP]
    return {
        "GEMM": points * inner * kh * kw,
        "reset": points,
        "ALU": points * len(matched.steps),
        "INP bytes": images * (blocks // config.out) * inner * read * BYTES[Pad.INP],
        "WGT bytes": images * tiles * blocks * inner * kh * kw * BYTES[Pad.WGT],
        "UOP bytes": uops * UOP.itemsize,
        "OUT bytes": points * OUT_BYTES,
    }


def _bounds(matched: Matched, config: ConvTiles) -> list[list[int]]:
    """Return how many rows of the image each row of tiles reads, and columns each column."""
    sizes, found = (config.rows, config.columns), []
    for axis, window in enumerate(matched.window(config)):
        step, before = sizes[axis] * matched.op.strides[axis], matched.op.pads[axis][0]
        limit = matched.source[2 + axis]
        starts = range(-before, matched.result[2 + axis] // sizes[axis] * step - before, step)
        found.append([min(s + window, limit) - max(s, 0) for s in starts])
    return found


def _sizes(buffer: Buffer) -> tuple[int, ...]:
    return tuple(size for size in buffer.shape if isinstance(size, int))


def _divisors(size: int) -> list[int]:
    return [n for n in range(size, 0, -1) if size % n == 0]


def _steps(output: te.Tensor, sums: te.Tensor) -> list[tuple[Alu, int]] | None:
    """Return what is done to each sum until it is an output; None for more than that."""
    found: list[tuple[Alu, int]] = []
    if not isinstance(output, te.Computed):
        return None
    tensor, part = output, output.body
    while True:
        match part:
            case Read(tensor=below) if _in_place(part, tensor):
                if below is sums:
                    return found[::-1]
                if not isinstance(below, te.Computed):
                    return None
                tensor, part = below, below.body
            case Cast(operand=operand) if part.dtype.is_integer:
                part = operand
            case Binary(op=op, a=a, b=b) if op in _VECTOR and _number(b) is not None:
                found.append((_VECTOR[op], _number(b) or 0))
                part = a
            case _:
                return None


def _in_place(read: Read, tensor: te.Computed) -> bool:
    """Whether the element at the same place is read; of one element there is only that place."""
    pairs = zip(read.indices, tensor.axes, strict=False)
    return read.tensor.shape == tensor.shape and all(i is a or a.extent == 1 for i, a in pairs)


def _number(part: Scalar) -> int | None:
    match part:
        case Const(value=int() as number):
            return number
        case Read(tensor=te.Computed(body=Const(value=int() as number))):
            return number
        case _:
            return None


class _Loops:
    """Writes the loops of a convolution."""

    def __init__(self, matched: Matched, config: ConvTiles) -> None:
        self.matched, self.config = matched, config
        self.high, self.wide = matched.window(config)
        self.taps = matched.taps[0] * matched.taps[1]
        self.points = config.rows * config.columns

    def body(self) -> Stmt:
        """Return everything that the kernel does."""
        images, blocks, high, wide = self.matched.result
        config, count = self.config, self.config.threads
        extents = (images, blocks // config.out, high // config.rows, wide // config.columns)
        waits = [Var("w") for _ in range(4)]
        return Block(
            (
                self._table(),
                _do(Op.LOAD, pad=Pad.UOP, rows=1, columns=needs(self.matched, config)[Pad.UOP]),
                _loop(waits[0], count, _do(Op.LOAD, pad=Pad.UOP, push_prev=1)),
                _loop(waits[1], count, _do(Op.STORE, push_prev=1)),
                self._tiles(extents),
                _loop(waits[2], count, _do(Op.LOAD, pad=Pad.INP, pop_next=1)),
                _loop(waits[3], count, _do(Op.LOAD, pad=Pad.UOP, pop_next=1)),
            )
        )

    def _table(self) -> Stmt:
        """Return the micro-operations: a set for each half of sums and of operands."""
        config, (kh, kw) = self.config, self.matched.taps
        thread, fill, clear = Var("thread"), Var("fill"), Var("b")
        at = block, inner, y, x = [Var(name) for name in ("b", "i", "y", "x")]
        inp = (fill * config.into + inner) * (self.high * self.wide) + y * self.wide + x
        wgt = ((fill * config.out + block) * config.into + inner) * self.taps + y * kw + x
        body: Stmt = Invoke(_UOP, (), (self._sums(thread, block), inp, wgt))
        for var, extent in reversed([*zip(at, (config.out, config.into, kh, kw), strict=True)]):
            body = _loop(var, extent, body)
        reset = Invoke(_UOP, (), (self._sums(thread, clear), Const(0), Const(0)))
        sets = Block((_loop(clear, config.out, reset), body))
        return _loop(thread, config.threads, _loop(fill, config.threads, sets))

    def _sums(self, thread: Scalar, block: Scalar) -> Scalar:
        """Return where the sums of a block of output channels begin."""
        return (thread * self.config.out + block) * self.points

    def _tiles(self, extents: Sequence[int]) -> Stmt:
        at = [Var(name) for name in ("n", "o", "y", "x")]
        number: Scalar = Const(0)
        for var, extent in zip(at, extents, strict=True):
            number = number * extent + var
        body = self._tile(at, number)
        for var, extent in reversed(list(zip(at, extents, strict=True))):
            body = _loop(var, extent, body)
        return body

    def _tile(self, at: Sequence[Scalar], number: Scalar) -> Stmt:
        """Return one tile: sums over all chunks, the vector steps, the way out."""
        config, chunk, block = self.config, Var("c"), Var("b")
        chunks = self.matched.source[1] // config.into
        thread = number % config.threads
        fill = (number * chunks + chunk) % config.threads  # which half of the scratchpads
        each = self._uops(thread, Const(0))
        steps = [
            _do(Op.ALU, **each, **self._over(), alu=alu, number=n) for alu, n in self.matched.steps
        ]
        return Block(
            (
                _do(Op.GEMM, **each, **self._over(), reset=1, pop_next=1),
                _loop(chunk, chunks, self._chunk(at, chunk, thread, fill)),
                *steps,
                _do(Op.LOAD, pad=Pad.UOP, push_next=1),
                _loop(block, config.out, self._out(at, block, thread)),
            )
        )

    def _uops(
        self, thread: Scalar, fill: Scalar, *, products: bool = False
    ) -> Mapping[str, Scalar]:
        """Return the micro-operations of a set: one for each block of sums, or all products."""
        config = self.config
        size = config.out * (config.into * self.taps + 1)
        first = (thread * config.threads + fill) * size
        begin, end = (config.out, size) if products else (0, config.out)
        return {"begin": first + begin, "end": first + end}

    def _over(self) -> Mapping[str, int]:
        rows, columns = self.config.rows, self.config.columns
        return {"outer": rows, "inner": columns, "acc_outer": columns, "acc_inner": 1}

    def _chunk(self, at: Sequence[Scalar], chunk: Scalar, thread: Scalar, fill: Scalar) -> Stmt:
        """Return how some blocks of input channels are loaded and multiplied."""
        config, matched, block = self.config, self.matched, Var("i")
        inner, into = matched.source[1], config.into
        wgt = config.out * into * self.taps
        down, right = matched.op.strides
        return Block(
            (
                _loop(block, into, self._image(at, chunk * into + block, block, fill)),
                _do(
                    Op.LOAD, matched.weight, pad=Pad.WGT, push_next=1, sram=fill * wgt,
                    dram=(at[1] * (config.out * inner) + chunk * into) * self.taps,
                    rows=config.out, columns=into * self.taps, stride=inner * self.taps,
                ),
                _do(
                    Op.GEMM, **self._uops(thread, fill, products=True), **self._over(),
                    inp_outer=down * self.wide, inp_inner=right, pop_prev=1, push_prev=1,
                ),
            )
        )  # fmt: skip

    def _image(self, at: Sequence[Scalar], channels: Scalar, block: Scalar, fill: Scalar) -> Stmt:
        """Return the load of a window of one block of input channels."""
        config, matched = self.config, self.matched
        _, inner, height, width = matched.source
        (down, right), (above, before) = matched.op.strides, (p[0] for p in matched.op.pads)
        y, x = at[2] * (config.rows * down) - above, at[3] * (config.columns * right) - before
        top, left = te.maximum(0 - y, 0), te.maximum(0 - x, 0)
        bottom = te.maximum(y + (self.high - height), 0)
        right_of = te.maximum(x + (self.wide - width), 0)
        rows, columns = self.high - top - bottom, self.wide - left - right_of
        plane = at[0] * inner + channels
        return _do(
            Op.LOAD, matched.data, pad=Pad.INP, pop_next=1 - te.minimum(block, 1),
            sram=(fill * config.into + block) * (self.high * self.wide),
            dram=(plane * height + te.maximum(y, 0)) * width + te.maximum(x, 0),
            rows=rows, columns=columns, stride=width,
            top=top, bottom=bottom, left=left, right=right_of,
        )  # fmt: skip

    def _out(self, at: Sequence[Scalar], block: Scalar, thread: Scalar) -> Stmt:
        """Return the store of one block of output channels."""
        config = self.config
        _, blocks, high, wide = self.matched.result
        plane = at[0] * blocks + at[1] * config.out + block
        return _do(
            Op.STORE, self.matched.params[-1],
            pop_prev=1 - te.minimum(block, 1),
            push_prev=1 - te.minimum(config.out - 1 - block, 1),
            sram=self._sums(thread, block),
            dram=(plane * high + at[2] * config.rows) * wide + at[3] * config.columns,
            rows=config.rows, columns=config.columns, stride=wide,
        )  # fmt: skip


def _do(op: Op, *buffers: Buffer, **fields: Scalar | int) -> Invoke:
    numbers = tuple(lift(fields.pop(name, 0)) for name in _NUMBERS)
    assert not fields, fields
    return Invoke(_INSTRUCTIONS[op], buffers, numbers)


def _loop(var: Var, extent: int, body: Stmt) -> For:
    return For(var, Const(0), Const(extent), Mode.SERIAL, body)


def _compile(
    kernels: Iterable[Kernel],
    *,
    options: Options,
    cache: KernelCache | None,
    progress: Progress,
) -> list[ObjectCode]:
    """Return the instructions of kernels: their loops are run now."""
    del options, cache, progress
    return [ObjectCode(f"vtasim_{fingerprint(k)}", _code(k), 0, 0) for k in kernels]


def _code(kernel: Kernel) -> bytes:
    rows: list[tuple[int, ...]] = []
    uops: list[tuple[int, ...]] = []
    for done, values in _run(kernel.body, {}):
        numbers = tuple(evaluate_size(number, values) for number in done.numbers)
        if done.intrinsic is _UOP:
            uops.append((*numbers, 0))
            continue
        found = dict(zip(_NUMBERS, numbers, strict=True))
        found["op"] = Op[done.intrinsic.name.upper()]
        found["argument"] = kernel.params.index(done.buffers[0]) if done.buffers else KERNEL
        rows.append(tuple(found[name] for name in FIELDS))
    return encode(np.array(rows, ROW), np.array(uops, UOP))


def _run(statement: Stmt, values: dict[Var, int]) -> Iterator[tuple[Invoke, dict[Var, int]]]:
    """Yield instructions in order, with the values of loops around them."""
    match statement:
        case Block(stmts=stmts):
            for each in stmts:
                yield from _run(each, values)
        case For(var=var, extent=Const(value=count), body=body):
            for number in range(int(count)):
                yield from _run(body, {**values, var: number})
        case Invoke():
            yield statement, values
        case _:
            raise AssertionError(f"unknown statement {statement}")


TARGET = Target(
    name="vtasim",
    layouts=ConvertLayout(prefer),  # prefer(call, …) returns a call in the fastest layouts, or None
    products=(),  # pairs of 8-bit types whose products it sums fast, if only some are
    accepts=no_prologue,  # which producers of its operands an anchor's rule computes on the fly
    prepare=lambda formulas: formulas,  # what to do to formulas before rules look at them
    rules=(Convolve(),),  # the ordered table of schedules
    rewrites=(),  # passes before operators are fused
    passes=(),  # what else to do to fused programs, with levels
    compile=_compile,  # kernels to code
)

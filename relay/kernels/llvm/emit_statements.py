"""LLVM text of statements: one method for each kind of statement.

Statements are as deeply nested as loops, so they are emitted by recursion; chains of `Let` and
`Allocate`, which may be long, are followed iteratively.
"""

from collections.abc import Callable
from typing import Any

from relay.kernels.llvm import loads_and_stores, parallel_loops, register_buffers
from relay.kernels.llvm.arithmetic import binary
from relay.kernels.llvm.bounds_faults import reported
from relay.kernels.llvm.buffer_placement import BufferPlan, Size, as_scalar
from relay.kernels.llvm.code_size import operations
from relay.kernels.llvm.emit_expressions import Evaluator
from relay.kernels.llvm.emitter_context import NOWHERE, Context, Memory, index
from relay.kernels.llvm.fused_indices import Counters, divisors
from relay.kernels.llvm.interrupt_polls import WORKER, find_call, poll
from relay.kernels.llvm.llvm_writer import FunctionWriter, Operand
from relay.kernels.llvm.loop_metadata import loop_hint, parts_hint
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Invoke,
    Let,
    Load,
    Mode,
    Prefetch,
    Stmt,
    Store,
    While,
)
from relay.kernels.passes.affine_arithmetic import Arithmetic
from relay.kernels.passes.traverse_statements import constant_trips
from relay.kernels.scalar import Compare, Op, Order, Scalar
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace

_CACHE_LINE = 64
_SHORT = 850  # operations of a loop that is written twice, with and without threads
_ZERO = Operand("i32", "0", 0)


def has_serial_version(loop: For) -> bool:
    """Whether a parallel loop is written twice if sizes decide whether threads share it."""
    return loop.shared is not None and operations(loop.body) <= _SHORT


class StatementEmitter:
    """An emitter of the statements of one LLVM function.

    `workspace` is the address of this function's scratch buffers; `workers` is the address of the
    workers' slices for a parallel loop, or None inside one, where loops run serially.
    """

    def __init__(
        self, ctx: Context, plan: BufferPlan, workspace: Operand, workers: Operand | None
    ) -> None:
        self._ctx = ctx
        self._plan = plan
        self._workspace = workspace
        self._workers = workers
        self._evaluate = Evaluator(ctx)

    def emit(self, statement: Stmt) -> None:
        """Emit a statement, whatever its kind."""
        while isinstance(statement, Let | Allocate):
            self._bind(statement)
            statement = statement.body
        _EMIT[statement.__class__](self, statement)

    def value(self, expression: Scalar) -> Operand:
        """Emit an expression at this point, and return the operand with its value."""
        self._evaluate.statement()
        return self._evaluate(expression)

    def place(self, buffer: Buffer, pointer: Operand) -> None:
        """Bind a buffer to the memory at a pointer, with row-major strides."""
        stride, strides = index(buffer.dtype.lanes), [index(buffer.dtype.lanes)]
        for size in reversed(buffer.shape[1:]):
            known = self.value(as_scalar(size))
            stride = binary(self._ctx, Op.MUL, stride, known, int64)
            strides.append(stride)
        dims = tuple(reversed(strides))[-len(buffer.shape) :] if buffer.shape else ()
        self._ctx.places[buffer] = Memory(
            pointer,
            dims,
            buffer.dtype.lanes,
            buffer.ahead,
            buffer.indirect_rows,
            _alignment(buffer),
        )

    def _bind(self, statement: Let | Allocate) -> None:
        if isinstance(statement, Let):
            self._ctx.variables[statement.var] = self.value(statement.value)
            return
        buffer = statement.buffer
        tile = self._plan.tiles.get(buffer)
        if buffer.of is not None:
            self.place(buffer, self._pointer(buffer.of))
        elif tile is not None:
            self._ctx.places[buffer] = register_buffers.allocate(self._ctx, buffer, tile)
        elif buffer in self._plan.offsets:
            self.place(buffer, self._advance(self._workspace, self._plan.offsets[buffer]))
        elif buffer not in self._ctx.places:
            self.place(buffer, self._on_stack(buffer))

    def _pointer(self, buffer: Buffer) -> Operand:
        place = self._ctx.places[buffer]
        assert isinstance(place, Memory), "registers have no other view"
        return place.pointer

    def _advance(self, pointer: Operand, by: Size) -> Operand:
        if by == 0:
            return pointer
        offset = self.value(as_scalar(by))
        return self._ctx.w.op("ptr", f"getelementptr i8, {pointer}, {offset}")

    def _on_stack(self, buffer: Buffer) -> Operand:
        return self._ctx.w.slot(f"[{self._plan.sizes[buffer]} x i8]", _CACHE_LINE)

    def block(self, statement: Block) -> None:
        """Emit statements in sequence."""
        for one in statement.stmts:
            self.emit(one)

    def store(self, statement: Store) -> None:
        """Emit a store with its value and its address."""
        self._evaluate.statement()
        evaluate, ctx = self._evaluate, self._ctx
        value = evaluate(statement.value)
        mask = None if statement.mask is None else evaluate(statement.mask)
        where = evaluate.access(statement.indices)
        place = ctx.places[statement.buffer]
        if isinstance(place, Memory):
            loads_and_stores.store(ctx, place, where, mask, value, statement.value.dtype)
        else:
            register_buffers.store(ctx, place, where, mask, value, statement.value.dtype)

    def prefetch(self, statement: Prefetch) -> None:
        """Emit a prefetch with its address."""
        self._evaluate.statement()
        element = statement.element
        where = self._evaluate.access(element.indices)
        place = self._ctx.places[element.buffer]
        assert isinstance(place, Memory), "registers are never far"
        loads_and_stores.prefetch_element(self._ctx, place, where, element.dtype)

    def branch(self, statement: If) -> None:
        """Emit a branch between two statements."""
        condition = self.value(statement.condition)
        if condition.known is not None:
            self.emit(statement.then if condition.known else statement.other)
            return
        self._either(
            condition, lambda: self.emit(statement.then), lambda: self.emit(statement.other)
        )

    def _either(
        self, condition: Operand, then: Callable[[], None], other: Callable[[], None]
    ) -> None:
        w = self._ctx.w
        labels = w.fresh("then"), w.fresh("else")
        join = w.fresh("join")
        w.branch_if(condition, *labels)
        for label, emit in zip(labels, (then, other), strict=True):
            w.block(label)
            emit()
            w.branch(join)
        w.block(join)

    def repeat(self, statement: While) -> None:
        """Emit a loop whose condition is tested before each iteration."""
        w = self._ctx.w
        test, body, end = w.fresh("test"), w.fresh("body"), w.fresh("end")
        w.branch(test)
        w.block(test)
        w.branch_if(self.value(statement.condition), body, end)
        w.block(body)
        if statement in self._plan.polls:
            poll(self._ctx)
        self.emit(statement.body)
        w.branch(test)
        w.block(end)

    def loop(self, loop: For) -> None:
        """Emit a loop according to its mode: unrolled, parallel or serial."""
        trips = constant_trips(loop)
        if trips is not None and (loop.mode is Mode.UNROLL or len(trips) <= 1):
            for number in trips:
                self._ctx.variables[loop.var] = index(number)
                self.emit(loop.body)
        elif loop.mode is Mode.PARALLEL and self._workers is not None:
            self._perhaps_parallel(loop, self._workers)
        elif loop.mode is Mode.SELDOM:
            self._seldom(loop)
        else:
            self._serial(loop)

    def _serial(self, loop: For) -> None:
        start, extent = self.value(loop.start), self.value(loop.extent)
        end = binary(self._ctx, Op.ADD, start, extent, int64)
        self.count(loop, start, end, self._backwards(loop))

    def _backwards(self, loop: For) -> Operand | None:
        return None if loop.backwards is None else self.value(loop.backwards)

    def count(self, loop: For, start: Operand, end: Operand, backwards: Operand | None) -> None:
        """Emit a serial loop, guarded by a test whether it has any iteration.

        A loop that polls is split into parts of as many iterations as there are between two polls.
        A loop over full and then other tiles becomes two: code of the one is not moved in front of
        the other. If there is at most one other tile, and any order will do, it is first and no
        loop: a kernel with that tile alone then needs nothing of what the loop needs.
        """
        period = self._plan.polls.get(loop)
        tiles = _tiles(loop)
        if tiles is None:
            self._count(loop, start, end, backwards, period)
            return
        limit, full, others = tiles
        w = self._ctx.w
        edge = w.intrinsic("smin", w.intrinsic("smax", self.value(limit), start), end)
        if loop.mode is Mode.PARALLEL and _runs_once(loop.start + loop.extent - limit):
            self._once(others, edge, end)
            self._count(full, start, edge, None, period)
        else:
            self._count(full, start, edge, None, period)
            self._count(others, edge, end, None, period)

    def _once(self, loop: For, start: Operand, end: Operand) -> None:
        """Emit the only iteration of a loop that has at most one."""

        def body() -> None:
            self._ctx.variables[loop.var] = start
            self.emit(loop.body)

        self._either(self._ctx.w.icmp("slt", start, end), body, lambda: None)

    def _count(
        self, loop: For, start: Operand, end: Operand, backwards: Operand | None, period: int | None
    ) -> None:
        w = self._ctx.w
        before, after = w.fresh("before"), w.fresh("after")
        w.branch_if(w.icmp("slt", start, end), before, after)
        w.block(before)
        sizes = [(size, self.value(size)) for size in divisors(loop)]
        counters = [Counters.start(self._ctx, loop, *each, start) for each in sizes]

        def body(number: Operand) -> None:
            self._ctx.variables[loop.var] = self._turned(backwards, number, start, end)
            known = [each.values(self._ctx) for each in counters]
            for each in known:
                self._ctx.values |= each
            self.emit(loop.body)
            for each, values in zip(counters, known, strict=True):
                each.advance(self._ctx, values)
                for value in values:
                    del self._ctx.values[value]

        hint = loop_hint(self._ctx.module, loop)
        if period is None:
            self._repeat(start, end, 1, body, hint, after)
        else:
            whole = parts_hint(self._ctx.module)
            part = self._part(end, period, body, hint)
            self._repeat(start, end, period, part, whole, after)
        w.block(after)

    def _repeat(
        self, start: Operand, end: Operand, step: int,
        body: Callable[[Operand], None], hint: str, after: str,
    ) -> None:  # fmt: skip
        """Emit a loop that runs at least once, in steps of `step`, then jumps to label `after`."""
        w, before = self._ctx.w, self._ctx.w.label
        head = w.fresh("loop")
        w.branch(head)
        w.block(head)
        number, following, latch = w.fresh("%i"), w.fresh("%n"), w.fresh("latch")
        w.do(f"{number} = phi i64 [ {start.text}, %{before} ], [ {following}, %{latch} ]")
        body(Operand("i64", number))
        w.branch(latch)
        w.block(latch)
        w.do(f"{following} = add nsw i64 {number}, {step}")
        again = w.icmp("slt", Operand("i64", following), end)
        w.branch_if(again, head, after, f", !llvm.loop {hint}")

    def _part(
        self, end: Operand, period: int, body: Callable[[Operand], None], hint: str
    ) -> Callable[[Operand], None]:
        """Return an emitter of a loop's part: at most `period` iterations, then a poll."""
        ctx, w = self._ctx, self._ctx.w

        def part(first: Operand) -> None:
            if period == 1:
                body(first)
            else:
                far = binary(ctx, Op.ADD, first, index(period), int64)
                done = w.fresh("done")
                self._repeat(first, w.intrinsic("smin", far, end), 1, body, hint, done)
                w.block(done)
            poll(ctx)

        return part

    def _turned(
        self, backwards: Operand | None, number: Operand, start: Operand, end: Operand
    ) -> Operand:
        """Emit the loop index of iteration `number`, from the end if the loop runs backwards."""
        if backwards is None:
            return number
        ctx = self._ctx
        ends = binary(ctx, Op.SUB, binary(ctx, Op.ADD, start, end, int64), index(1), int64)
        other = binary(ctx, Op.SUB, ends, number, int64)
        return ctx.w.op("i64", f"select {backwards}, {other}, {number}")

    def _perhaps_parallel(self, loop: For, workers: Operand) -> None:
        """Emit a parallel loop, and a serial one for sizes with too little work.

        For a small tensor, calling the thread pool would take longer than the loop. If the body is
        long, only the parallel loop is emitted, to save code.
        """
        if loop.shared is None or not has_serial_version(loop):
            self._parallel(loop, workers, loop.shared)
            return
        self._either(
            self.value(loop.shared), lambda: self.on_threads(loop), lambda: self.alone(loop)
        )

    def alone(self, loop: For) -> None:
        """Emit a parallel loop that has too little work for threads, and for polls."""
        assert self._workers is not None, "a parallel loop is outside of another one"
        plan = self._plan.without_polls()
        inner = StatementEmitter(self._ctx, plan, self._workers, None)
        inner.loop(loop)

    def on_threads(self, loop: For) -> None:
        """Emit a parallel loop whose iterations threads share."""
        assert self._workers is not None, "a parallel loop is outside of another one"
        self._parallel(loop, self._workers, None)

    def _parallel(self, loop: For, workers: Operand, shared: Scalar | None) -> None:
        """Emit the body as a function over a range, and a call of the thread pool.

        For sizes with too little work, for which `shared` does not hold, this function itself is
        called.
        """
        ctx, w = self._ctx, self._ctx.w
        start, extent = self.value(loop.start), self.value(loop.extent)
        sizes, backwards = [as_scalar(self._plan.worker)], self._backwards(loop)
        turned = () if backwards is None else (backwards,)
        closure = parallel_loops.Closure(
            ctx, loop.body, (ctx.report, workers, start, *turned), sizes
        )
        name = w.fresh(f"{w.name}.body")
        ctx.module.add(self._outline(name, loop, closure, self._plan.worker))
        packed = closure.pack()

        def on_threads() -> None:
            grain = index(1) if loop.grain is None else self.value(loop.grain)
            order = _ZERO if backwards is None else w.op("i32", f"zext {backwards} to i32")
            record = ctx.report if self._plan.polls else NOWHERE
            arguments = Operand("ptr", f"@{name}"), packed, extent, grain, order, record
            self._leave_if_failed(w.call("i32", parallel_loops.PARALLEL_FOR, arguments))

        def alone() -> None:
            w.do(f"call void @{name}({packed}, i64 0, {extent}, i64 0)")
            self._leave_if_failed(_ZERO)

        if shared is None:
            on_threads()
        else:
            self._either(self.value(shared), on_threads, alone)

    def _seldom(self, loop: For) -> None:
        """Emit a loop that rarely runs as a function marked `cold`, and a call of it."""
        ctx, w = self._ctx, self._ctx.w
        start, extent = self.value(loop.start), self.value(loop.extent)
        sizes = [as_scalar(self._plan.main), as_scalar(self._plan.worker)]
        extra = (ctx.report, self._workspace, start)
        closure = parallel_loops.Closure(ctx, loop.body, extra, sizes)
        name = w.fresh(f"{w.name}.seldom")
        ctx.module.add(self._outline(name, loop, closure, 0, " cold noinline"))
        worker = index(0) if ctx.returns else WORKER
        w.do(f"call void @{name}({closure.pack()}, i64 0, {extent}, {worker})")
        if ctx.returns:  # else the thread that started this one finds the fault
            self._leave_if_failed(_ZERO)

    def _leave_if_failed(self, status: Operand) -> None:
        """Emit an early return of `status`, the result of a loop's own function, unless it is 0."""
        ctx, w = self._ctx, self._ctx.w
        if self._plan.reports:
            status = reported(ctx, status)
        elif status.known == 0:
            return
        failed, after = w.fresh("failed"), w.fresh("after")
        w.branch_if(w.icmp("ne", status, _ZERO), failed, after)
        w.block(failed)
        w.do(f"ret {status}")
        w.block(after)

    def _outline(
        self, name: str, loop: For, closure: parallel_loops.Closure,
        worker: Size, attributes: str = "",
    ) -> str:  # fmt: skip
        """Return the LLVM function that runs a range of a loop's iterations.

        `worker` is the size of each worker's slice of the workspace that it is given.
        """
        outer = self._ctx
        signature = parallel_loops.BODY_SIGNATURE.format(name=name) + attributes
        w = FunctionWriter(outer.module, name, signature)
        inner = Context(outer.module, w, outer.machine, outer.options, outer.report, returns=False)
        inner.report, workers, start, *turned = closure.unpack(inner)
        emitter = StatementEmitter(inner, self._plan, workers, None)
        emitter.enter_worker(worker)
        begin, end = (
            binary(inner, Op.ADD, start, Operand("i64", text), int64) for text in ("%begin", "%end")
        )
        emitter.count(loop, begin, end, turned[0] if turned else None)
        w.do("ret void")
        return w.finish()

    def make_room(self, main: Size) -> None:
        """Emit the layout of the workspace: this function's buffers, then the workers'."""
        if self._plan.polls:
            find_call(self._ctx)
        self._workers = self._advance(self._workspace, main)

    def enter_worker(self, size: Size) -> None:
        """Emit the address of this worker's slice of the workspace."""
        if self._plan.polls:
            find_call(self._ctx)
        if size != 0:
            each = self.value(as_scalar(size))
            offset = binary(self._ctx, Op.MUL, Operand("i64", "%worker"), each, int64)
            text = f"getelementptr i8, {self._workspace}, {offset}"
            self._workspace = self._ctx.w.op("ptr", text)


def _tiles(loop: For) -> tuple[Scalar, For, For] | None:
    """Return the index at which the test `index < limit` around a loop's body begins to fail.

    With it, return the loops before and after this index. The result is None if there is no such
    test, or if the loop may run backwards.
    """
    match loop.body:
        case If(Compare(order=Order.LT, a=tested, b=limit), then, other) if (
            tested is loop.var
            and loop.backwards is None
            and not any(part is loop.var or isinstance(part, Load) for part in walk(limit))
        ):
            return limit, replace(loop, body=then), replace(loop, body=other)
        case _:
            return None


def _runs_once(extent: Scalar) -> bool:
    """Whether a loop of this extent has at most one iteration, whatever the sizes are."""
    return Arithmetic().range_of_sum(extent)[1] <= 1


def _alignment(buffer: Buffer) -> int:
    """Return the number of bytes to which the elements of a buffer are aligned."""
    return (buffer.of or buffer).dtype.itemsize // (buffer.of or buffer).dtype.lanes


def _no_instruction(emitter: StatementEmitter, statement: Invoke) -> None:
    """Raise `C005`, because a CPU has none of the instructions that `Invoke` names."""
    del emitter
    raise CompileError(
        ErrorCode.C005,
        f"this target has no instruction '{statement.intrinsic.name}'",
        help="compile the kernel for the target that declares the instruction",
    )


_EMIT: dict[type, Callable[[StatementEmitter, Any], None]] = {
    Block: StatementEmitter.block,
    For: StatementEmitter.loop,
    If: StatementEmitter.branch,
    Invoke: _no_instruction,
    Prefetch: StatementEmitter.prefetch,
    Store: StatementEmitter.store,
    While: StatementEmitter.repeat,
}

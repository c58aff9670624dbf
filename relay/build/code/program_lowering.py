"""Lowering of a module to program code: global functions, local functions and closure bodies.

The module is monomorphic, in A-normal form, and its operators are grouped into kernels. Local
functions that never escape become functions of the program that receive their captures as
arguments; the others become closures.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import cast

from relay.build.code.calling_conventions import (
    CallingConvention,
    CallingConventions,
    closure_convention,
)
from relay.build.code.capture_analysis import LocalFunction, captured_by, sizes_used
from relay.build.code.escaping_functions import escaping
from relay.build.code.function_builder import FunctionBuilder
from relay.build.code.lower_function import FunctionLowering
from relay.build.code.program_resources import Resources
from relay.build.code.recognize_table_rows import table_rows
from relay.build.code.register_kinds import kinds_of
from relay.build.code.stack_overflow_locations import SourceCall, with_call_locations
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constructor, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.runtime.code.function import CodeFunction, Task
from relay.runtime.code.register_kinds import OBJECT, SIZE
from relay.support.node import replace
from relay.support.span import Span
from relay.transform.batched_region_records import BatchedRegion, TableVersion, region_of
from relay.transform.batching.indirect_operands import indirectly_read_params


class ProgramLowering:
    """A worklist that lowers the functions of a module to program code, from the entry on."""

    def __init__(self, module: Module, entry: str) -> None:
        self.resources = Resources()
        self.known: dict[Var, LocalFunction] = {}
        self.tasks: list[Task] = []
        self._made: list[SourceCall] = []
        self._module = module
        self._entry = entry
        self._forms = CallingConventions(module, entry)
        self._escaping: set[Var | GlobalVar] = set()
        self._numbers: dict[Hashable, int] = {}
        self._task_numbers: dict[str, int] = {}
        self._bodies: list[Callable[[], CodeFunction]] = []

    def functions(self) -> tuple[CodeFunction, ...]:
        """Return all functions that the entry reaches; the entry is the first."""
        self.global_function(self._entry)
        done: list[CodeFunction] = []
        while len(done) < len(self._bodies):
            done.append(self._bodies[len(done)]())
        return with_call_locations(done, self._made, self.resources)

    def note_call(self, caller: int, callee: int | None, span: Span | None) -> None:
        """Record a source-level call of a function, or of a closure if `callee` is None."""
        if span is not None:
            self._made.append(SourceCall(caller, callee, span))

    def global_function(self, name: str) -> int:
        """Return the number of a global function in the program code."""

        def body(index: int) -> CodeFunction:
            function = self._module[name]
            self._escaping |= escaping(function)
            return self._function(name, function, index)

        return self._reserve(name, body)

    def global_form(self, name: str) -> CallingConvention:
        """Return the calling convention of a global function."""
        return self._forms.of(self._module[name])

    def task(self, name: str) -> int | None:
        """Return the number of the task for a batched region; None for other functions."""
        region = region_of(self._module[name])
        if region is None:
            return None
        if name not in self._task_numbers:
            number = self._task_numbers[name] = len(self.tasks)
            single, many = map(self.global_function, (name, region.many))
            shared, alike = frozenset(region.shared), frozenset(region.alike)
            constants = [self.resources.constant(each.constant.array) for each in region.fixed]
            fixed = tuple((each.index, n) for each, n in zip(region.fixed, constants, strict=True))
            rows = self._rows(name, region)
            uniform = None if rows or region.given else region.uniform
            once = None if uniform is None else self.global_function(uniform)
            apart = indirectly_read_params(self._module[region.many])
            self.tasks.append(Task(single, many, shared, alike, fixed, once, rows, indirect=apart))
            if region.behind is not None:
                self.tasks[number] = self._behind(self.tasks[number], region.behind)
        return self._task_numbers[name]

    def _rows(self, name: str, region: BatchedRegion) -> tuple[tuple[int, int, int], ...]:
        """Return the results of a batched region that are table rows if its fixed inputs are equal.

        Each entry has the numbers of the result, the table, and the input with the row number.
        """
        if not region.fixed or region.uniform is None:
            return ()
        fixed = {each.index for each in region.fixed}
        kept = [i for i in range(len(self._module[name].params)) if i not in fixed]
        rows = table_rows(self._module[region.uniform])
        results = region.given or range(len(rows))
        return tuple(
            (result, self.resources.constant(row.table), kept[row.parameter])
            for result, row in zip(results, rows, strict=bool(rows))
        )

    def _behind(self, task: Task, behind: TableVersion) -> Task:
        """Return a task that defers calls whose operands are table rows to the task of `behind`.

        The task is unchanged if there are no tables.
        """
        leaf = region_of(self._module[behind.leaf])
        rows = () if leaf is None else self._rows(behind.leaf, leaf)
        if not rows:
            return task
        tables = {result: table for result, table, _ in rows}
        looked_up = tuple((index, tables[result]) for index, result in behind.results)
        return replace(task, row_inputs=looked_up, row_task=self.task(behind.form))

    def local_function(self, var: Var, function: Function, names: Iterable[DimVar]) -> bool:
        """Lower a local function to a function of the program; return False if it escapes.

        `names` are the dimension names that are bound around it.
        """
        if var in self._escaping:
            return False
        captured = captured_by(function, self.known, var)
        sizes = sizes_used(function, self.known, names)
        number = self._reserve(
            var, lambda index: self._function(var.name, function, index, captured, sizes)
        )
        self.known[var] = LocalFunction(number, self._forms.of(function), captured, sizes)
        return True

    def closure(
        self,
        function: Function,
        captured: Sequence[Var],
        sizes: Sequence[DimVar],
        itself: Var | None,
    ) -> int:
        """Return the number of the function that a closure over `captured` variables calls."""
        name = "closure" if itself is None else itself.name

        def body(index: int) -> CodeFunction:
            form = closure_convention(cast("FuncType", function.type))
            builder = FunctionBuilder(name, (OBJECT, *form.parameters), form.results)
            lowering = FunctionLowering(self, builder, index)
            lowering.open_closure(captured, sizes, itself)
            return lowering.finish(function, builder.parameters[1:])

        return self._reserve(function, body)

    def wrapper(self, callee: GlobalVar | Constructor) -> int:
        """Return the number of a function with which a closure calls a global or constructor."""
        key = ("wrapper", callee.name)
        if key in self._numbers:
            return self._numbers[key]
        ty = cast("FuncType", callee.type)
        params = tuple(Var(f"a{i}", each) for i, each in enumerate(ty.params))
        number = self.closure(Function(params, Call(callee, params, ty=ty.result)), (), (), None)
        self._numbers[key] = number
        return number

    def _function(
        self,
        name: str,
        function: Function,
        index: int,
        captured: Sequence[Var] = (),
        sizes: Sequence[DimVar] = (),
    ) -> CodeFunction:
        form = self._forms.of(function)
        held = [kind for var in captured for kind in kinds_of(var.type)]
        kinds = [*[SIZE] * len(sizes), *held, *form.parameters]
        builder = FunctionBuilder(name, kinds, form.results)
        lowering = FunctionLowering(self, builder, index)
        lowering.know(sizes, builder.parameters[: len(sizes)])
        own = lowering.capture(captured, builder.parameters[len(sizes) :])
        return lowering.finish(function, own)

    def _reserve(self, key: Hashable, body: Callable[[int], CodeFunction]) -> int:
        """Return a function's number; `body` lowers it later, once for each key."""
        if key not in self._numbers:
            index = self._numbers[key] = len(self._bodies)
            self._bodies.append(lambda: body(index))
        return self._numbers[key]

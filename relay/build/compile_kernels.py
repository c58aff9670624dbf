"""Compilation of the kernels of a program, each with the best schedule that works.

A schedule or the code generator may have a defect that affects one kernel in a thousand. Such a
kernel is compiled again with the plainest schedule, and the logger `relay` emits a warning. With
`RELAY_STRICT=1` in the environment, as in the tests, the error is raised instead.
"""

import functools
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import count
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from relay.build.external_functions import compile_external
from relay.build.kernel_records import KernelRecords
from relay.build.kernel_sizes import kernel_key
from relay.build.lower_to_tensor_expressions import formulas
from relay.ir.expr import Call, Function
from relay.ir.walk import post_order
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import ObjectCode, Options, objects
from relay.kernels.loops import Kernel
from relay.opdef.definition import OperatorDef
from relay.runtime import program as runtime
from relay.runtime.kernel_schedules import KernelSchedule, schedules_entry
from relay.runtime.program import ExternalPart
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError
from relay.support.kernel_error_record import RECORD_BYTES
from relay.support.node import node
from relay.support.progress_callback import Progress, silent
from relay.support.strict_mode import is_strict
from relay.support.worker_thread import result_or_error
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Wanted
from relay.targets.target import HostTarget, Target
from relay.transform.compilers.region_attributes import external_name

_log = logging.getLogger("relay")
_T = TypeVar("_T")
_Build: TypeAlias = Callable[[Iterable[Kernel]], list[ObjectCode]]

Schedules: TypeAlias = Mapping[str, Wanted]
"""The requested schedules, by the kernel names that `Executable.explain` shows."""

AS_CHOSEN: Schedules = MappingProxyType({})
"""No requested schedules: the cost model of the target chooses all of them."""


@node
class ScheduledKernel:
    """A kernel as loops, not compiled yet, with its readable name and its schedule.

    `schedule` has the fields of the configuration as JSON; it is empty for plain loops.
    """

    kernel: Kernel
    name: str
    schedule: Mapping[str, Any]


@node
class CompiledKernel:
    """A compiled kernel: its code, its readable name, and its schedule.

    If another compiler has compiled the kernel, its code is `external`, and `code` has no bytes.
    """

    code: ObjectCode
    name: str
    schedule: Mapping[str, Any]
    external: ExternalPart | None = None


def compile_functions(
    functions: Sequence[Function],
    target: Target,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
    schedules: Schedules = AS_CHOSEN,
) -> list[CompiledKernel]:
    """Return the code of the kernel of each primitive function.

    Raises `C103` for operators without a kernel, `C107` if even the plainest loops fail, `C164` if
    an external compiler fails, `C170` if requested schedules are impossible, `C172` if a device has
    no rule for a kernel.
    """
    ours = [function for function in functions if external_name(function) is None]
    compiled = iter(_compile_ours(ours, target, options, cache, progress, schedules))
    names = map(external_name, functions)
    return [
        next(compiled) if name is None else _compile_theirs(function, name)
        for function, name in zip(functions, names, strict=True)
    ]


def _compile_theirs(function: Function, compiler: str) -> CompiledKernel:
    name = label(function)
    part = compile_external(function, compiler, name)
    return CompiledKernel(ObjectCode(part.symbol, b"", RECORD_BYTES), name, {}, part)


def _compile_ours(
    functions: Sequence[Function],
    target: Target,
    options: Options,
    cache: KernelCache | None,
    progress: Progress,
    schedules: Schedules,
) -> list[CompiledKernel]:
    """Return the kernels of functions, from records on disk where no schedule is requested."""
    names = distinct_names([label(function) for function in functions])
    records: KernelRecords | None = None
    if cache is not None and not schedules and isinstance(target, HostTarget):
        records = KernelRecords(cache, target, options)
    known = [None if records is None else records.find(function) for function in functions]
    rows = list(zip(functions, names, known, strict=True))
    missing = [_KernelJob(function, name) for function, name, found in rows if found is None]
    jobs = _by_label(missing)
    made = _made(jobs, target, options, cache, progress, schedules, records)
    of_job = dict(zip(jobs, made, strict=True))
    in_order = iter(missing)
    return [
        of_job[next(in_order)] if found is None else CompiledKernel(found[0], name, found[1])
        for _, name, found in rows
    ]


def _by_label(jobs: "Iterable[_KernelJob]") -> "list[_KernelJob]":
    """Return jobs in the order of their labels: kernels with equal labels may share code."""
    found: dict[str, list[_KernelJob]] = {}
    for job in jobs:
        found.setdefault(job.label, []).append(job)
    return [job for alike in found.values() for job in alike]


def _made(
    jobs: "Sequence[_KernelJob]",
    target: Target,
    options: Options,
    cache: KernelCache | None,
    progress: Progress,
    schedules: Schedules,
    records: KernelRecords | None,
) -> list[CompiledKernel]:
    """Schedule and compile kernels, and add those without defects to the records.

    Kernels are compiled while the next ones are scheduled.
    """
    arranged: list[ScheduledKernel] = []

    def build(kernels: Iterable[Kernel]) -> list[ObjectCode]:
        return target.compile(kernels, options=options, cache=cache, progress=progress)

    def scheduled() -> Iterator[Kernel]:
        for each in jobs:
            arranged.append(each.scheduled(target, cache, schedules))
            yield arranged[-1].kernel

    found = result_or_error(lambda: build(scheduled()))
    if isinstance(found, Exception):
        if is_strict():
            raise found
        # A schedule that fails here again is the user's error.
        arranged = [each.scheduled(target, cache, schedules) for each in jobs]
        _log.warning("compiling all kernels together failed; compiling them one by one: %s", found)
        # Compile each kernel alone, to find those that fail.
        found = [
            each.compiled(made.kernel, build) for each, made in zip(jobs, arranged, strict=True)
        ]
    elif records is not None:
        for job, code, made in zip(jobs, found, arranged, strict=True):
            records.add(job.function, code, made.schedule)
    rows = zip(found, arranged, strict=True)
    return [CompiledKernel(code, made.name, made.schedule) for code, made in rows]


def scheduled_functions(
    functions: Sequence[Function],
    target: Target,
    cache: KernelCache | None = None,
    schedules: Schedules = AS_CHOSEN,
) -> list[ScheduledKernel]:
    """Return the kernel of each primitive function, scheduled by its target or as requested."""
    names = distinct_names([label(function) for function in functions])
    jobs = map(_KernelJob, functions, names)
    return [each.scheduled(target, cache, schedules) for each in jobs]


def schedules_of(compiled: Iterable[CompiledKernel]) -> tuple[str, str]:
    """Return the schedules of kernels as a metadata entry of the program."""
    ours = (each for each in compiled if each.external is None)
    return schedules_entry(KernelSchedule(e.code.symbol, e.name, e.schedule) for e in ours)


def objects_of(compiled: Iterable[CompiledKernel]) -> tuple[runtime.ObjectCode, ...]:
    """Return the distinct object codes of the kernels that Relay compiled."""
    codes = objects(each.code for each in compiled if each.external is None)
    return tuple(runtime.ObjectCode(*each) for each in codes.items())


def external_parts(compiled: Iterable[CompiledKernel]) -> tuple[ExternalPart, ...]:
    """Return the distinct kernels that external compilers compiled."""
    parts = {e.external.symbol: e.external for e in compiled if e.external is not None}
    return tuple(parts.values())


def distinct_names(labels: Sequence[str]) -> list[str]:
    """Return labels with a number appended to those that occur more than once.

    >>> distinct_names(["dense", "add", "dense"])
    ['dense#1', 'add', 'dense#2']
    """
    counts = Counter(labels)
    numbers = {each: count(1) for each in counts}
    return [each if counts[each] == 1 else f"{each}#{next(numbers[each])}" for each in labels]


def check_names(schedules: Schedules, compiled: Iterable[CompiledKernel]) -> None:
    """Raise `C170` for a requested schedule of an unknown kernel."""
    found = {each.name for each in compiled if each.external is None}
    names = sorted(found | {name.split("#")[0] for name in found})
    for name in schedules:
        if name not in names:
            raise no_kernel(name, names)


def no_kernel(name: str, names: Sequence[str]) -> CompileError:
    """Return the error for an unknown kernel, with the closest of these names."""
    return CompileError(
        ErrorCode.C170,
        f"the program has no kernel '{name}'",
        notes=[f"kernels: {', '.join(get_close_matches(name, names, 5, 0.0))}"],
        help="use one of the names in the note",
    )


def scheduled_kernel(function: Function, target: Target) -> Kernel:
    """Return the kernel of a primitive function, with plain loops if its schedule fails.

    Raises `C103` for operators without a kernel, `C107` if even the plainest loops fail.
    """
    return _KernelJob(function).arranged(target)[0]


class _KernelJob:
    """A primitive function whose kernel is to be scheduled and compiled."""

    def __init__(self, function: Function, name: str = "") -> None:
        self.function = function
        self.label = label(function)
        self._distinct = name

    def scheduled(
        self, target: Target, cache: KernelCache | None, schedules: Schedules
    ) -> ScheduledKernel:
        """Return the kernel under its distinct name, scheduled by its target or as requested."""
        wish = schedules.get(self._distinct, schedules.get(self.label))
        kernel, schedule = self.arranged(target, wish, cache)
        return ScheduledKernel(kernel, self._distinct, schedule)

    @functools.cached_property
    def _formulas(self) -> Formulas:
        return self._unless_defect(lambda: formulas(self.function, self.label))

    def arranged(
        self, target: Target, wish: Wanted | None = None, cache: KernelCache | None = None
    ) -> tuple[Kernel, Mapping[str, Any]]:
        """Return the scheduled kernel and its schedule, or plain loops if scheduling fails."""
        if cache is not None and wish is None:
            key = kernel_key(self.function), target
            return cache.arranged(key, lambda: self.arranged(target))
        matched = self._formulas  # their errors are not those of a schedule
        if wish is not None or not isinstance(target, HostTarget):
            return self._chosen(target, matched, wish)
        found = result_or_error(lambda: self._chosen(target, matched, None))
        return (self.plain(found), {}) if isinstance(found, Exception) else found

    def _chosen(
        self, target: Target, matched: Formulas, wish: Wanted | None
    ) -> tuple[Kernel, Mapping[str, Any]]:
        choice = target.choose(matched, wish)
        if choice is None:
            raise CompileError(
                ErrorCode.C172,
                f"the device '{target.name}' has no kernel for the operator {self}",
                span=self.function.body.span,
                help="run the operator on the CPU: remove its on_device annotation",
            )
        return choice.kernel(), choice.fields()

    def plain(self, error: Exception) -> Kernel:
        """Log the error of a schedule, and return the kernel with plain loops."""
        if is_strict():
            raise error
        _log.warning(
            "the schedule of %s failed, so it runs as plain loops: %s: %s",
            self,
            type(error).__name__,
            error,
        )
        _log.debug("stack trace of the failed schedule of %s", self.label, exc_info=error)
        return self._unless_defect(self._formulas.plain)

    def compiled(self, kernel: Kernel, build: _Build) -> ObjectCode:
        """Return the code of a kernel, or of plain loops if its compilation fails."""
        found = result_or_error(lambda: build([kernel]))
        if isinstance(found, Exception):
            plain = self.plain(found)
            found = self._unless_defect(lambda: build([plain]))
        (code,) = found
        return code

    def _unless_defect(self, work: Callable[[], _T]) -> _T:
        """Return the result of `work`; any exception that is not a `RelayError` is a defect."""
        found = result_or_error(work)
        if isinstance(found, RelayError):
            raise found
        if isinstance(found, Exception):
            raise self._defect(found) from found
        return found

    def _defect(self, error: Exception) -> CompileError:
        return CompileError(
            ErrorCode.C107,
            f"no native code could be generated for the kernel {self}",
            span=self.function.body.span,
            notes=[f"{type(error).__name__}: {error}"],
            help="report this defect of Relay, with the note above and the model",
        )

    def __str__(self) -> str:
        types = ", ".join(repr(param.type) for param in self.function.params)
        return f"{self.label}({types}) -> {self.function.body.type!r}"


def label(function: Function) -> str:
    """Return a readable name for a fused function, made of its operators and its compiler."""
    names = [op.name.removeprefix("nn.") for op in _operators(function)]
    shown = names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]
    text, compiler = "+".join(shown).replace(" ", "_"), external_name(function)
    return text if compiler is None else f"{compiler}({text})"


def _operators(function: Function) -> list[OperatorDef]:
    calls = (expr for expr in post_order(function.body) if isinstance(expr, Call))
    return [call.op for call in calls if isinstance(call.op, OperatorDef)]

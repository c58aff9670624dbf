"""Compiles kernels to object code: each distinct kernel once, from the cache or on all cores.

A kernel's symbol is the hash of its computation, so equal kernels of one program, or of two, share
their code whatever their names are. Kernels of much code that differ only in integers share it,
too: each is then a call of that code with its integers.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_cache import KernelCache, entry_key
from relay.kernels.kernel_groups import Group, Groups, Member
from relay.kernels.llvm.buffer_placement import BufferPlan, Size, plan
from relay.kernels.llvm.code_size import amount_of_code, level_of_passes
from relay.kernels.llvm.codegen import linked_object_code
from relay.kernels.llvm.emit_kernel_module import emit_kernel, emit_specialisation
from relay.kernels.llvm.emitter_context import Options
from relay.kernels.llvm.kernel_fingerprint import fingerprint
from relay.kernels.llvm.loop_metadata import has_plain_loop
from relay.kernels.llvm.object_code import ObjectCode, objects
from relay.kernels.llvm.worker_processes import Job, run_jobs
from relay.kernels.llvm.workspace_sizes import evaluate_size
from relay.kernels.loops import Kernel
from relay.support.node import node
from relay.support.progress_callback import Progress, silent

__all__ = [
    "ObjectCode",
    "Options",
    "affordable_level",
    "compile_kernels",
    "compile_texts",
    "objects",
    "workspace_bytes",
]

_CALL = 50  # operations: the amount of code of a kernel that only calls another one

_MOST_LINES = 50_000  # of LLVM text: level 2 takes 3 s for them, 14 s for three times as many


def compile_kernels(
    kernels: Iterable[Kernel],
    machine: CpuModel,
    options: Options = Options(),  # noqa: B008 - a value
    cache: KernelCache | None = None,
    progress: Progress = silent,
) -> list[ObjectCode]:
    """Return the object code of each kernel, in order; equal kernels share one object.

    Kernels are compiled while `kernels` makes the next ones. Without a cache, every kernel is
    compiled; `progress` is called for each kernel compiled. Raises `C001` for scratch memory whose
    size is unknown at the call, `C002` when LLVM cannot compile a kernel for the machine.
    """
    symbols: list[str] = []
    ready: dict[str, ObjectCode] = {}
    made: dict[str, _Made] = {}
    groups = Groups()

    def jobs() -> Iterator[Job]:
        for kernel in kernels:
            symbol = f"relay_k_{fingerprint(kernel)}"
            symbols.append(symbol)
            if symbol in ready or symbol in made:
                continue
            found = None if cache is None else cache.get(entry_key(symbol, machine, options))
            if found is not None:
                ready[symbol] = found
                continue
            placed = plan(kernel)
            made[symbol] = _Made(placed)
            for group in groups.add(Member(symbol, kernel, placed)):
                yield from _jobs(group, made, machine, options)
        for group in groups.rest():
            yield from _jobs(group, made, machine, options)

    codes = run_jobs(jobs(), lambda begun, known: progress("kernels", begun, known))
    for symbol in dict.fromkeys(symbols):
        if symbol in made:
            ready[symbol] = _object(symbol, codes, made)
            if cache is not None:
                cache.put(entry_key(symbol, machine, options), ready[symbol])
    return [ready[symbol] for symbol in symbols]


@node
class _Made:
    """The placement of a kernel's buffers, and the symbol of the code that it calls, if any."""

    plan: BufferPlan
    shared: str | None = None


def _jobs(
    group: Group, made: dict[str, _Made], machine: CpuModel, options: Options
) -> Iterator[Job]:
    """Yield the jobs that compile the kernels of a group, and add to `made` what they make."""
    if not group.templates:
        (member,) = group.members
        yield _job(member.kernel, member.symbol, member.plan, machine, options)
        return
    general = group.general()
    shared, placed = general.symbol, general.plan
    if shared not in made:
        made[shared] = _Made(placed)
        yield _job(general.kernel, shared, placed, machine, options)
    measures = _static(placed.main) is None or _static(placed.worker) is None
    for member, numbers in zip(group.members, group.numbers(), strict=True):
        made[member.symbol] = _Made(placed, shared)
        text = emit_specialisation(
            member.kernel, member.symbol, shared, numbers, machine, measures=measures
        )
        level, name = options.level, member.kernel.name
        yield Job(
            member.symbol, name, text, _CALL, machine, level, False, options.bitcode, passes=0
        )


def _job(kernel: Kernel, symbol: str, made: BufferPlan, machine: CpuModel, options: Options) -> Job:
    text = emit_kernel(kernel, symbol, made, machine, options)
    plain, amount = has_plain_loop(kernel.body), amount_of_code(kernel)
    passes = level_of_passes(amount, options.level, vectorise=plain)
    return Job(
        symbol, kernel.name, text, amount, machine, options.level, plain, options.bitcode, passes
    )


def compile_texts(
    symbol: str,
    texts: Sequence[str],
    machine: CpuModel,
    options: Options,
    level: int,
    cache: KernelCache | None = None,
    exports: Sequence[str] = (),
) -> ObjectCode:
    """Return the object code of LLVM modules linked together; `symbol` is their entry point.

    Of several modules, it and `exports` are visible. This is the code that runs between kernels, so
    it is not vectorised. It is read from the cache if it is there; `level` is LLVM's optimisation
    level, which is 0 for very long texts.
    """
    level = affordable_level(texts, level)
    digest = hashlib.sha256("\0".join((str(level), *texts)).encode()).hexdigest()
    key = entry_key(f"{symbol} {digest}", machine, options)
    found = None if cache is None else cache.get(key)
    if found is not None:
        return found
    code = linked_object_code(
        *(texts, (symbol, *exports), machine.triple, machine.cpu, machine.features, level),
        vectorise=False,
        bitcode=options.bitcode,
    )
    made = ObjectCode(symbol, code)
    if cache is not None:
        cache.put(key, made)
    return made


def affordable_level(texts: Sequence[str], level: int) -> int:
    """Return the optimisation level for code between kernels: 0 if LLVM would take too long.

    The time of LLVM's passes grows faster than a function. In a model of thousands of kernel calls
    the code between them is about 1 % of the run time.
    """
    return 0 if sum(text.count("\n") for text in texts) > _MOST_LINES else level


def workspace_bytes(kernel: Kernel, workers: int, scalars: Sequence[int] = ()) -> int:
    """Return the bytes of workspace that a call of a kernel needs with `workers` threads.

    `scalars` are the kernel's scalar arguments.
    """
    made = plan(kernel)
    values = dict(zip(kernel.scalars, scalars, strict=True))
    return evaluate_size(made.main, values) + workers * evaluate_size(made.worker, values)


def _object(symbol: str, codes: Mapping[str, bytes], made: Mapping[str, _Made]) -> ObjectCode:
    each = made[symbol]
    main, worker = _static(each.plan.main), _static(each.plan.worker)
    shared = None if each.shared is None else _object(each.shared, codes, made)
    return ObjectCode(symbol, codes[symbol], main, worker, bool(each.plan.polls), shared)


def _static(size: Size) -> int | None:
    return size if isinstance(size, int) else None

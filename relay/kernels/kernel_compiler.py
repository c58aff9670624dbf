"""Compiles kernels to object code: each distinct kernel once, from the cache or on all cores.

A kernel's symbol is the hash of its computation, so equal kernels of one program, or of two, share
their code whatever their names are.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_cache import KernelCache, entry_key
from relay.kernels.llvm.buffer_placement import BufferPlan, Size, plan
from relay.kernels.llvm.code_size import amount_of_code, level_of_passes
from relay.kernels.llvm.codegen import linked_object_code
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.emitter_context import Options
from relay.kernels.llvm.kernel_fingerprint import fingerprint
from relay.kernels.llvm.loop_metadata import has_plain_loop
from relay.kernels.llvm.object_code import ObjectCode
from relay.kernels.llvm.worker_processes import Job, run_jobs
from relay.kernels.llvm.workspace_sizes import evaluate_size
from relay.kernels.loops import Kernel
from relay.support.progress_callback import Progress, silent

__all__ = [
    "ObjectCode",
    "Options",
    "affordable_level",
    "compile_kernels",
    "compile_texts",
    "workspace_bytes",
]

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
    plans: dict[str, BufferPlan] = {}

    def jobs() -> Iterator[Job]:
        for kernel in kernels:
            symbol = f"relay_k_{fingerprint(kernel)}"
            symbols.append(symbol)
            if symbol in ready or symbol in plans:
                continue
            found = None if cache is None else cache.get(entry_key(symbol, machine, options))
            if found is not None:
                ready[symbol] = found
                continue
            plans[symbol] = made = plan(kernel)
            yield _job(kernel, symbol, made, machine, options)

    codes = run_jobs(jobs(), lambda begun, known: progress("kernels", begun, known))
    for symbol, made in plans.items():
        ready[symbol] = _object(symbol, codes[symbol], made)
        if cache is not None:
            cache.put(entry_key(symbol, machine, options), ready[symbol])
    return [ready[symbol] for symbol in symbols]


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


def _object(symbol: str, code: bytes, made: BufferPlan) -> ObjectCode:
    return ObjectCode(symbol, code, _static(made.main), _static(made.worker), bool(made.polls))


def _static(size: Size) -> int | None:
    return size if isinstance(size, int) else None

"""Compiles many kernels in parallel, in worker processes.

LLVM can compile several modules in parallel, but llvmlite holds a lock around it; so worker
processes are used. A worker is a Python process that imports nothing but llvmlite; it is started
only if there is enough work to pay for its start, about a fifth of a second. The longest jobs are
done first, to balance the load.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from typing import Self

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.codegen import object_code, receive, send
from relay.support.cpu_count import available_cpus
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import node

_FOR_A_HELPER = 16_000  # operations: twice the work that a process compiles while a worker starts
_MAX_HELPERS = 15

_SERVE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from relay.kernels.llvm.codegen import serve
serve()
"""


@node
class Job:
    """An LLVM module to compile: the kernel's symbol, the text, and the machine and options."""

    kernel: str
    text: str
    machine: CpuModel
    level: int
    vectorise: bool
    bitcode: bool

    @property
    def request(self) -> tuple[str, str, str, str, int, bool, bool]:
        """Return the arguments with which a worker calls `object_code`."""
        machine = self.machine
        return (
            self.text, machine.triple, machine.cpu, machine.features, self.level, self.vectorise,
            self.bitcode,
        )  # fmt: skip


def run_jobs(amounts: Mapping[str, int], make: Callable[[str], Job]) -> Iterator[tuple[str, bytes]]:
    """Build and compile the job of each symbol; yield the object codes as they are done.

    `amounts` has the number of operations of each kernel. Raises `C002` if LLVM rejects a module.
    """
    symbols = sorted(amounts, key=amounts.__getitem__, reverse=True)
    helpers = min(len(symbols) - 1, sum(amounts.values()) // _FOR_A_HELPER, _MAX_HELPERS)
    if helpers > 0:  # only then, because counting CPUs reads files
        helpers = min(helpers, available_cpus() - 1)
    if helpers < 1:
        yield from ((symbol, _compile_here(make(symbol))) for symbol in symbols)
        return
    waiting: SimpleQueue[str] = SimpleQueue()
    for symbol in symbols:
        waiting.put(symbol)
    with ExitStack() as stack:
        lanes = [_compile_here, *_started(stack, helpers)]
        threads = stack.enter_context(ThreadPoolExecutor(len(lanes)))
        done = [threads.submit(_work, waiting, make, lane) for lane in lanes]
        for lane in done:
            yield from lane.result()


def _started(stack: ExitStack, count: int) -> Iterator[Callable[[Job], bytes]]:
    """Start as many workers as the system allows; none if Python is embedded in a program."""
    if getattr(sys, "frozen", False) or not sys.executable:
        return
    with suppress(OSError):
        for _ in range(count):
            yield stack.enter_context(_Helper()).compile


def _work(
    waiting: "SimpleQueue[str]", make: Callable[[str], Job], compile_: Callable[[Job], bytes]
) -> list[tuple[str, bytes]]:
    """Compile jobs from the queue until it is empty; return their object codes."""
    finished: list[tuple[str, bytes]] = []
    while True:
        try:
            symbol = waiting.get_nowait()
        except Empty:
            return finished
        finished.append((symbol, compile_(make(symbol))))


def _compile_here(job: Job) -> bytes:
    try:
        return object_code(*job.request)
    except RuntimeError as error:
        raise _rejected(job, str(error)) from error


def _rejected(job: Job, reason: str) -> CompileError:
    return CompileError(
        ErrorCode.C002,
        f"LLVM cannot compile kernel '{job.kernel}' for {job.machine.triple} ({job.machine.cpu})",
        notes=[reason.strip()],
        help=(
            "check the processor and feature names of the machine; if they are right, report "
            "this defect of Relay"
        ),
    )


class _Helper:
    """A worker process that compiles the jobs sent to it."""

    def __enter__(self) -> Self:
        path = json.dumps(sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        return self

    def __exit__(self, *exception: object) -> None:
        with self._process as process:
            if process.stdin is not None:
                process.stdin.close()

    def compile(self, job: Job) -> bytes:
        """Send a job to the worker process, and return its object code."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None, "a helper is spoken to through pipes"
        assert stdout is not None, "a helper is spoken to through pipes"
        try:
            send(stdin, json.dumps(job.request).encode())
            answer = receive(stdout)
        except (OSError, EOFError) as error:
            raise _rejected(
                job, "the process that compiles the kernel ended unexpectedly"
            ) from error
        if answer.startswith(b"+"):
            return answer[1:]
        raise _rejected(job, answer[1:].decode())

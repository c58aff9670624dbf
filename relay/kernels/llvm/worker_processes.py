"""Compiles many kernels in parallel, in worker processes.

LLVM can compile several modules in parallel, but llvmlite holds a lock around it; so worker
processes are used. A worker is a Python process that imports nothing but llvmlite; it is started
only if there is enough work to pay for its start, about a fifth of a second. This process makes the
jobs while the workers compile; it compiles as well when many jobs wait, and at the end. The longest
of the waiting jobs is done first, to balance the load.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import count
from queue import Empty, PriorityQueue
from typing import Self

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.codegen import object_code, receive, send
from relay.support.cpu_count import available_cpus
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import node

_FOR_A_HELPER = 16_000  # operations: twice the work that a process compiles while a worker starts
_MAX_HELPERS = 15
_MOST_WAITING = 16  # jobs for each worker: the texts of thousands would fill the memory

_SERVE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from relay.kernels.llvm.codegen import serve
serve()
"""


@node
class Job:
    """An LLVM module to compile: the text of a kernel, the machine, and the options.

    `symbol` is its entry point, `amount` its number of operations; errors name the `kernel`.
    `level` and `passes` are LLVM's levels, as for `object_code`.
    """

    symbol: str
    kernel: str
    text: str
    amount: int
    machine: CpuModel
    level: int
    vectorise: bool
    bitcode: bool
    passes: int

    @property
    def request(self) -> tuple[str, str, str, str, int, bool, bool, int]:
        """Return the arguments with which a worker calls `object_code`."""
        machine = self.machine
        return (
            self.text, machine.triple, machine.cpu, machine.features, self.level, self.vectorise,
            self.bitcode, self.passes,
        )  # fmt: skip


def run_jobs(
    jobs: Iterable[Job], began: Callable[[int, int], object] = lambda _begun, _known: None
) -> dict[str, bytes]:
    """Compile jobs, each while the next ones are made; return the object code of each symbol.

    `began` is called whenever a job begins, with the number of those that began before and of those
    that are known. Raises `C002` if LLVM rejects a module.
    """
    with _Pool(began) as pool:
        for job in jobs:
            pool.add(job)
        return pool.finished()


class _Pool:
    """Jobs that wait, the worker processes that compile them, and the object codes."""

    def __init__(self, began: Callable[[int, int], object]) -> None:
        self._began = began
        self._begun, self._added = count(), 0
        self._amount = 0  # of all jobs so far
        self._waiting: PriorityQueue[tuple[float, int, Job | None]] = PriorityQueue()
        self._done: dict[str, bytes] = {}
        self._most_helpers: int | None = None  # unknown, because counting CPUs reads files
        self._lanes: list[Future[None]] = []
        self._helpers = ExitStack()
        self._threads = ThreadPoolExecutor(_MAX_HELPERS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        with self._helpers, self._threads:  # the threads end first
            with suppress(Empty):
                while True:
                    self._waiting.get_nowait()
            self._end_lanes()

    def add(self, job: Job) -> None:
        """Let a job wait for a worker; compile one here if too many wait."""
        self._added += 1
        self._amount += job.amount
        self._waiting.put((-job.amount, self._added, job))
        self._start_helpers()
        most = _MOST_WAITING * max(len(self._lanes), 1)
        while self._most_helpers == 0 or self._waiting.qsize() > most:
            if not self._compile_one():
                return

    def finished(self) -> dict[str, bytes]:
        """Compile what still waits, and return the object codes when all jobs are done."""
        while self._compile_one():
            pass
        self._end_lanes()
        for lane in self._lanes:
            lane.result()
        return self._done

    def _start_helpers(self) -> None:
        """Start as many workers as the jobs pay for and the system allows."""
        wanted = min(self._added - 1, self._amount // _FOR_A_HELPER)
        if wanted > 0 and self._most_helpers is None:
            self._most_helpers = min(_MAX_HELPERS, available_cpus() - 1)
            if getattr(sys, "frozen", False) or not sys.executable:
                self._most_helpers = 0  # Python is embedded in a program
        while len(self._lanes) < min(wanted, self._most_helpers or 0):
            try:
                helper = self._helpers.enter_context(_Helper())
            except OSError:
                self._most_helpers = len(self._lanes)
            else:
                self._lanes.append(self._threads.submit(self._compile_by, helper))

    def _compile_by(self, helper: "_Helper") -> None:
        """Compile waiting jobs in a worker process until there are no more."""
        while (job := self._waiting.get()[-1]) is not None:
            self._compile(job, helper.compile)

    def _compile_one(self) -> bool:
        """Compile a waiting job in this process; whether there was one."""
        with suppress(Empty):
            job = self._waiting.get_nowait()[-1]
            assert job is not None, "the lanes end after the last job"
            self._compile(job, _compile_here)
            return True
        return False

    def _compile(self, job: Job, compiled: Callable[[Job], bytes]) -> None:
        self._began(next(self._begun), self._added)
        self._done[job.symbol] = compiled(job)

    def _end_lanes(self) -> None:
        for number in range(len(self._lanes)):
            self._waiting.put((float("inf"), number, None))


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

"""Run compiled programs under AddressSanitizer: `python tools/sanitize_programs.py programs`.

The LLVM text of programs, kernels and the C runtime calls the sanitizer before each access to
memory, and the heap poisons free and unused memory; arrays lie between poisoned bytes and
inaccessible pages. UndefinedBehaviorSanitizer checks the C runtime. The command starts itself again
with gcc's sanitizer loaded. What it runs:

    programs   random programs, as native programs and in the virtual machine; `--count 2000`
    callers    eight Python threads that call programs of several threads at once
    interrupts endless programs, each stopped by a signal, and called again
    fork       programs in forked children, while another thread runs programs
    tests      the tests of calls from Python, of the heap, of batches and of writes in place
    faults     programs that write behind a block of the heap or behind an array, by whole and by
               masked vectors, by copies and by instructions that are not checked, read a freed
               block, or ask the heap for bytes whose number overflows: each must be found
"""

import argparse
import ctypes
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import llvmlite.binding as llvm
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import c_runtime

import relay
from relay.kernels.llvm import worker_processes
from relay.kernels.llvm.codegen import linked_object_code
from relay.runtime import aligned_memory as memory
from relay.runtime import host_compilation
from relay.runtime.code.heap_layout import ARENA_BYTES
from relay.runtime.host_requirements import HostRequirements
from relay.support.linking import linked
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.executors import check_executors
from tools.fuzzing.sanitizer_calls import instrumented
from tools.fuzzing.sizes.guarded import between_guards

OPTIONS = (
    "-D__SANITIZE_ADDRESS__",
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,bounds,null,alignment,unreachable",
    "-fsanitize-trap=undefined",
)
"""How the C runtime is translated, beside its usual options."""
FOUND = 66  # the status of a process in which the sanitizer found a fault
ROOT = Path(__file__).parents[1]
TESTS = (
    "runtime/call_boundary",
    "build/test_safety.py",
    "build/test_buffer_donation.py",
    "build/code/test_heap.py",
    "build/code/test_batching.py",
    "build/code/test_in_place.py",
)
POISONED = "use-after-poison"
SETTINGS = f"detect_leaks=0:exitcode={FOUND}:allocator_may_return_null=1:handle_segv=0"

# ---- preparation of a process ----


def _poisoned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[np.ndarray, int]:
    """Return an array between poisoned bytes and inaccessible pages, and its address."""
    nbytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
    block = between_guards(nbytes + memory.ALIGNMENT)
    before = (block.nbytes - nbytes) // memory.ALIGNMENT * memory.ALIGNMENT
    first, poison = block.ctypes.data, _function("__asan_poison_memory_region")
    for begin, end in ((0, before), (before + nbytes, block.nbytes)):
        poison(first + begin, end - begin)
    clean = _function("__asan_unpoison_memory_region")
    weakref.finalize(block, clean, first, block.nbytes)  # the address may be used again
    return np.ndarray(shape, dtype, block, before), first + before


@functools.cache
def _function(name: str) -> Callable[[int, int], None]:
    """Return a function of the sanitizer that takes an address and a number of bytes."""
    return ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)((name, ctypes.CDLL(None)))


@functools.cache
def prepare() -> None:
    """Instrument all code that this process compiles, and the runtime that it links."""
    parse = llvm.parse_assembly

    def parse_instrumented(text: str) -> llvm.ModuleRef:
        return parse(instrumented(text))

    patch.object(llvm, "parse_assembly", parse_instrumented).start()
    patch.object(worker_processes, "available_cpus", lambda: 1).start()  # no others compile
    _replace(host_compilation.runtime_text, functools.cache(_runtime_text))
    _replace(memory.allocate, _poisoned)


def _replace(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Replace a function in all modules that have imported it."""
    name = function.__name__
    for module in [each for key, each in sys.modules.items() if key.startswith("relay.")]:
        if getattr(module, name, None) is function:
            patch.object(module, name, other).start()


def _runtime_text(name: str, platform: str) -> str:
    """Return a C source of the runtime as LLVM text, with a heap that poisons memory."""
    target = c_runtime.PLATFORMS[platform]
    with patch.object(c_runtime, "OPTIONS", (*c_runtime.OPTIONS, *OPTIONS)):
        return c_runtime.translated(c_runtime.SOURCES / f"{name}.c", target)


# ---- what runs ----


def check_program(number: int) -> None:
    """Run a random program with every executor."""
    prepare()
    choices = RandomChoices(number)
    check_executors(random_program(choices, 40, guarded_reads=number % 2 == 1), levels=(3,))


LOOPS = """#[version = "0.0.5"]
def @main(%x: Tensor[(n, 64), float32], %rounds: int32) -> Tensor[(n, 64), float32] {
  if (%rounds <= 0) { %x } else { @main(tanh(%x * 1.01f) + %x, %rounds - 1) }
}
"""
ENDLESS = """#[version = "0.0.5"]
def @main(%n: int32) -> int32 { if (%n < 0) { %n } else { @main(maximum(%n - 1, 1)) } }
"""


def callers() -> None:
    """Call a program of two threads from eight Python threads simultaneously."""
    prepare()
    program = relay.compile(relay.parse(LOOPS), threads=2)
    x = np.random.default_rng(0).random((500, 64), np.float32)
    expected, wrong = program(x, np.int32(3)), list[int]()

    def work(number: int) -> None:
        for _ in range(100):
            if not np.array_equal(program(x, np.int32(3)), expected):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def interrupts() -> None:
    """Interrupt endless programs, and call a terminating one after each."""
    prepare()
    endless, ends = relay.compile(relay.parse(ENDLESS)), relay.compile(relay.parse(LOOPS))
    x = np.ones((200, 64), np.float32)
    expected = ends(x, np.int32(2))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for _ in range(20):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            endless(np.int32(1))
        except KeyboardInterrupt:
            assert np.array_equal(ends(x, np.int32(2)), expected)
        else:
            raise AssertionError("an endless program ended")


def fork() -> None:
    """Run programs in children while another thread of the parent runs programs."""
    prepare()
    program = relay.compile(relay.parse(LOOPS), threads=2)
    x = np.ones((500, 64), np.float32)
    expected, stop = program(x, np.int32(3)), threading.Event()

    def work() -> None:
        while not stop.is_set():
            program(x, np.int32(3))

    busy = threading.Thread(target=work)
    busy.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                os._exit(int(not np.array_equal(program(x, np.int32(3)), expected)))
            assert os.waitpid(child, 0)[1] == 0, "a child failed"
    finally:
        stop.set()
        busy.join()


def tests() -> None:
    """Run tests of the runtime, but none that measures the memory that the sanitizer keeps."""
    prepare()
    paths = [str(ROOT / "tests" / each) for each in TESTS]
    measuring = "keep_no_memory or until_the_call_ends"
    status = pytest.main(
        ["-q", "-n", "0", "-p", "no:cacheprovider", "-k", f"not ({measuring})", *paths]
    )
    assert status == pytest.ExitCode.OK, status


# ---- faults that are to be found ----

FAULT = """
@relay_keeps_results = constant i8 0
@relay_asks_stack = constant i8 0
@relay_exhausted_from = constant i32 1000
declare ptr @relay_allocate_bytes(ptr, i64)
declare void @relay_release(ptr, ptr)
declare ptr @relay_carve(ptr, i64)
define i32 @relay_border(ptr %ctx, ptr %inputs, ptr %outputs) {
  %output = load ptr, ptr %outputs
  %block = call ptr @relay_allocate_bytes(ptr %ctx, i64 256)
  %behind = getelementptr i8, ptr BASE, i64 OFFSET
  FREE
  ACCESS
  ret i32 0
}
"""
_LANES = "<4 x float> zeroinitializer"
_MASK = "<4 x i1> <i1 1, i1 0, i1 1, i1 0>"
FAULTS: Mapping[str, Mapping[str, str]] = {
    "none": {"BASE": "%block", "OFFSET": "255", "FREE": "", "ACCESS": "store i8 1, ptr %behind"},
    "overflow": {
        "BASE": "%block",
        "OFFSET": "256",
        "FREE": "",
        "ACCESS": "store i8 1, ptr %behind",
    },
    "freed": {
        "BASE": "%block",
        "OFFSET": "64",
        "FREE": "call void @relay_release(ptr %ctx, ptr %block)",
        "ACCESS": "%read = load volatile i64, ptr %behind",
    },
    "array": {"BASE": "%output", "OFFSET": "40", "FREE": "", "ACCESS": "store i8 1, ptr %behind"},
    "lanes": {
        "BASE": "%output",
        "OFFSET": "32",
        "FREE": "",
        "ACCESS": f"call void @llvm.masked.store.v4f32.p0({_LANES}, ptr align 4 %behind, {_MASK})",
    },
    "copy": {
        "BASE": "%output",
        "OFFSET": "32",
        "FREE": "",
        "ACCESS": "call void @llvm.memset.p0.i64(ptr %behind, i8 0, i64 9, i1 false)",
    },
    "page": {
        "BASE": "%output",
        "OFFSET": "64",
        "FREE": "",
        "ACCESS": "store { i8 } { i8 1 }, ptr %behind",
    },
    "size": {
        "BASE": "%block",
        "OFFSET": "0",
        "FREE": "",
        "ACCESS": f"%new = call ptr @relay_carve(ptr %ctx, i64 {2**63 - 1})",
    },
}
ENDS: Mapping[str, int] = {"none": 0, "page": -signal.SIGSEGV, "size": -signal.SIGILL}
"""How the processes end that the sanitizer does not end with `FOUND`."""


def commit(name: str) -> None:
    """Run a program with a memory fault."""
    prepare()
    text = FAULT
    for word, replacement in FAULTS[name].items():
        text = text.replace(word, replacement)
    machine = HostRequirements.host()
    platform = host_compilation.runtime_platform(machine.triple)
    texts = [
        text,
        *(host_compilation.runtime_text(part, platform) for part in ("heap", "segments", "entry")),
    ]
    code = linked_object_code(
        texts, ["relay_run"], machine.triple, machine.cpu, machine.features, 2, vectorise=False
    )
    library = linked("fault", [code], ["relay_run"])
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 5)(library["relay_run"])
    arena = memory.aligned_empty((ARENA_BYTES,), np.dtype(np.uint8))
    arena[...] = 0
    output, start = memory.allocate((10,), np.dtype(np.float32))
    outputs = np.array([start], np.uint64)
    workspace = memory.scratch(1024)
    places = map(memory.address, (arena, workspace))
    assert entry(0, outputs.ctypes.data, 0, *places) == 0
    del output


def faults() -> None:
    """Run each faulty program in a separate process, which its fault must end."""
    for name in FAULTS:
        done = subprocess.run(
            [sys.executable, __file__, "commit", name], capture_output=True, text=True, check=False
        )
        wanted = ENDS.get(name, FOUND)
        is_right = done.returncode == wanted and (wanted != FOUND or POISONED in done.stderr)
        assert is_right, f"{name}: {done.returncode}\n{done.stderr[-2000:]}"


CASES: Mapping[str, Callable[[], None]] = {
    "callers": callers,
    "interrupts": interrupts,
    "fork": fork,
    "tests": tests,
    "faults": faults,
}


def restart() -> None:
    """Restart this command with the sanitizer and a separate cache."""
    command = shutil.which("gcc") or "gcc", "-print-file-name=libasan.so"
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as cache:
        added = {
            "LD_PRELOAD": found.stdout.strip(),
            "ASAN_OPTIONS": SETTINGS,
            "PYTHONMALLOC": "malloc",
            "RELAY_CACHE_DIR": cache,
        }
        again = [sys.executable, *sys.argv]
        sys.exit(subprocess.run(again, env={**os.environ, **added}, check=False).returncode)


def main() -> int:
    """Run random programs, or a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["programs", *CASES, "commit"])
    parser.add_argument("fault", nargs="?", choices=FAULTS, help=argparse.SUPPRESS)
    add_options(parser)
    options = parser.parse_args()
    if "asan" not in os.environ.get("LD_PRELOAD", ""):
        restart()
    if options.what == "programs":
        return run(check_program, options)
    if options.what == "commit":
        commit(options.fault)
    else:
        CASES[options.what]()
        print(f"{options.what}: clean")
    return 0


if __name__ == "__main__":
    sys.exit(main())

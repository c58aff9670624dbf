"""Small native programs, written as LLVM text and compiled here: the runtime has no compiler."""

import ctypes
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import llvmlite.binding as llvm
import numpy as np
import pytest

from relay.runtime import (
    HostRequirements,
    Location,
    MemoryRegion,
    ObjectCode,
    Program,
    Signature,
    Step,
    TensorSpec,
    pack_constants,
)
from relay.runtime.host_compilation import compile_for_host
from relay.runtime.thread_pool import pool
from relay.support.node import replace

KERNELS = """
define i32 @double(ptr %x, ptr %y, i64 %n, ptr %workspace) {
  br label %test
test:
  %i = phi i64 [0, %0], [%next, %loop]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %loop, label %end
loop:
  %px = getelementptr float, ptr %x, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %px
  %r = fadd float %v, %v
  store float %r, ptr %py
  %next = add i64 %i, 1
  br label %test
end:
  ret i32 0
}
define i32 @add(ptr %x, ptr %b, ptr %y, i64 %n, ptr %workspace) {
  br label %test
test:
  %i = phi i64 [0, %0], [%next, %loop]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %loop, label %end
loop:
  %px = getelementptr float, ptr %x, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %px
  %w = load float, ptr %pb
  %r = fadd float %v, %w
  store float %r, ptr %py
  %next = add i64 %i, 1
  br label %test
end:
  ret i32 0
}
"""

ENTRY = """
declare i32 @double(ptr, ptr, i64, ptr)
declare i32 @add(ptr, ptr, ptr, i64, ptr)
define i32 @relay_run(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace) {{
  %x = load ptr, ptr %inputs
  %y = load ptr, ptr %outputs
  %first = call i32 @double(ptr %x, ptr %arena, i64 {n}, ptr %workspace)
  %second = call i32 @add(ptr %arena, ptr %constants, ptr %y, i64 {n}, ptr %workspace)
  %trap = or i32 %first, %second
  ret i32 %trap
}}
"""


def affine_program(shape: Sequence[int], **changes) -> Program:
    """Return a program for `2 * x + bias` with bias = 0, 1, 2, …, in two kernels."""
    count = int(np.prod(shape))
    steps = (
        Step(
            "double",
            "twice",
            (Location(MemoryRegion.INPUT), Location(MemoryRegion.ARENA)),
            (4 * count, 4 * count),
            (count,),
            count,
        ),
        Step(
            "add",
            "bias",
            (
                Location(MemoryRegion.ARENA),
                Location(MemoryRegion.CONSTANT),
                Location(MemoryRegion.OUTPUT),
            ),
            (4 * count, 4 * count, 4 * count),
            (count,),
            count,
        ),
    )
    spec = TensorSpec("x", tuple(shape), "float32")
    bias = np.arange(count, dtype="float32").reshape(shape)
    program = Program(
        entry="relay_run",
        signature=Signature((spec,), (replace(spec, name="y"),)),
        constants=pack_constants([("bias", bias)]),
        objects=(
            ObjectCode("kernels", compile_for_host(KERNELS)),
            ObjectCode("relay_run", compile_for_host(ENTRY.format(n=count))),
        ),
        machine=HostRequirements.host(),
        arena_bytes=4 * count,
        steps=steps,
        metadata=(("model", "affine"),),
    )
    return replace(program, **changes)


def affine(x: np.ndarray) -> np.ndarray:
    """Return what the affine program must compute."""
    return 2 * x + np.arange(x.size, dtype="float32").reshape(x.shape)


def entry_program(text: str, inputs=(), outputs=(), **changes) -> Program:
    """Return a program whose code is one entry function, as LLVM text."""
    program = Program(
        entry="relay_run",
        signature=Signature(tuple(inputs), tuple(outputs), is_tuple=True),
        constants=pack_constants([]),
        objects=(ObjectCode("relay_run", compile_for_host(text)),),
        machine=HostRequirements.host(),
    )
    return replace(program, **changes)


@pytest.fixture(scope="session")
def programs() -> SimpleNamespace:
    """Return the makers of programs."""
    return SimpleNamespace(
        affine_program=affine_program,
        affine=affine,
        entry_program=entry_program,
        compile=compile_for_host,
    )


@pytest.fixture
def link() -> Callable[..., SimpleNamespace]:
    """Return a function that compiles LLVM text against the pool and gives its functions."""

    def link_text(text: str, **kinds) -> SimpleNamespace:
        pool()
        engine = llvm.create_lljit_compiler(use_jit_link=True)
        builder = llvm.JITLibraryBuilder().add_object_img(compile_for_host(text))
        builder.import_symbol("relay_pool_run", pool().run_address).add_current_process()
        for name in kinds:
            builder.export_symbol(name)
        library = builder.link(engine, "test")
        functions = {
            name: ctypes.CFUNCTYPE(ctypes.c_int32, *arguments)(library[name])
            for name, arguments in kinds.items()
        }
        return SimpleNamespace(**functions, keep=(engine, library))

    return link_text

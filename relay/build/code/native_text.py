"""The native text around a program's functions: its heap, its stack, its border."""

from importlib import resources
from string import Template

from relay.build.code.heap import CHUNK_BYTES, CLASSES, CONTEXT_FIELDS, WAITING_FIELDS
from relay.kernels.machine import Machine
from relay.runtime.code.kinds import DATA_OFFSET
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.runtime.memory import align_up

CONTEXT_BYTES = align_up(8 * (CONTEXT_FIELDS + CLASSES + WAITING_FIELDS))
ARENA_BYTES = CONTEXT_BYTES + CHUNK_BYTES
"""What a program with a heap needs beside its inputs: the context, and the heap's first chunk."""

NEAR_STACK = 192 << 10  # of the caller's stack: threads have 512 KiB at least
FAR_STACK = 1 << 29  # address space only: pages count when they are used
MARGIN = 256 << 10  # for kernels, which do not look how much stack there is

_ON_STACK = {
    "x86_64": """
push %rbp
mov %rsp, %rbp
mov %r8, %rsp
mov %rdi, %rax
mov %rsi, %rdi
mov %rdx, %rsi
mov %rcx, %rdx
call *%rax
mov %rbp, %rsp
pop %rbp
ret
""",
    "aarch64": """
stp x29, x30, [sp, #-16]!
mov x29, sp
mov sp, x4
mov x9, x0
mov x0, x1
mov x1, x2
mov x2, x3
blr x9
mov sp, x29
ldp x29, x30, [sp], #16
ret
""",
}
"""`i32 relay_on_stack(function, context, inputs, outputs, top)`: a call on another stack."""


def support_text(machine: Machine, *, keep: bool) -> str:
    """Return the LLVM text that every program with a heap is linked with.

    `keep` says that results lie on the heap, for a caller to read before `relay_finish`.
    """
    darwin = "darwin" in machine.triple or "macos" in machine.triple
    text = "".join(_read(name) for name in ("heap.ll", "entry.ll"))
    filled = Template(text).substitute(
        classes=CLASSES,
        chunk=CHUNK_BYTES,
        data=DATA_OFFSET,
        context_bytes=CONTEXT_BYTES,
        arena_bytes=ARENA_BYTES,
        near_bytes=NEAR_STACK,
        far_bytes=FAR_STACK,
        margin_bytes=MARGIN,
        twice_margin_bytes=2 * MARGIN,
        stack_exhausted=STACK_EXHAUSTED,
        keep=str(keep).lower(),
        map_flags=0x1042 if darwin else 0x24022,  # private, anonymous, without reserved swap
    )
    return filled + _stack_switch(machine, "_" if darwin else "")


def _read(name: str) -> str:
    return (resources.files("relay.build.code") / name).read_text()


def _stack_switch(machine: Machine, prefix: str) -> str:
    """Return the change of stacks; where none is written for a machine, it cannot be had."""
    architecture = machine.triple.split("-")[0].replace("arm64", "aarch64")
    body = _ON_STACK.get(architecture)
    if body is None:
        return (
            "\ndefine internal i32 @relay_on_stack(ptr, ptr, ptr, ptr, ptr) {\n"
            f"  ret i32 {STACK_EXHAUSTED}\n}}\n"
        )
    lines = [".text", f"{prefix}relay_on_stack:", *body.strip().splitlines()]
    assembly = "\n".join(f'module asm "{line}"' for line in lines)
    return f"\n{assembly}\ndeclare i32 @relay_on_stack(ptr, ptr, ptr, ptr, ptr)\n"

"""Compiles LLVM text to object code: parse, verify, optimise, emit.

This module imports little besides llvmlite, so that a worker process starts quickly.
"""

import json
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

import llvmlite.binding as llvm

from relay.support.llvm_targets import target_machine
from relay.support.worker_thread import in_worker_thread


@in_worker_thread
def object_code(
    text: str, triple: str, cpu: str, features: str, level: int, vectorise: bool,
    bitcode: bool = False, passes: int | None = None,
) -> bytes:  # fmt: skip
    """Return the object file of an LLVM module.

    Instructions are selected at `level`; `passes` is the level of the passes before that, if they
    differ. If `vectorise`, LLVM vectorises plain scalar loops.

    With `bitcode`, return LLVM bitcode instead, which can be linked and compiled later.
    """
    machine = target_machine(triple, cpu, features, level)
    module = optimised([text], machine, level if passes is None else passes, vectorise)
    return _emitted(machine, module, bitcode)


@in_worker_thread
def linked_object_code(
    texts: Sequence[str], exports: Sequence[str],
    triple: str, cpu: str, features: str, level: int, vectorise: bool, bitcode: bool = False,
) -> bytes:  # fmt: skip
    """Return one object file of several modules; functions may be inlined across modules.

    Of several modules only `exports` are visible.
    """
    machine = target_machine(triple, cpu, features, level)
    return _emitted(machine, optimised(texts, machine, level, vectorise, exports), bitcode)


def _emitted(machine: llvm.TargetMachine, module: llvm.ModuleRef, bitcode: bool) -> bytes:
    return module.as_bitcode() if bitcode else machine.emit_object(module)


@in_worker_thread
def assembly(
    text: str, triple: str, cpu: str, features: str, level: int, vectorise: bool, passes: int
) -> str:
    """Return the assembly text of the code that `object_code` compiles."""
    machine = target_machine(triple, cpu, features, level)
    return machine.emit_assembly(optimised([text], machine, passes, vectorise))


def optimised(
    texts: Sequence[str], machine: llvm.TargetMachine, level: int, vectorise: bool,
    exports: Sequence[str] = (),
) -> llvm.ModuleRef:  # fmt: skip
    """Return modules linked into one and optimised by LLVM, with the machine's data layout."""
    module, *others = map(llvm.parse_assembly, texts)
    if others:
        module.link_in(_joined(others))
        _hide(module, exports)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(level)
    options.loop_vectorization = vectorise
    options.slp_vectorization = False  # kernels are vectorised by their schedules
    builder = llvm.create_pass_builder(machine, options)
    if level == 1:
        _simplify(module, builder)
    else:
        builder.getModulePassManager().run(module, builder)
    return module


def _simplify(module: llvm.ModuleRef, builder: llvm.PassBuilder) -> None:
    """Run LLVM's passes of functions, without those that then repeat them for the module.

    The loops of kernels are the same as after all passes of level 1, in two thirds of the time.
    """
    inline = llvm.create_new_module_pass_manager()
    inline.add_always_inliner_pass()  # the functions of vector math …
    inline.add_global_dead_code_eliminate_pass()  # … that are not called otherwise
    inline.run(module, builder)
    simplify = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            simplify.run(function, builder)


def _joined(modules: Sequence[llvm.ModuleRef]) -> llvm.ModuleRef:
    """Return the modules linked pairwise, because LLVM rereads the destination each time."""
    while len(modules) > 1:
        for module, other in zip(modules[::2], modules[1::2], strict=False):
            module.link_in(other)
        modules = modules[::2]
    return modules[0]


def _hide(module: llvm.ModuleRef, exports: Sequence[str]) -> None:
    """Make all definitions of a module internal, except `exports`."""
    for each in (*module.functions, *module.global_variables):
        is_visible = each.linkage == llvm.Linkage.external and not each.is_declaration
        if is_visible and each.name not in exports:
            each.linkage = llvm.Linkage.internal


def serve() -> None:
    """Compile the requests on standard input until it ends: the main loop of a worker process.

    A request is the arguments of `object_code` in JSON; the answer is a `+` and the object, or a
    `-` and LLVM's error message.
    """
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError):
        while True:
            request = json.loads(receive(source))
            try:
                send(sink, b"+" + object_code(*request))
            except RuntimeError as error:
                send(sink, b"-" + str(error).encode())


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message, preceded by its length."""
    stream.write(struct.pack("<Q", len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """Read a message; raises EOFError at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    return stream.read(struct.unpack("<Q", head)[0])

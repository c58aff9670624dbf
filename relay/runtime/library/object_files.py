"""Produce the object files of a C library, including the weights of the model.

A program compiled for this process has an object for each kernel; a library adds one object. A
program for another machine is still bitcode: LLVM compiles all of it to one object, which exports
only the functions of the library.
"""

from collections.abc import Sequence
from pathlib import Path

import llvmlite.binding as llvm

from relay.runtime.host_compilation import runtime_platform, runtime_text
from relay.runtime.library.library_data import FUNCTIONS, MARK, library_text
from relay.runtime.library.undefined_symbols import needed
from relay.runtime.program import ObjectCode, Program
from relay.support.llvm_targets import target_machine
from relay.support.node import node, replace
from relay.support.worker_thread import in_worker_thread

PARALLEL_FOR = "relay_parallel_for"
THREADED = ("linux", "darwin", "macos")
"""The systems on which a library may use threads."""

LEVEL = 2  # of LLVM code generation; modules are already optimised

Piece = bytes | memoryview
"""A part of a file; memory-mapped weights are not copied."""


def offered(name: str) -> list[str]:
    """Return the symbols that a library with the prefix `name` exports."""
    return [f"{name}_{function}" for function in FUNCTIONS]


@node
class Objects:
    """The object files of a library, and the external functions that they call, if known."""

    paths: list[Path]
    needs: frozenset[str] | None


def write_objects(program: Program, name: str, folder: Path) -> Objects:
    """Write the object files of a library into a folder: one if the program is bitcode."""
    code = _library_object(program, name)
    paths = [folder / "library.o"]
    with paths[0].open("wb") as file:
        for piece in _filled(code, program):
            file.write(piece)
    native = [item.code for item in program.objects if not item.is_bitcode]
    for number, each in enumerate(native):
        paths.append(folder / f"{number}.o")
        paths[-1].write_bytes(each)
    return Objects(paths, needed(code, *native))


def is_whole(program: Program) -> bool:
    """Whether all code of a program is bitcode, so that LLVM can compile it to one object file."""
    return all(item.is_bitcode for item in program.objects)


@in_worker_thread
def assembled(program: Program) -> Program:
    """Return a program with its bitcode compiled to objects."""
    target = _target(program)
    objects = tuple(
        ObjectCode(item.symbol, target.emit_object(llvm.parse_bitcode(item.code)))
        if item.is_bitcode
        else item
        for item in program.objects
    )
    return replace(program, objects=objects)


@in_worker_thread
def _library_object(program: Program, name: str) -> bytes:
    """Return the object file with the library's functions and the program's bitcode."""
    target = _target(program)
    bitcode = [item.code for item in program.objects if item.is_bitcode]
    module = _parsed(library_text(program), target)
    for code in bitcode:
        module.link_in(llvm.parse_bitcode(code))
    for text in _runtime_texts(program):
        module.link_in(_parsed(text, target))
    for function in FUNCTIONS:
        module.get_function(f"relay_library_{function}").name = f"{name}_{function}"
    if is_whole(program):
        _hide(module, offered(name))
    return target.emit_object(module)


def _runtime_texts(program: Program) -> list[str]:
    """Return the LLVM texts of the C runtime that a library needs.

    They include a thread pool if the program has parallel loops and the system is supported.
    """
    platform = runtime_platform(program.machine.triple)
    is_known = any(system in program.machine.triple for system in THREADED)
    loops = ("library_pool", "pool") if is_known and _has_loops(program) else ("library_alone",)
    return [runtime_text(part, platform) for part in ("library", *loops)]


def _has_loops(program: Program) -> bool:
    """Whether a program has parallel loops; true if that is unknown."""
    for item in program.objects:
        if item.is_bitcode:
            names = {each.name for each in llvm.parse_bitcode(item.code).functions}
        else:
            names = needed(item.code)
        if names is None or PARALLEL_FOR in names:
            return True
    return False


def _parsed(text: str, target: llvm.TargetMachine) -> llvm.ModuleRef:
    module = llvm.parse_assembly(text)
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    return module


def _hide(module: llvm.ModuleRef, seen: Sequence[str]) -> None:
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.name not in seen:
            each.linkage = llvm.Linkage.internal


def _filled(code: bytes, program: Program) -> Sequence[Piece]:
    """Return the bytes of an object file in pieces, with weights in place of the reserved space."""
    weights = program.constants.block.data
    begin = code.index(MARK)
    room = max(weights.nbytes, len(MARK))
    return code[:begin], weights, bytes(room - weights.nbytes), code[begin + room :]


def _target(program: Program) -> llvm.TargetMachine:
    machine = program.machine
    return target_machine(machine.triple, machine.cpu, machine.features, LEVEL)

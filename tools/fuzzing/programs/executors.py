"""Check that all executors agree, at several levels of optimisation.

The evaluator defines the meaning of a program. The virtual machine, the native program and, without
control flow, the graph executor must return the same value, or report one of the program's traps.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from relay.build.code.interface_types import external_types_of, has_data
from relay.build.code.native_program import build_native_code
from relay.build.code.virtual_machine_code import build_virtual_code
from relay.build.compile import all_sizes_known
from relay.build.compile_straight_line import build_program
from relay.build.pipeline import pipeline
from relay.build.restore_result_type import with_promised_result
from relay.build.straight_line_program import is_straight_line, straight_line
from relay.ir.dims import DimVar
from relay.ir.equality import structural_equal
from relay.ir.expr import Constructor
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime.adt_executable import DataExecutable
from relay.runtime.code.check_code import check_code
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.program import Program as NativeProgram
from relay.runtime.virtual_machine_executable import VirtualDataExecutable, VirtualExecutable
from relay.semantics.evaluator_values import Data, Value
from relay.semantics.infer import infer
from relay.targets.cpu import this_cpu
from relay.targets.target import HostTarget
from relay.transform.pass_context import HIGHEST, PassContext
from relay.transform.run_passes import run_passes
from relay.transform.specialize_sizes import Specialize
from relay.transform.to_a_normal_form import ToANormalForm
from tools.fuzzing.programs.laws import Broken
from tools.fuzzing.programs.outcomes import Outcome, expected, outcome
from tools.fuzzing.programs.program import Program

LEVELS = tuple(range(HIGHEST + 1))
ENDS = (0, HIGHEST)
_LLVM_LEVEL = 2  # native programs use it from level 2 on


_Run: TypeAlias = Callable[..., Any]


def check_executors(program: Program, levels: Sequence[int] = ENDS) -> Outcome:
    """Raise `Broken` unless all executors are right; return the program's outcome.

    At the last level, calls may also be deferred and batched.
    """
    return check_runs(program.module, [program.inputs], levels)[0]


def check_runs(
    module: Module, runs: Sequence[Sequence[Value]], levels: Sequence[int] = ENDS
) -> list[Outcome]:
    """Raise `Broken` unless all executors are right for several inputs of the same sizes."""
    module = static(infer(module), runs[0])
    right = [expected(module, *each) for each in runs]
    target = this_cpu()
    done: list[tuple[Module, int]] = []
    for level, batch in [*((level, False) for level in levels), (levels[-1], True)]:
        optimised, _ = run_passes(module, pipeline(target, PassContext(level), batch=batch))
        if _is_known(optimised, level, done):
            continue
        done.append((optimised, level))
        how = f"level {level}{', with batches' if batch else ''}"
        for name, executable in executables(module, optimised, target, level):
            for inputs, wanted in zip(runs, right, strict=True):
                found = outcome(lambda run=executable, inputs=inputs: run(*inputs))
                if not wanted.allows(found, agrees):
                    law = f"{name} at {how} gives {found!r:.300}, not {wanted!r:.300}"
                    raise Broken(law, module)
    return [each.outcome for each in right]


def _is_known(module: Module, level: int, done: Sequence[tuple[Module, int]]) -> bool:
    """Whether an identical program was already compiled at a lower level."""
    hard = min(level, _LLVM_LEVEL)
    return any(hard == min(low, _LLVM_LEVEL) and structural_equal(module, m) for m, low in done)


def executables(
    module: Module, optimised: Module, target: HostTarget, level: int
) -> Iterator[tuple[str, _Run]]:
    """Yield the executables of a module of fused kernels, by name."""
    cache, options = _cache(), Options()
    normal = ToANormalForm()(with_promised_result(optimised, module))
    virtual = build_virtual_code(normal, target, options, cache)
    check_code(virtual.code)
    native = build_native_code(normal, target, options, cache, level=level)
    if has_data(module.main):
        yield "vm", VirtualDataExecutable(virtual, external_types_of(module), threads=1)
        yield "aot", DataExecutable(native, external_types_of(module), threads=1)
        return
    yield "vm", VirtualExecutable(virtual, threads=1)
    yield "aot", _native(native)
    if is_straight_line(optimised.main) and all_sizes_known(optimised.main):
        line = straight_line(optimised.main)
        yield "graph", _native(build_program(line, target, options, cache))


@functools.cache
def _cache() -> KernelCache:
    """Return this process's kernel cache: a new one would first scan the whole folder."""
    return KernelCache()


def _native(program: NativeProgram) -> NativeExecutable:
    return NativeExecutable(program, threads=1)


def agrees(found: Any, expected: Any) -> bool:
    """Whether a compiled program agrees with the evaluator up to rounding."""
    stack = [(found, expected)]
    while stack:
        a, b = stack.pop()
        name, parts = _taken_apart(b)
        if parts is None:
            if not _close(a, b):
                return False
        elif getattr(a, "constructor", None) != name or len(_fields(a)) != len(parts):
            return False
        else:
            stack.extend(zip(_fields(a), parts, strict=True))
    return True


def _taken_apart(expected: Value) -> tuple[str | None, Sequence[Value] | None]:
    """Return the constructor, if any, and the parts of a value; None for a tensor."""
    match expected:
        case Data(constructor, fields):
            return constructor.name, fields
        case Constructor(name):
            return name, ()
        case tuple():
            return None, expected
        case _:
            return None, None


def _fields(found: Any) -> Sequence[Any]:
    return cast(
        "Sequence[Any]", found if isinstance(found, tuple) else getattr(found, "fields", ())
    )


def _close(found: Any, expected: Any) -> bool:
    a, b = np.asarray(found), np.asarray(expected)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not np.issubdtype(b.dtype, np.inexact):
        return bool(np.array_equal(a, b))
    return bool(np.allclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True))


def static(module: Module, inputs: Sequence[Value]) -> Module:
    """Return a module whose `main` is specialised to the sizes of these inputs."""
    sizes: dict[str, int] = {}
    for param, given in zip(module.main.params, inputs, strict=True):
        sizes |= _sizes_in(param.type, given)
    return module.with_function("main", Specialize(tuple(sizes.items())).run(module.main))


def _sizes_in(ty: Type, given: Value) -> dict[str, int]:
    """Return the values of the symbolic dimensions of a type for a value."""
    if isinstance(ty, TensorType):
        pairs = zip(ty.shape, np.shape(cast("Any", given)), strict=True)
        return {dim.name: size for dim, size in pairs if isinstance(dim, DimVar)}
    found: dict[str, int] = {}
    if isinstance(ty, TupleType):
        for inner, part in zip(ty.fields, cast("tuple[Value, ...]", given), strict=True):
            found |= _sizes_in(inner, part)
    return found

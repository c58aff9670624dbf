"""Kernels that ask the reference evaluator: program code is tested without the operator compiler.

A kernel is native code that calls back into Python with its pointers and sizes.
"""

import ctypes
import traceback
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from relay.build.compile_kernels import CompiledKernel
from relay.build.kernel_sizes import dimensions
from relay.ir.dims import substitute
from relay.ir.expr import Function
from relay.ir.module import Module
from relay.ir.nested_tuples import leaf_types
from relay.ir.types import TensorType, Type
from relay.kernels.kernel_compiler import ObjectCode
from relay.kernels.llvm.codegen import object_code
from relay.semantics.evaluate import evaluate
from relay.support.node import replace
from relay.targets.target import HostTarget
from relay.transform.specialize_sizes import Specialize

_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_int64)
)
FAILED = 99


class ReferenceKernels:
    """A replacement of `native_program.compile_functions`; it must outlive what it compiles."""

    def __init__(self) -> None:
        self._callbacks: list[Any] = []

    def __call__(
        self, functions: Sequence[Function], target: HostTarget, *_: object
    ) -> list[CompiledKernel]:
        return [
            CompiledKernel(self._compiled(f, target), f"kernel{n}", {})
            for n, f in enumerate(functions)
        ]

    def _compiled(self, function: Function, target: HostTarget) -> ObjectCode:
        def run(pointers: Any, sizes: Any) -> int:
            try:
                _run(function, pointers, sizes)
            except Exception:  # noqa: BLE001 - an exception cannot pass through native code
                traceback.print_exc()
                return FAILED
            return 0

        callback = _CALLBACK(run)
        self._callbacks.append(callback)
        address = ctypes.cast(callback, ctypes.c_void_p).value
        symbol = f"reference{len(self._callbacks)}"
        pointers = len(function.params) + len(list(leaf_types(function.body.type)))
        text = "\n".join(_forwarding(symbol, address or 0, pointers, len(dimensions(function))))
        m = target.machine
        return ObjectCode(symbol, object_code(text, m.triple, m.cpu, m.features, 0, False))


def _run(function: Function, pointers: Any, numbers: Any) -> None:
    sizes = {var: numbers[i] for i, var in enumerate(dimensions(function))}
    names = tuple((var.name, size) for var, size in sizes.items())
    static = replace(Specialize(names).run(function), attrs={})
    count = len(function.params)
    inputs = [_array(p.type, pointers[i]).copy() for i, p in enumerate(static.params)]
    found = evaluate(Module({"main": static}), *inputs)
    results = found if isinstance(found, tuple) else (found,)
    declared = list(leaf_types(function.body.type))
    for i, (ty, result) in enumerate(zip(declared, results, strict=True)):
        assert isinstance(ty, TensorType), "kernels give tensors"
        shape = tuple(substitute(dim, sizes) for dim in ty.shape)
        _array(TensorType(shape, ty.dtype), pointers[count + i])[...] = result


def _array(ty: Type, start: int) -> Any:
    assert isinstance(ty, TensorType), "kernels take tensors"
    nbytes = int(np.prod(ty.static_shape, dtype=np.int64)) * ty.dtype.itemsize
    raw: Any = (ctypes.c_char * nbytes).from_address(start)
    return np.frombuffer(raw, ty.dtype.numpy).reshape(ty.static_shape)


def _forwarding(symbol: str, callback: int, pointers: int, sizes: int) -> Iterator[str]:
    listed = [f"ptr %p{i}" for i in range(pointers)] + [f"i64 %s{i}" for i in range(sizes)]
    yield f"define i32 @{symbol}({', '.join([*listed, 'ptr %workspace'])}) {{"
    yield f"  %pointers = alloca [{pointers + 1} x ptr]"
    yield f"  %sizes = alloca [{sizes + 1} x i64]"
    for name, ty, table, count in (
        ("p", "ptr", "pointers", pointers),
        ("s", "i64", "sizes", sizes),
    ):
        for i in range(count):
            yield f"  %{name}at{i} = getelementptr {ty}, ptr %{table}, i64 {i}"
            yield f"  store {ty} %{name}{i}, ptr %{name}at{i}"
    yield f"  %function = inttoptr i64 {callback} to ptr"
    yield "  %status = call i32 %function(ptr %pointers, ptr %sizes)"
    yield "  ret i32 %status"
    yield "}"

"""Executes object code in this process on one thread, for tests and constant folding.

`relay.runtime` loads artefacts; this engine takes objects directly from the compiler.
"""

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.codegen import object_code
from relay.kernels.llvm.object_code import ObjectCode, objects
from relay.kernels.loops import Buffer, Kernel
from relay.kernels.scalar import Const
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.kernel_error_record import quiet_record
from relay.support.linking import linked

_ALIGN = 64
_WORKERS = 2
# In two parts, the second one first: a kernel that depends on how threads share a loop is wrong.
# Each is the part of another worker, so that the workers' slices of the workspace may not overlap.
_SERIAL_FOR = """
define i32 @relay_parallel_for(ptr %body, ptr %closure, i64 %n, i64, i32, ptr) {
  %half = sdiv i64 %n, 2
  call void %body(ptr %closure, i64 %half, i64 %n, i64 1)
  call void %body(ptr %closure, i64 0, i64 %half, i64 0)
  ret i32 0
}
"""

Array = np.ndarray[Any, np.dtype[Any]]
Native = Callable[..., None]


class Engine:
    """Object code that is linked into this process; the functions returned keep it alive.

    External symbols are resolved in the C and mathematics libraries of this process; a parallel
    loop runs on the calling thread.
    """

    def __init__(self, kernels: Sequence[ObjectCode]) -> None:
        distinct = {code.symbol: code for code in kernels}
        measured = [symbol for symbol, code in distinct.items() if code.workspace_bytes(1) is None]
        symbols = [*distinct, *(f"{symbol}.workspace" for symbol in measured)]
        codes = [_serial_for(), *objects(distinct.values()).values()]
        self._library = linked("kernels", codes, symbols)

    def function(self, kernel: Kernel, code: ObjectCode) -> Native:
        """Return a kernel as a Python function of NumPy arrays and its scalars.

        It raises `C004` if an array does not have the dtype, the shape or the layout of its
        parameter.
        """
        pointers = [ctypes.c_void_p] * len(kernel.params)
        numbers = [ctypes.c_int64] * len(kernel.scalars)
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *numbers, ctypes.c_void_p)
        native = prototype(self._library[code.symbol])
        count = len(kernel.params)

        def call(*arguments: Any) -> None:
            scalars = [int(number) for number in arguments[count:]]
            addresses = [
                _address(buffer, array)
                for buffer, array in zip(kernel.params, arguments[:count], strict=True)
            ]
            room = self._workspace(code, scalars)
            status = native(*addresses, *scalars, room.ctypes.data)
            assert status == 0, "kernels do not trap"

        return call

    def _workspace(self, code: ObjectCode, scalars: Sequence[int]) -> Array:
        """Return aligned memory for a call of a kernel by the workers."""
        size = code.workspace_bytes(_WORKERS)
        if size is None:
            arguments = [ctypes.c_int64] * (len(scalars) + 1)
            measure = ctypes.CFUNCTYPE(ctypes.c_int64, *arguments)
            size = measure(self._library[f"{code.symbol}.workspace"])(*scalars, _WORKERS)
        memory = np.empty(size + _ALIGN, np.uint8)
        workspace = memory[-memory.ctypes.data % _ALIGN :]
        quiet_record(workspace.ctypes.data, size)
        return workspace


@functools.cache
def _serial_for() -> bytes:
    """Return the object code of loops that run on the calling thread."""
    host = CpuModel.host()
    return object_code(_SERIAL_FOR, host.triple, host.cpu, host.features, 0, vectorise=False)


def _address(buffer: Buffer, array: Array) -> int:
    """Return the address of an array's data; raises `C004` if it does not fit the parameter."""
    expected = buffer.dtype.numpy
    shape = [size.value if isinstance(size, Const) else size for size in buffer.shape]
    fits = len(shape) == array.ndim and all(
        not isinstance(size, int) or size == given
        for size, given in zip(shape, array.shape, strict=True)
    )
    if array.dtype != expected:
        raise _mismatch(buffer, f"has dtype {array.dtype}, but must have {expected}")
    if not fits:
        raise _mismatch(buffer, f"has shape {array.shape}, but must have {tuple(shape)}")
    if not array.flags.c_contiguous:
        raise _mismatch(buffer, "is not contiguous in row-major order")
    return array.ctypes.data


def _mismatch(buffer: Buffer, what: str) -> CompileError:
    message = f"the array for '{buffer.name}' {what}"
    return CompileError(
        ErrorCode.C004, message, help="pass an array that has the type and shape of the parameter"
    )

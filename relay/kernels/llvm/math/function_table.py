"""The table of elementary functions, with the implementation of each for each element type.

All functions of float32, and exp, log, sigmoid, tanh, sinh and cosh of float64, are our own
polynomials; the other functions of float64 call the C library, lane by lane.
"""

from collections.abc import Callable, Sequence

from relay.kernels.llvm.emitter_context import Context, Options
from relay.kernels.llvm.llvm_writer import FunctionWriter, Operand, suffix
from relay.kernels.llvm.math import exponential, inverse_trigonometry, logarithm, trigonometry
from relay.kernels.llvm.math.error_function import erf
from relay.kernels.llvm.math.number_emitter import Number
from relay.kernels.llvm.math.power import power
from relay.kernels.llvm.math.trigonometry import lane_by_lane
from relay.kernels.scalar import Fn
from relay.support.dtype import DType

_Formula = Callable[..., Number]

_DOUBLE: dict[Fn, _Formula] = {
    Fn.EXP: exponential.exp,
    Fn.SIGMOID: exponential.sigmoid,
    Fn.TANH: exponential.tanh,
    Fn.SINH: exponential.sinh,
    Fn.COSH: exponential.cosh,
    Fn.LOG: logarithm.log,
}
_SINGLE: dict[Fn, _Formula] = {
    **_DOUBLE,
    Fn.LOG2: logarithm.log2,
    Fn.LOG10: logarithm.log10,
    Fn.ASINH: logarithm.asinh,
    Fn.ACOSH: logarithm.acosh,
    Fn.ATANH: logarithm.atanh,
    Fn.SIN: trigonometry.sin,
    Fn.COS: trigonometry.cos,
    Fn.TAN: trigonometry.tan,
    Fn.ASIN: inverse_trigonometry.asin,
    Fn.ACOS: inverse_trigonometry.acos,
    Fn.ATAN: inverse_trigonometry.atan,
    Fn.ATAN2: inverse_trigonometry.atan2,
    Fn.ERF: erf,
    Fn.POW: power,
}


def is_ours(fn: Fn, dtype: DType) -> bool:
    """Whether a function of a dtype is implemented here, without the C library."""
    return fn in (_SINGLE if dtype.bits == 32 else _DOUBLE)


def elementary(ctx: Context, fn: Fn, args: Sequence[Operand], dtype: DType) -> Operand:
    """Emit `fn(args…)` for operands of a float dtype, as a call of a function of the module."""
    ty = args[0].ty
    name = f"relay.{fn.value}.{suffix(ty)}"

    def build(attributes: str) -> str:
        parameters = ", ".join(f"{ty} %x{i}" for i in range(len(args)))
        signature = f"define internal {ty} @{name}({parameters}) {attributes}"
        w = FunctionWriter(ctx.module, name, signature)
        inner = Context(ctx.module, w, ctx.machine, Options())
        numbers = [Number(inner, Operand(ty, f"%x{i}"), dtype) for i in range(len(args))]
        w.do(f"ret {_formula(fn, numbers, dtype)}")
        return w.finish()

    ctx.module.call_inlined(name, build)
    return ctx.w.invoke(ty, name, args)


def _formula(fn: Fn, numbers: Sequence[Number], dtype: DType) -> Operand:
    if is_ours(fn, dtype):
        return (_SINGLE if dtype.bits == 32 else _DOUBLE)[fn](*numbers).operand
    return lane_by_lane(numbers[0], fn.value, *numbers[1:])

"""LLVM text of the check for stack overflow at the start of recursive functions.

Native programs compare an address with the stack limit. WebAssembly has a stack in memory, whose
limit the linker knows, and a call stack, which a program cannot inspect: functions count an
estimate of their use of it when they begin and end.
"""

from relay.build.code.llvm_function_writer import FunctionWriter, slot_types

_LIMIT = 2
"""The context field with the stack limit, or with the remaining bytes of the call stack."""

_LEFT = 8 << 10
"""The bytes of the stack in memory reserved for kernels, which do not check."""

_CALL = 80
_VALUE = 8
"""The estimated bytes of a call and of each of its values. V8, of Node 20, was measured to take 90
to 180 bytes a call for functions of 4 to 16 values, with each of its compilers."""


def enter(to: FunctionWriter) -> None:
    """Write the check at the start of a recursive function that the stack does not overflow."""
    if to.counts_stack:
        _stop_below(to, f"getelementptr (i8, ptr @__stack_low, i64 {_LEFT})")
        left = to.load("i32", to.context(_LIMIT))
        cost = _cost(to)
        to.trap_if(to.value(f"icmp ult i32 {left}, {cost}"), to.function.exhausted)
        to.put(f"store i32 {to.value(f'sub i32 {left}, {cost}')}, ptr {to.context(_LIMIT)}")
    else:
        _stop_below(to, to.load("ptr", to.context(_LIMIT)))


def leave(to: FunctionWriter) -> None:
    """Write code that adds back the bytes that `enter` subtracted, before a return or tail call."""
    if to.counts_stack and to.index in to.graph.recursive:
        left = to.load("i32", to.context(_LIMIT))
        more = to.value(f"add i32 {left}, {_cost(to)}")
        to.put(f"store i32 {more}, ptr {to.context(_LIMIT)}")


def _stop_below(to: FunctionWriter, limit: str) -> None:
    here = to.value("call ptr @llvm.frameaddress.p0(i32 0)")
    to.trap_if(to.value(f"icmp ult ptr {here}, {limit}"), to.function.exhausted)


def _cost(to: FunctionWriter) -> int:
    """Return an upper bound of the call-stack bytes that a call takes in WebAssembly."""
    return _CALL + _VALUE * sum(len(slot_types(kind)) for kind in to.function.kinds)

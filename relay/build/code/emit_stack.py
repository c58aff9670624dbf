"""LLVM text for the check that the stack is not exhausted.

Where a program sees its stack, an address says so. WebAssembly has one stack for what is in memory,
whose end the linker knows, and another for calls, which a program cannot see: what functions may
take of that is counted when they begin and end.
"""

from relay.build.code.function_writer import FunctionWriter, slot_types

_LIMIT = 2
"""The field of the context with the lowest address, or with the bytes that are left."""

_LEFT = 8 << 10
"""Of the stack in memory for kernels, which do not look."""

_CALL = 80
_VALUE = 8
"""What a call takes that holds nothing, and each value in it. V8, of Node 20, was seen to take 90
to 180 bytes a call for functions of 4 to 16 values, whichever of its compilers had made them."""


def enter(to: FunctionWriter) -> None:
    """Stop a function of a circle before the stack is used up."""
    if to.counts_stack:
        _stop_below(to, f"getelementptr (i8, ptr @__stack_low, i64 {_LEFT})")
        left = to.load("i32", to.context(_LIMIT))
        cost = _cost(to)
        to.trap_if(to.value(f"icmp ult i32 {left}, {cost}"), to.function.exhausted)
        to.put(f"store i32 {to.value(f'sub i32 {left}, {cost}')}, ptr {to.context(_LIMIT)}")
    else:
        _stop_below(to, to.load("ptr", to.context(_LIMIT)))


def leave(to: FunctionWriter) -> None:
    """Give back what `enter` counted, before a function of a circle ends well or calls its last."""
    if to.counts_stack and to.index in to.graph.recursive:
        left = to.load("i32", to.context(_LIMIT))
        more = to.value(f"add i32 {left}, {_cost(to)}")
        to.put(f"store i32 {more}, ptr {to.context(_LIMIT)}")


def _stop_below(to: FunctionWriter, limit: str) -> None:
    here = to.value("call ptr @llvm.frameaddress.p0(i32 0)")
    to.trap_if(to.value(f"icmp ult ptr {here}, {limit}"), to.function.exhausted)


def _cost(to: FunctionWriter) -> int:
    """Return what a call of the function takes of the engine's stack, at most."""
    return _CALL + _VALUE * sum(len(slot_types(kind)) for kind in to.function.kinds)

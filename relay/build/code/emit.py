"""Program code to LLVM: the whole program becomes native, with nothing interpreted.

Every function is `i32 name(ptr context, parameter…, ptr result…)`. A tensor is two pointers, its
elements and the block that owns them; an object is one. Zero is success, anything else the number
of a trap, which every caller passes on. What a register holds lies in a stack slot that LLVM turns
into machine registers.
"""

from collections.abc import Iterator

from relay.build.code.calls import call_graph
from relay.build.code.emit_function import function_text
from relay.build.code.function_writer import Children, function_name, slot_types
from relay.build.code.native_text import support_text
from relay.kernels.llvm.types import memory_type
from relay.kernels.machine import Machine
from relay.runtime.code.function import Code
from relay.runtime.code.kinds import Kind, Object, Scalar, Tensor


def program_text(code: Code, machine: Machine) -> str:
    """Return the LLVM text of a program: its functions, its heap and its entry, `relay_run`."""
    parts = [f'target triple = "{machine.triple}"', *_kernel_declarations(code)]
    graph = call_graph(code.functions)
    children = Children()
    indices = range(len(code.functions))
    parts += [function_text(code, index, graph, children) for index in indices]
    parts += ["\n".join(_children(offsets, name)) for offsets, name in children.names.items()]
    parts += ["\n".join(_border(code)), support_text(machine, keep=_keeps_heap(code))]
    return "\n".join(parts)


def _keeps_heap(code: Code) -> bool:
    """Whether results are values on the heap."""
    return any(isinstance(kind, Object) for kind in code.functions[0].results)


def _kernel_declarations(code: Code) -> Iterator[str]:
    for symbol, use in {use.symbol: use for use in code.kernels}.items():
        count = use.inputs + use.outputs + 1
        yield f"declare i32 @{symbol}({', '.join(['ptr'] * count)})"


def _children(offsets: tuple[int, ...], name: str) -> Iterator[str]:
    """Write the function that gives up what a block of one layout refers to."""
    yield f"define internal void @{name}(ptr %ctx, ptr %block) {{"
    for number, offset in enumerate(offsets):
        yield f"  %a{number} = getelementptr i8, ptr %block, i64 {offset}"
        yield f"  %p{number} = load ptr, ptr %a{number}"
        yield f"  call void @relay_release(ptr %ctx, ptr %p{number})"
    yield from ("  ret void", "}")


def _border(code: Code) -> Iterator[str]:
    """Write the function that passes inputs to the entry and copies its results out."""
    entry = code.functions[0]
    yield "define internal i32 @relay_border(ptr %ctx, ptr %inputs, ptr %outputs) noinline {"
    arguments = ["ptr %ctx"]
    for index, kind in enumerate(entry.kinds[: entry.parameters]):
        yield from _pointer(f"%in{index}", "%inputs", index)
        if isinstance(kind, Scalar):
            yield f"  %value{index} = load {memory_type(kind.dtype)}, ptr %in{index}"
            arguments.append(f"{memory_type(kind.dtype)} %value{index}")
        elif isinstance(kind, Tensor):
            arguments += [f"ptr %in{index}", "ptr null"]  # its elements belong to the caller
        else:
            yield f"  %value{index} = load ptr, ptr %in{index}"  # an image, which nobody frees
            arguments.append(f"ptr %value{index}")
    for index, kind in enumerate(entry.results):
        for part, ty in enumerate(slot_types(kind)):
            yield f"  %r{index}.{part} = alloca {ty}"
            arguments.append(f"ptr %r{index}.{part}")
    name = function_name(entry, 0)
    yield f"  %status = call tailcc i32 {name}({', '.join(arguments)})"
    yield "  %good = icmp eq i32 %status, 0"
    yield "  br i1 %good, label %copy, label %end"
    yield "copy:"
    for index, kind in enumerate(entry.results):
        yield from _result(index, kind)
    yield from ("  br label %end", "end:", "  ret i32 %status", "}")


def _pointer(name: str, table: str, index: int) -> Iterator[str]:
    yield f"  {name}at = getelementptr ptr, ptr {table}, i64 {index}"
    yield f"  {name} = load ptr, ptr {name}at"


def _result(index: int, kind: Kind) -> Iterator[str]:
    """Copy a result to where the caller wants it, and give up the reference to it."""
    yield from _pointer(f"%out{index}", "%outputs", index)
    if not isinstance(kind, Tensor):
        (ty,) = slot_types(kind)
        yield f"  %result{index} = load {ty}, ptr %r{index}.0"
        yield f"  store {ty} %result{index}, ptr %out{index}"
        return
    yield f"  %from{index} = load ptr, ptr %r{index}.0"
    yield f"  %owner{index} = load ptr, ptr %r{index}.1"
    pointers = f"ptr %out{index}, ptr %from{index}"
    yield f"  call void @llvm.memcpy.p0.p0.i64({pointers}, i64 {kind.nbytes}, i1 false)"
    yield f"  call void @relay_release(ptr %ctx, ptr %owner{index})"

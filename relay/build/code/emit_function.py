"""One function of program code as LLVM text."""

from collections.abc import Iterable, Sequence
from functools import singledispatchmethod

from relay.build.code.calls import CallGraph
from relay.build.code.heap import size_class
from relay.kernels.llvm.types import memory_type
from relay.runtime.code import instructions as code
from relay.runtime.code.function import Code, CodeFunction
from relay.runtime.code.kinds import (
    DATA_OFFSET,
    Kind,
    Layout,
    Scalar,
    Tensor,
)
from relay.runtime.code.traps import NO_MEMORY, STACK_EXHAUSTED

_TAGS = 4096  # pointers below are no blocks, but the tags of constructors without fields


def function_name(function: CodeFunction, index: int) -> str:
    """Return the symbol of a function: its name, for whoever reads the code, and its number."""
    return f'@"{function.name}.{index}"'


def slot_types(kind: Kind) -> tuple[str, ...]:
    """Return the LLVM types of what a register holds."""
    match kind:
        case Scalar(dtype):
            return (memory_type(dtype),)
        case Tensor():
            return ("ptr", "ptr")
        case _:
            return ("ptr",)


class Children:
    """The functions that give up what a block refers to: one for each set of places."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, ...], str] = {}

    def of(self, layout: Layout) -> str:
        """Return the symbol for blocks of a layout, `null` where they refer to nothing."""
        if not layout.counted:
            return "null"
        return "@" + self.names.setdefault(layout.counted, f"children{len(self.names)}")


class FunctionEmitter:
    """Writes one function; each register has a slot, and a tensor a second one for its owner."""

    def __init__(self, program: Code, index: int, graph: CallGraph, children: Children) -> None:
        self._program = program
        self._index = index
        self._function = program.functions[index]
        self._graph = graph
        self._children = children
        self._head: list[str] = []
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        """Return the definition of the function."""
        self._slots()
        if self._index in self._graph.recursive:
            self._check_stack()
        self._put("br label %b0")
        for number, block in enumerate(self._function.blocks):
            self._label(f"b{number}")
            for instruction in (*block.body, block.end):
                self._emit(instruction)
        return "\n".join([self._signature(), "entry:", *self._head, *self._lines, "}"])

    # ---- frame ------------------------------------------------------------------------------

    def _signature(self) -> str:
        function = self._function
        listed = ["ptr %ctx"]
        for register, kind in enumerate(function.kinds[: function.parameters]):
            listed += [f"{ty} %a{register}.{part}" for part, ty in enumerate(slot_types(kind))]
        for index, kind in enumerate(function.results):
            listed += [f"ptr %r{index}.{part}" for part in range(len(slot_types(kind)))]
        name = function_name(function, self._index)
        return f"define internal tailcc i32 {name}({', '.join(listed)}) nounwind {{"

    def _slots(self) -> None:
        function = self._function
        for register, kind in enumerate(function.kinds):
            for part, ty in enumerate(slot_types(kind)):
                self._head.append(f"  {_slot(register, part)} = alloca {ty}")
                if register < function.parameters:
                    given = f"{ty} %a{register}.{part}"
                    self._head.append(f"  store {given}, ptr {_slot(register, part)}")
            if register in function.frame and isinstance(kind, Tensor):
                self._head.append(f"  %f{register} = alloca [{kind.nbytes} x i8], align 64")
                self._head.append(f"  store ptr %f{register}, ptr {_slot(register, 0)}")
                self._head.append(f"  store ptr null, ptr {_slot(register, 1)}")

    def _check_stack(self) -> None:
        """Stop before the native stack is used up."""
        here = self._value("call ptr @llvm.frameaddress.p0(i32 0)")
        limit = self._load("ptr", self._context(2))
        self._trap_if(self._value(f"icmp ult ptr {here}, {limit}"), STACK_EXHAUSTED)

    # ---- instructions -----------------------------------------------------------------------

    @singledispatchmethod
    def _emit(self, instruction: code.Instruction) -> None:
        raise AssertionError(f"no native form of {instruction!r}")

    @_emit.register
    def _load_constant(self, instruction: code.LoadConstant) -> None:
        entry = self._program.constants.table[instruction.constant]
        place = self._at(self._load("ptr", self._context(0)), entry.offset)
        kind = self._kind(instruction.to)
        if isinstance(kind, Scalar):
            place = self._load(memory_type(kind.dtype), place)
        self._set(instruction.to, (place, "null")[: len(slot_types(kind))])

    @_emit.register
    def _move(self, instruction: code.Move) -> None:
        self._set(instruction.to, self._get(instruction.source))

    @_emit.register
    def _run_kernel(self, instruction: code.RunKernel) -> None:
        for register in instruction.outputs:
            if register not in self._function.frame:
                self._make_room(register)
        pointers = [self._elements(r) for r in (*instruction.inputs, *instruction.outputs)]
        pointers.append(self._load("ptr", self._context(1)))
        symbol = self._program.kernels[instruction.kernel].symbol
        self._guarded(f"call i32 @{symbol}({', '.join(f'ptr {p}' for p in pointers)})")

    def _make_room(self, register: int) -> None:
        kind = self._kind(register)
        if isinstance(kind, Tensor):
            block = self._allocate(DATA_OFFSET + kind.nbytes, 0, "null")
            self._set(register, (self._at(block, DATA_OFFSET), block))

    def _elements(self, register: int) -> str:
        """Return where a kernel finds what a register holds, or puts it."""
        if isinstance(self._kind(register), Scalar):
            return _slot(register, 0)
        return self._get(register)[0]

    @_emit.register
    def _construct(self, instruction: code.Construct) -> None:
        if not instruction.fields:
            tag = self._value(f"inttoptr i64 {instruction.tag} to ptr")
            self._set(instruction.to, (tag,))
            return
        layout = Layout(tuple(map(self._kind, instruction.fields)))
        block = self._allocate(layout.nbytes, instruction.tag, self._children.of(layout))
        self._fill(block, layout, instruction.fields)
        self._set(instruction.to, (block,))

    @_emit.register
    def _close(self, instruction: code.Close) -> None:
        kinds = map(self._kind, instruction.captured)
        layout = Layout(tuple(kinds))
        block = self._allocate(layout.nbytes, 0, self._children.of(layout))
        self._fill(block, layout, instruction.captured)
        name = function_name(self._program.functions[instruction.function], instruction.function)
        self._put(f"store ptr {name}, ptr {self._at(block, _CODE_OFFSET)}")
        self._set(instruction.to, (block,))

    def _fill(self, block: str, layout: Layout, registers: Sequence[int]) -> None:
        for register, offset in zip(registers, layout.offsets, strict=True):
            self._write_field(self._at(block, offset), register)

    def _write_field(self, place: str, register: int) -> None:
        types = slot_types(self._kind(register))
        for part, (ty, found) in enumerate(zip(types, self._get(register), strict=True)):
            self._put(f"store {ty} {found}, ptr {self._at(place, 8 * part)}")

    def _read_field(self, place: str, kind: Kind) -> list[str]:
        types = enumerate(slot_types(kind))
        return [self._load(ty, self._at(place, 8 * part)) for part, ty in types]

    @_emit.register
    def _load_field(self, instruction: code.LoadField) -> None:
        layout, index = instruction.layout, instruction.index
        (block,) = self._get(instruction.source)
        found = self._read_field(self._at(block, layout.offsets[index]), layout.kinds[index])
        if not isinstance(layout.kinds[index], Scalar):
            self._put(f"call void @relay_retain(ptr {found[-1]})")
        self._set(instruction.to, found)

    @_emit.register
    def _store_field(self, instruction: code.StoreField) -> None:
        layout, index = instruction.layout, instruction.index
        (block,) = self._get(instruction.target)
        place = self._at(block, layout.offsets[index])
        old = self._read_field(place, layout.kinds[index])
        self._write_field(place, instruction.value)
        if not isinstance(layout.kinds[index], Scalar):
            self._put(f"call void @relay_release(ptr %ctx, ptr {old[-1]})")

    @_emit.register
    def _retain(self, instruction: code.Retain) -> None:
        self._put(f"call void @relay_retain(ptr {self._get(instruction.register)[-1]})")

    @_emit.register
    def _release(self, instruction: code.Release) -> None:
        owner = self._get(instruction.register)[-1]
        self._put(f"call void @relay_release(ptr %ctx, ptr {owner})")

    # ---- calls ------------------------------------------------------------------------------

    @_emit.register
    def _call_function(self, instruction: code.CallFunction) -> None:
        callee = self._program.functions[instruction.function]
        name = function_name(callee, instruction.function)
        args = [*self._arguments(instruction.args), *self._places(instruction.results)]
        self._guarded(f"call tailcc i32 {name}({', '.join(args)})")

    @_emit.register
    def _call_closure(self, instruction: code.CallClosure) -> None:
        (block,) = self._get(instruction.closure)
        function = self._load("ptr", self._at(block, _CODE_OFFSET))
        registers = (instruction.closure, *instruction.args)
        args = [*self._arguments(registers), *self._places(instruction.results)]
        self._guarded(f"call tailcc i32 {function}({', '.join(args)})")

    @_emit.register
    def _tail_call(self, instruction: code.TailCall) -> None:
        callee = self._program.functions[instruction.function]
        name = function_name(callee, instruction.function)
        parts = [
            f"ptr %r{index}.{part}"
            for index, kind in enumerate(self._function.results)
            for part in range(len(slot_types(kind)))
        ]
        args = ", ".join([*self._arguments(instruction.args), *parts])
        circular = self._graph.in_one_circle(self._index, instruction.function)
        must = "musttail" if circular and not self._function.frame else "tail"
        self._put(f"ret i32 {self._value(f'{must} call tailcc i32 {name}({args})')}")

    def _arguments(self, registers: Iterable[int]) -> list[str]:
        found = ["ptr %ctx"]
        for register in registers:
            types = slot_types(self._kind(register))
            found += [f"{ty} {v}" for ty, v in zip(types, self._get(register), strict=True)]
        return found

    def _places(self, registers: Iterable[int]) -> list[str]:
        """Return the slots that a callee writes its results to."""
        return [
            f"ptr {_slot(register, part)}"
            for register in registers
            for part in range(len(slot_types(self._kind(register))))
        ]

    # ---- terminators ------------------------------------------------------------------------

    @_emit.register
    def _jump(self, instruction: code.Jump) -> None:
        moved = [self._get(register) for register in instruction.source]
        for register, found in zip(instruction.to, moved, strict=True):
            self._set(register, found)
        self._put(f"br label %b{instruction.block}")

    @_emit.register
    def _branch(self, instruction: code.Branch) -> None:
        (condition,) = self._get(instruction.condition)
        bit = self._value(f"icmp ne i8 {condition}, 0")
        self._put(f"br i1 {bit}, label %b{instruction.then}, label %b{instruction.other}")

    @_emit.register
    def _switch(self, instruction: code.Switch) -> None:
        (source,) = self._get(instruction.source)
        tag = self._tag(source)
        cases = " ".join(f"i64 {value}, label %b{block}" for value, block in instruction.cases)
        self._put(f"switch i64 {tag}, label %b{instruction.default} [ {cases} ]")

    def _tag(self, source: str) -> str:
        """Return the tag of a value: itself if it is no block, else what the block says."""
        number = self._value(f"ptrtoint ptr {source} to i64")
        small = self._value(f"icmp ult i64 {number}, {_TAGS}")
        begin, block, end = (self._fresh("t") for _ in range(3))
        self._put(f"br label %{begin}")
        self._label(begin)
        self._put(f"br i1 {small}, label %{end}, label %{block}")
        self._label(block)
        short = self._load("i16", self._at(source, _TAG_OFFSET))
        long = self._value(f"zext i16 {short} to i64")
        self._put(f"br label %{end}")
        self._label(end)
        return self._value(f"phi i64 [ {number}, %{begin} ], [ {long}, %{block} ]")

    @_emit.register
    def _return(self, instruction: code.Return) -> None:
        for index, register in enumerate(instruction.values):
            types = slot_types(self._kind(register))
            for part, (ty, v) in enumerate(zip(types, self._get(register), strict=True)):
                self._put(f"store {ty} {v}, ptr %r{index}.{part}")
        self._put("ret i32 0")

    @_emit.register
    def _trap(self, instruction: code.Trap) -> None:
        self._put(f"ret i32 {instruction.code}")

    # ---- writing ----------------------------------------------------------------------------

    def _kind(self, register: int) -> Kind:
        return self._function.kinds[register]

    def _get(self, register: int) -> list[str]:
        types = enumerate(slot_types(self._kind(register)))
        return [self._load(ty, _slot(register, part)) for part, ty in types]

    def _set(self, register: int, values: Sequence[str]) -> None:
        types = slot_types(self._kind(register))
        for part, (ty, v) in enumerate(zip(types, values, strict=True)):
            self._put(f"store {ty} {v}, ptr {_slot(register, part)}")

    def _allocate(self, nbytes: int, tag: int, children: str) -> str:
        number, size = size_class(nbytes)
        block = self._value(
            f"call ptr @relay_allocate(ptr %ctx, i64 {number}, i64 {size}, i16 {tag}, "
            f"ptr {children})"
        )
        self._trap_if(self._value(f"icmp eq ptr {block}, null"), NO_MEMORY)
        return block

    def _guarded(self, call: str) -> None:
        """Make a call and pass its trap on."""
        status = self._value(call)
        bad = self._value(f"icmp ne i32 {status}, 0")
        self._leave_if(bad, status)

    def _trap_if(self, condition: str, trap: int) -> None:
        self._leave_if(condition, str(trap))

    def _leave_if(self, condition: str, status: str) -> None:
        leave, stay = self._fresh("t"), self._fresh("t")
        self._put(f"br i1 {condition}, label %{leave}, label %{stay}, !prof !0")
        self._label(leave)
        self._put(f"ret i32 {status}")
        self._label(stay)

    def _context(self, index: int) -> str:
        return self._value(f"getelementptr ptr, ptr %ctx, i64 {index}")

    def _at(self, pointer: str, offset: int) -> str:
        return self._value(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def _load(self, ty: str, place: str) -> str:
        return self._value(f"load {ty}, ptr {place}")

    def _value(self, text: str) -> str:
        name = f"%{self._fresh('v')}"
        self._lines.append(f"  {name} = {text}")
        return name

    def _fresh(self, hint: str) -> str:
        self._count += 1
        return f"{hint}{self._count}"

    def _put(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def _label(self, name: str) -> None:
        self._lines.append(f"{name}:")


def _slot(register: int, part: int) -> str:
    return f"%s{register}.{part}"


_TAG_OFFSET = 6
_CODE_OFFSET = 16  # of a closure: the last pointer of the header, which only free blocks use

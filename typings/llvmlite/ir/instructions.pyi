from collections.abc import Sequence

from .module import Module
from .types import FunctionType, Type
from .values import AttributeSet, Block, Constant, Function, NamedValue, Value, _HasMetadata

class Instruction(NamedValue, _HasMetadata):
    parent: Block
    opname: str
    operands: Sequence[Value]
    flags: list[str]
    @property
    def function(self) -> Function: ...
    @property
    def module(self) -> Module: ...
    def replace_usage(self, old: Value, new: Value) -> None: ...

class CallInstr(Instruction):
    cconv: str | None
    tail: str
    fastmath: AttributeSet
    attributes: AttributeSet
    callee: Value
    @property
    def args(self) -> Sequence[Value]: ...

class Terminator(Instruction): ...

class _Predictable:
    def set_weights(self, weights: Sequence[int]) -> None: ...

class Ret(Terminator): ...
class Branch(Terminator): ...
class ConditionalBranch(_Predictable, Terminator): ...

class IndirectBranch(_Predictable, Terminator):
    destinations: list[Block]
    def add_destination(self, block: Block) -> None: ...

class SwitchInstr(_Predictable, Terminator):
    default: Block
    cases: list[tuple[Constant, Block]]
    def add_case(self, val: Constant | int, block: Block) -> None: ...

class SelectInstr(Instruction): ...
class CompareInstr(Instruction): ...
class ICMPInstr(CompareInstr): ...
class FCMPInstr(CompareInstr): ...
class CastInstr(Instruction): ...

class LoadInstr(Instruction):
    align: int | None

class StoreInstr(Instruction):
    align: int | None

class LoadAtomicInstr(Instruction):
    align: int
    ordering: str

class StoreAtomicInstr(Instruction):
    align: int
    ordering: str

class AllocaInstr(Instruction):
    allocated_type: Type
    align: int | None

class GEPInstr(Instruction):
    pointer: Value
    indices: Sequence[Value]
    inbounds: bool
    source_etype: Type

class PhiInstr(Instruction):
    incomings: list[tuple[Value, Block]]
    def add_incoming(self, value: Value, block: Block) -> None: ...

class ExtractElement(Instruction): ...
class InsertElement(Instruction): ...
class ShuffleVector(Instruction): ...
class ExtractValue(Instruction): ...
class InsertValue(Instruction): ...
class Unreachable(Instruction): ...

class InlineAsm:
    type: Type
    function_type: FunctionType
    def __init__(
        self, ftype: FunctionType, asm: str, constraint: str, side_effect: bool = False
    ) -> None: ...

class AtomicRMW(Instruction):
    operation: str
    ordering: str

class CmpXchg(Instruction):
    ordering: str
    failordering: str

class Fence(Instruction): ...
class Comment(Instruction): ...

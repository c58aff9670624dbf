from collections.abc import Iterable, Sequence
from typing import Final

from .instructions import Instruction, Terminator
from .module import Module
from .types import FunctionType, Type

class Value:
    type: Type

class _Undefined: ...

Undefined: Final[_Undefined]
"""The content of a constant whose value does not matter."""

class _ConstOps:
    """Operations on constants, which give constant expressions."""

    def shl(self, other: Constant) -> Constant: ...
    def add(self, other: Constant) -> Constant: ...
    def sub(self, other: Constant) -> Constant: ...
    def mul(self, other: Constant) -> Constant: ...
    def xor(self, other: Constant) -> Constant: ...
    def trunc(self, typ: Type) -> Constant: ...
    def bitcast(self, typ: Type) -> Constant: ...
    def ptrtoint(self, typ: Type) -> Constant: ...
    def inttoptr(self, typ: Type) -> Constant: ...
    def gep(self, indices: Sequence[Constant]) -> Constant: ...

class Constant(_ConstOps, Value):
    constant: object
    def get_reference(self) -> str: ...
    def __init__(self, typ: Type, constant: object) -> None: ...
    @classmethod
    def literal_array(cls, elems: Sequence[Constant]) -> Constant: ...
    @classmethod
    def literal_struct(cls, elems: Sequence[Constant], packed: bool = False) -> Constant: ...

class FormattedConstant(Constant): ...

class NamedValue(Value):
    name: str
    def get_reference(self) -> str: ...
    @property
    def function_type(self) -> FunctionType: ...

class MetaDataString(NamedValue):
    string: str
    def __init__(self, parent: Module, string: str) -> None: ...

class MDValue(NamedValue):
    operands: tuple[Value, ...]

class NamedMetaData:
    operands: list[MDValue]
    def add(self, md: MDValue) -> None: ...

class _HasMetadata:
    metadata: dict[str, MDValue]
    def set_metadata(self, name: str, node: MDValue) -> None: ...

class GlobalValue(NamedValue, _ConstOps, _HasMetadata):
    parent: Module
    linkage: str
    storage_class: str
    section: str

class GlobalVariable(GlobalValue):
    value_type: Type
    initializer: Constant | None
    unnamed_addr: bool
    global_constant: bool
    addrspace: int
    align: int | None
    def __init__(self, module: Module, typ: Type, name: str, addrspace: int = 0) -> None: ...

class AttributeSet(set[str]):
    def __init__(self, args: Iterable[str] = ()) -> None: ...

class FunctionAttributes(AttributeSet):
    alignstack: int
    personality: GlobalValue | None

class Function(GlobalValue):
    ftype: FunctionType
    args: tuple[Argument, ...]
    return_value: ReturnValue
    blocks: list[Block]
    attributes: FunctionAttributes
    calling_convention: str
    def __init__(self, module: Module, ftype: FunctionType, name: str) -> None: ...
    @property
    def module(self) -> Module: ...
    @property
    def entry_basic_block(self) -> Block: ...
    @property
    def basic_blocks(self) -> list[Block]: ...
    @property
    def is_declaration(self) -> bool: ...
    def append_basic_block(self, name: str = "") -> Block: ...
    def insert_basic_block(self, before: int, name: str = "") -> Block: ...

class ArgumentAttributes(AttributeSet):
    align: int
    dereferenceable: int
    dereferenceable_or_null: int

class _BaseArgument(NamedValue):
    parent: Function
    attributes: ArgumentAttributes
    def add_attribute(self, attr: str) -> None: ...

class Argument(_BaseArgument): ...
class ReturnValue(_BaseArgument): ...

class Block(NamedValue):
    parent: Function
    instructions: list[Instruction]
    terminator: Terminator | None
    @property
    def is_terminated(self) -> bool: ...
    @property
    def function(self) -> Function: ...
    @property
    def module(self) -> Module: ...

class BlockAddress(Value):
    def __init__(self, function: Function, basic_block: Block) -> None: ...

"""TVM's `Prelude`: the standard library in a mutable module."""

from relay.classic.ir_module import IRModule
from relay.ir.module import ModuleLike
from relay.prelude.prelude import Prelude as Library
from relay.prelude.standard_library import merge
from relay.prelude.tensor_array import tensor_array_types

_ELEMENTS = ("float32", "float16", "float64", "int32", "uint8", "int8", "int16", "uint16", "int64")


class Prelude(Library):
    """The standard library in a module of its own, `mod`, or added to a given module.

    Data types of tensor arrays exist for nine element types; their functions are added to the
    module on first access.

    >>> from relay.ir.expr import Function, Var
    >>> p = Prelude()
    >>> xs = Var("xs", p.list(p.rose.belongs_to()))
    >>> p.mod["main"] = Function([xs], xs)
    >>> p.mod.get_type("tensor_int8_t")[0]
    tensor_int8_t
    """

    def __init__(self, mod: ModuleLike | None = None) -> None:
        super().__init__(IRModule() if mod is None else mod)
        module = self.mod.module
        for element in _ELEMENTS:
            module = merge(module, tensor_array_types(element))
        self.mod = self.mod.updated(module)

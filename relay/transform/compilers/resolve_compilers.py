"""The pass that marks functions for external compilers, after checking that these are installed."""

from typing import ClassVar

from relay.ir.expr import Function
from relay.ir.module import Module
from relay.support.node import replace, value
from relay.transform.compilers.external_compiler import compiler_named
from relay.transform.compilers.region_attributes import COMPILER, EXTERN
from relay.transform.pass_contract import NONE, Properties
from relay.transform.pipeline import Pass


@value
class ResolveCompilers(Pass):
    """Mark the functions that `PartitionGraph` created as external functions.

    The attribute `Compiler` becomes `Extern`, which distinguishes these functions from those for
    devices. Raises `C162` for a compiler that no installed package provides.
    """

    breaks: ClassVar[Properties] = NONE

    def transform(self, module: Module) -> Module:
        """Return the module with the attribute `Extern` on functions for external compilers."""
        return module.with_functions({n: _marked(f) for n, f in module.functions.items()})


def _marked(function: Function) -> Function:
    name = function.attrs.get(COMPILER)
    if not isinstance(name, str):
        return function
    compiler_named(name)
    return replace(function, attrs={EXTERN: name, "Primitive": 1})

"""Report functions for external compilers that are not installed."""

from typing import ClassVar

from relay.ir.module import Module
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import value
from relay.transform.compilers.regions import COMPILER
from relay.transform.contract import NONE, Properties
from relay.transform.pipeline import Pass


@value
class CheckCompilers(Pass):
    """Raise `C162` for a global function with the attribute `Compiler`; change nothing.

    `PartitionGraph` makes such functions for a compiler, which passes must not look into. Regions
    that are no global functions are compiled as what they compute.
    """

    breaks: ClassVar[Properties] = NONE

    def transform(self, module: Module) -> Module:
        """Look at all functions."""
        for name, function in module.functions.items():
            if compiler := function.attrs.get(COMPILER):
                raise CompileError(
                    ErrorCode.C162,
                    f"@{name} is for the compiler '{compiler}', which is not here",
                    span=function.span,
                    help="compile the module as it was before relay.transform.PartitionGraph",
                )
        return module

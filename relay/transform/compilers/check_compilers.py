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
    """Raise `C162` for a global function with the attribute `Compiler`; leave the module unchanged.

    `PartitionGraph` creates such functions for a compiler, and passes must not look into them.
    Other regions are compiled like ordinary operators.
    """

    breaks: ClassVar[Properties] = NONE

    def transform(self, module: Module) -> Module:
        """Check all functions."""
        for name, function in module.functions.items():
            if compiler := function.attrs.get(COMPILER):
                raise CompileError(
                    ErrorCode.C162,
                    f"@{name} is for the compiler '{compiler}', which is not here",
                    span=function.span,
                    help="compile the module as it was before relay.transform.PartitionGraph",
                )
        return module

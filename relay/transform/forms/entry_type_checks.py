"""Checks that the type of an entry contains no functions, for passes that change function types."""

from relay.ir.expr import Function
from relay.ir.module import Module
from relay.ir.type_comparison import parts_of_types
from relay.ir.types import FuncType, Type, TypeCall, children
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def require_first_order(entry: Function, module: Module, help: str) -> None:
    """Require that neither the parameters nor the result of an entry contain functions (`C160`)."""
    assert isinstance(entry.type, FuncType), "a function has the type of one"
    if _holds_functions([*entry.type.params, entry.type.result], module):
        message = (
            "the function main cannot take or return functions, because this pass replaces them "
            "by values of another type"
        )
        raise CompileError(ErrorCode.C160, message, span=entry.span, help=help)


def _holds_functions(types: list[Type], module: Module) -> bool:
    """Whether a value of one of these types may contain a function."""

    def inside(ty: Type) -> tuple[Type, ...]:
        constructors = module.alternatives(ty.head) if isinstance(ty, TypeCall) else ()
        return (
            *children(ty),
            *(each for constructor in constructors for each in constructor.inputs),
        )

    return any(isinstance(part, FuncType) for part in parts_of_types(types, inside))

"""Errors (`C120`) for branches and loops on mapped values that `vmap` cannot map."""

from relay.ir.expr import Call, Expr, Var
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def has_effects(expr: Expr) -> CompileError:
    """Return the error for a branch whose effects would depend on the element."""
    message = (
        "a branch or loop that depends on mapped values must not use references or random numbers"
    )
    help_ = "draw random numbers before the branch, and return new values instead of writing them"
    return CompileError(ErrorCode.C120, message, span=expr.span, help=help_)


def passed_data(expr: Call) -> CompileError:
    """Return the error for data with mapped fields that only some elements pass to a function."""
    message = (
        "a branch or loop that depends on mapped values passes data with mapped fields to a "
        "function with a custom derivative"
    )
    help_ = "pass tensors or tuples instead, or call the function before the branch"
    return CompileError(ErrorCode.C120, message, span=expr.span, help=help_)


def mixed_data(expr: Expr) -> CompileError:
    """Return the error for a branch that would choose different data structures per element."""
    message = (
        "a branch or loop that depends on mapped values selects data, but all mapped elements "
        "must share one structure"
    )
    notes = ["the derivative of a branch or loop records in a data type which path was taken"]
    help_ = "select tensors with where(condition, x, y), or map the function and then differentiate"
    return CompileError(ErrorCode.C120, message, span=expr.span, notes=notes, help=help_)


def unknown_size(param: Var) -> CompileError:
    """Return the error for a value whose size would depend on the number of steps."""
    message = (
        f"a loop that depends on mapped values changes '{param.name}', whose size is unknown; all "
        "mapped elements must have the same size"
    )
    help_ = "write into an array of known size, instead of appending to a list"
    return CompileError(ErrorCode.C120, message, span=param.span, help=help_)

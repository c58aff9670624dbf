"""Errors (`C120`) for branches and loops on mapped values that `vmap` cannot map."""

from relay.ir.expr import Call, Expr, Var
from relay.ir.match_patterns import PatternConstructor
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.transform.vmap import RaggedError


def has_effects(expr: Expr) -> CompileError:
    """Return the error for a branch whose effects would depend on the element."""
    message = (
        "under vmap, a branch or loop that depends on mapped values, or its derivative, cannot use "
        "references or random numbers"
    )
    help_ = (
        "draw random numbers before the branch, return new values instead of writing references, "
        "and compute values that several branches share before them"
    )
    return CompileError(ErrorCode.C120, message, span=expr.span, help=help_)


def passed_data(expr: Call) -> CompileError:
    """Return the error for data with mapped fields that only some elements pass to a function."""
    message = (
        "vmap does not support this call: in a branch or loop that depends on mapped values, a "
        "mapped data type is passed to a function with a custom derivative"
    )
    help_ = "pass tensors or tuples instead, or call the function before the branch"
    return CompileError(ErrorCode.C120, message, span=expr.span, help=help_)


def mixed_data(expr: Expr) -> CompileError:
    """Return the error for data that would have another structure for each element."""
    message = (
        "under vmap, a branch or loop that depends on mapped values cannot return lists, trees or "
        "other data types, because their structure may differ between the mapped elements"
    )
    help_ = "return tensors from the branch or loop, and avoid generic functions in it"
    return CompileError(ErrorCode.C120, message, span=expr.span, help=help_)


def nested_pattern(pattern: PatternConstructor) -> CompileError:
    """Return the error for a nested pattern for data whose structure differs between elements."""
    message = (
        f"vmap does not support the pattern {pattern.constructor.name} inside another pattern "
        "here, because the structure of the matched data differs between mapped elements"
    )
    help_ = "bind the field to a variable, and match that variable in a second match"
    return CompileError(ErrorCode.C120, message, span=pattern.span, help=help_)


def unknown_size(param: Var) -> RaggedError:
    """Return the error for a value whose size would depend on the number of steps."""
    message = (
        f"a loop that depends on mapped values changes the size of '{param.name}', but all "
        "mapped elements must have the same size"
    )
    help_ = "write into an array of known size, instead of appending to a list"
    return RaggedError(ErrorCode.C120, message, span=param.span, help=help_)

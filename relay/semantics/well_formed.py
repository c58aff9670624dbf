"""Well-formedness checks of programs between passes: bindings, scopes, and types of nodes."""

from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    GlobalVar,
    If,
    Operator,
)
from relay.ir.match_dims import instantiate_dims
from relay.ir.module import Module
from relay.ir.type_comparison import holds_functions
from relay.ir.types import FuncType, RefType, Type, dim_variables, without_dims
from relay.ir.walk import children, post_order
from relay.semantics.scope_checks import scope_errors
from relay.semantics.type_mismatch import Mismatch, MismatchKind, TypedRole, mismatch_error
from relay.semantics.unify import Unifier
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import replace

_REPORT = "report this defect of the pass to its authors, with the program"


def check_well_formed(module: Module) -> None:
    """Raise an error unless each variable is bound once and used in its scope, and globals exist.

    Raises the first error of `scope_errors`.
    """
    for error in scope_errors(module):
        raise error


def check_types(module: Module) -> None:
    """Require that each node has the type that its operands imply; raises `T032` otherwise."""
    for function in module.functions.values():
        for expr in post_order(function):
            if not isinstance(expr, Operator):
                _check_node(expr)


def _check_node(expr: Expr) -> None:
    carried = expr.ty
    if isinstance(expr, GlobalVar):
        return  # a call uses the type that the global variable had when the call was built
    if carried is None or not carried.complete:
        raise RelayTypeError(
            ErrorCode.T032,
            f"a pass left a {type(expr).__name__} without a type",
            span=expr.span,
            help=_REPORT,
        )
    computed = _computed(expr)
    if computed is not None and not _agree(_content(carried), _content(computed)):
        raise RelayTypeError(
            ErrorCode.T032,
            (
                f"a pass gave a {type(expr).__name__} the type {carried!r}, but its operands "
                f"imply {computed!r}"
            ),
            span=expr.span,
            help=_REPORT,
        )
    if isinstance(expr, Call) and isinstance(expr.op.ty, FuncType) and not expr.type_arguments:
        _check_arguments(expr, expr.op.ty)


def _content(ty: Type) -> Type:
    return ty.content if isinstance(ty, RefType) else ty


def _computed(expr: Expr) -> Type | None:
    """Return the type that a node's constructor computes; None if it cannot without inference."""
    if isinstance(expr, Constructor) or not children(expr):
        return None
    if isinstance(expr, If) and expr.then.ty is not None and expr.other.ty is not None:
        return expr.then.ty if _agree(expr.then.ty, expr.other.ty) else expr.other.ty
    if isinstance(expr, Call) and isinstance(expr.op.ty, FuncType):
        return _callee_type(expr, expr.op.ty).result
    return replace(expr, ty=None).ty


def _callee_type(call: Call, callee: FuncType) -> FuncType:
    """Return the callee's type, instantiated for a call's type arguments and argument sizes."""
    if len(call.args) == len(callee.params):
        callee = instantiate_dims(callee, [arg.type for arg in call.args])
    has_choice = len(call.type_arguments) == len(callee.type_params)
    return Unifier().instantiated(callee, call.type_arguments if has_choice else None)


def _check_arguments(call: Call, callee: FuncType) -> None:
    if len(call.args) != len(callee.params):
        message = (
            f"a call passes {len(call.args)} arguments to a function of {len(callee.params)} "
            "parameters"
        )
        raise RelayTypeError(ErrorCode.T023, message, span=call.span, help=_REPORT)
    params = _callee_type(call, callee).params
    for index, (found, arg) in enumerate(zip(params, call.args, strict=True)):
        param = without_dims(found, callee.dim_params)  # others are run-time checks
        if not _agree(param, arg.type):
            why = Mismatch(MismatchKind.KIND, "an earlier pass changed one of them")
            raise mismatch_error(TypedRole(f"argument {index + 1}"), param, arg.type, why).at(
                call.span
            )


def _agree(wanted: Type, found: Type) -> bool:
    """Whether two types are equal, apart from dimensions that are `?` in one of them."""
    try:
        Unifier().meet(_with_open_names(wanted), _with_open_names(found))
    except Mismatch:
        return False
    return True


def _with_open_names(ty: Type) -> Type:
    """Return a type with `?` for dimension variables that passes introduced.

    Such a variable may be equal to another dimension. If the type contains a function type, which
    may bind variables of its own, all variables become `?`.
    """
    names, is_open = dim_variables(ty), holds_functions(ty)
    return without_dims(ty, [each for each in names if is_open or each.serial or each.is_made])

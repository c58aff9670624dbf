"""Lowers a fused function to the tensor expressions that its kernel computes."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias, cast

from relay.build.inplace_kernels import IN_PLACE
from relay.build.kernel_sizes import dimensions
from relay.ir.dims import is_static
from relay.ir.expr import Array, Call, Constant, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, has_any
from relay.ir.walk import children, post_order
from relay.kernels import te
from relay.kernels.bounds_checks import numbered
from relay.kernels.scalar import size_named
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.register_operator import RegisteredOperator
from relay.ops.tensor.reshape import Reshaping
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.targets.kernel_expressions import Formulas
from relay.transform.batching.indirect_operands import indirect_params
from relay.transform.effects import elements_may_trap
from relay.transform.loops.serpentine_traversal import PARITY
from relay.transform.primitive_function import is_elementwise

_Value: TypeAlias = te.Tensor | tuple[te.Tensor, ...]


def formulas(function: Function, name: str) -> Formulas:
    """Return the tensor expressions of the operators of a primitive function.

    The kernel takes its parameters, then its results; the first parameter of an in-place kernel is
    its result. Raises `C103` for an operator without a tensor expression, or for sizes without a
    name.
    """
    _check_named(function)
    values = _views(function) | _apart_rows(function)
    is_in_place = IN_PLACE in function.attrs
    anchor: tuple[OperatorDef, te.Tensor] | None = None
    number = 1
    for expr in post_order(function.body):
        if isinstance(expr, OperatorDef) or expr in values:
            continue
        is_changed = is_in_place and expr is function.body
        with numbered(number):
            value = _changes(expr, values) if is_changed else _compute(expr, values)
        number += elements_may_trap(expr)
        values[expr] = value
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and _is_anchor(expr.op):
            anchor = (expr.op, _first(value))
    inputs = [cast("te.Tensor", _parameter(param, values)) for param in _read(function)]
    outputs = values[function.body]
    flat = outputs if isinstance(outputs, tuple) else (outputs,)
    sizes = tuple(size_named(str(dim)) for dim in dimensions(function))
    parity = inputs[-1] if PARITY in function.attrs else None
    joint = len(flat) > 1 and is_elementwise(function)
    return Formulas(name, tuple(inputs), flat, anchor, sizes, parity, joint=joint)


def _check_named(function: Function) -> None:
    """Raise `C103` for a dynamic size without a name, which cannot be an argument of the kernel."""
    for expr in (*function.params, function.body):
        if has_any(expr.type):
            raise CompileError(
                ErrorCode.C103,
                f"a tensor of type {expr.type!r} cannot be compiled, because its size `?` is "
                "unknown",
                span=expr.span,
                help="replace `?` by a name for the size: Tensor[(n, 4), float32]",
            )


def _read(function: Function) -> Sequence[Var]:
    """Return the parameters that a kernel only reads: all except one that it updates in place."""
    return function.params[1:] if IN_PLACE in function.attrs else function.params


def _changes(expr: Expr, values: dict[Expr, _Value]) -> te.Tensor:
    """Return the elements that an in-place operator writes over its first argument."""
    assert isinstance(expr, Call)
    assert isinstance(expr.op, OperatorDef)
    return expr.op.compute_changes(*(cast("te.Tensor", values[arg]) for arg in expr.args))


def _is_anchor(op: OperatorDef) -> bool:
    return op.fusion > Fusion.INJECTIVE


def _first(value: _Value) -> te.Tensor:
    return value[0] if isinstance(value, tuple) else value


def _apart_rows(function: Function) -> dict[Expr, _Value]:
    """Return placeholders for the parameters that are passed as lists of row addresses."""
    params = [function.params[place] for place in indirect_params(function)]
    return {param: _placeholder(param, indirect_rows=True) for param in params}


def _views(function: Function) -> dict[Expr, _Value]:
    """Return placeholders for the parameters that are only read in another shape.

    The elements of a parameter are contiguous, so a reshape needs no arithmetic on indices. The
    values of such reshapes are the placeholders, too. A result is a copy in any case.
    """
    body = function.body
    results = set(body.fields) if isinstance(body, Tuple) else {body}
    users: dict[Expr, list[Expr]] = defaultdict(list)
    for expr in post_order(function.body):
        for part in children(expr):
            users[part].append(expr)
    values: dict[Expr, _Value] = {}
    for param in _read(function):
        views = users[param]
        is_read = results.isdisjoint(views)
        types = {view.type if is_read and _is_view(view, param) else None for view in views}
        ty = types.pop() if len(types) == 1 else None
        if isinstance(ty, TensorType):
            view = te.placeholder(ty.shape, ty.dtype, param.name)
            values |= dict.fromkeys([param, *views], view)
    return values


def _is_view(expr: Expr, param: Var) -> bool:
    """Whether an expression reads a parameter in another shape, and both shapes are known."""
    match expr:
        case Call(Reshaping(), (first, *others)) if first is param and param not in others:
            return all(is_static(each.tensor_type.shape) for each in (expr, param))
        case _:
            return False


def _parameter(param: Var, values: dict[Expr, _Value]) -> _Value:
    """Return the placeholder of a parameter, which is created on the first use."""
    if param not in values:
        values[param] = _placeholder(param)
    return values[param]


def _placeholder(param: Var, *, indirect_rows: bool = False) -> te.Tensor:
    ty = param.tensor_type
    return te.placeholder(ty.shape, ty.dtype, param.name, indirect_rows=indirect_rows)


def _compute(expr: Expr, values: dict[Expr, _Value]) -> _Value:
    match expr:
        case Var():
            return _placeholder(expr)
        case Constant(data):
            return _literal(data, expr)
        case Tuple(fields):
            return tuple(cast("te.Tensor", values[field]) for field in fields)
        case TupleGetItem(whole, index):
            return cast("tuple[te.Tensor, ...]", values[whole])[index]
        case Call(OperatorDef() as op, args):
            return _call(op, [values[arg] for arg in args], expr)
        case _:
            raise AssertionError(f"{type(expr).__name__} in a primitive function")


def _literal(data: Array, expr: Expr) -> te.Tensor:
    """Return a one-element constant as a tensor expression, which becomes an immediate operand."""
    element = te.const(data.reshape(()).item(), expr.tensor_type.dtype)
    return te.compute(data.shape, lambda *_: element, name="literal")


def _call(op: OperatorDef, args: Sequence[_Value], expr: Expr) -> _Value:
    if not op.has("compute"):
        if isinstance(op, RegisteredOperator) and op.has_only_reference():
            raise _needs_static_sizes(op, expr)
        if isinstance(op, RegisteredOperator):
            raise _has_no_meaning(op, expr)
        raise CompileError(
            ErrorCode.C103,
            f"the operator {op.name} has no kernel of its own, so it cannot be compiled alone",
            span=expr.span,
            help="compile the module as a whole, or run it with create_executor('debug')",
        )
    return op.compute(*cast("Sequence[te.Tensor]", args))


def _needs_static_sizes(op: OperatorDef, call: Expr) -> CompileError:
    """Return the error for a call of a NumPy reference with sizes that are not known."""
    return CompileError(
        ErrorCode.C103,
        f"the operator {op.name} has a NumPy reference only, which compiled programs call with "
        f"sizes that are known at compile time, not with {call.type!r}",
        span=call.span,
        help=f'add a formula with relay.op.register_compute("{op.name}"), or pass the input '
        "shapes to relay.compile",
    )


def _has_no_meaning(op: OperatorDef, call: Expr) -> CompileError:
    """Return the error for an operator that was registered without a reference and a formula."""
    return CompileError(
        ErrorCode.C103,
        f"the operator {op.name} was registered by its name, but neither its formula nor its NumPy "
        "reference was",
        span=call.span,
        help=f'register one: relay.op.register_compute("{op.name}"), or '
        f'relay.op.register_reference("{op.name}")',
    )

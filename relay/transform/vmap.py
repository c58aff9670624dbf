"""Vectorisation of a function over one new leading axis, like JAX's `vmap`."""

from collections.abc import Callable, Collection, Sequence
from typing import cast

from relay.ir.alpha_rename import fresh_var
from relay.ir.dims import ANY, Dim, Shape
from relay.ir.expr import Call, Expr, Function, Let, Tuple, TupleGetItem, Var
from relay.ir.nested_tuples import leaves
from relay.ir.types import TensorType, TupleType, Type, dimensions
from relay.ir.walk import fold, with_children
from relay.opdef.complex_rules import is_complex
from relay.opdef.definition import OperatorDef
from relay.ops.batched_operator import Lifted
from relay.ops.broadcasting import BroadcastTo
from relay.ops.creation import Ones
from relay.ops.selection import Where
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError
from relay.support.node import node, replace
from relay.transform.lower_complex import on_parts
from relay.transform.to_graph_form import ToGraphForm


class RaggedError(CompileError):
    """The error `C120` for a value that may have another size for each element."""


@node
class Mapped:
    """The vectorised form of an expression, with a flag that says whether it has the new axis."""

    expr: Expr
    is_mapped: bool


def vmap(function: Function, size: Dim, shared: Collection[int] = ()) -> Function:
    """Return the function that performs `size` calls of a function of tensors at a time.

    Every parameter except the `shared` ones, given by index, has a new leading axis of `size`, and
    so have all results. Expressions that do not depend on such parameters are computed once.
    Products with a shared matrix become one matrix product. `size` may be symbolic.

    Raises `C120` for expressions without such a form: control flow, data, calls of functions, and
    operators that are stateful or whose result has a data-dependent size.
    """
    params = [
        Mapped(fresh_var(param) if i in shared else _with_axis(param, size), i not in shared)
        for i, param in enumerate(function.params)
    ]
    mapping = _Mapping(size)
    mapping.known.update(zip(function.params, params, strict=True))
    body = mapping.spread(mapping.mapped(ToGraphForm().run(function).body))
    new = tuple(cast("Var", each.expr) for each in params)
    return replace(function, params=new, body=body, result=None, ty=None)


def many_calls(call: Call, op: OperatorDef, args: Sequence[Mapped], size: Dim) -> Expr:
    """Return one call that performs `size` calls of an operator; raises `C120`."""
    return _Mapping(size).call(call, op, args)


def mapped_call(call: Call, args: Sequence[Mapped], size: Dim) -> Expr | None:
    """Return one call that performs `size` calls of an operator; None if there is no such form."""
    if not isinstance(call.op, OperatorDef):
        return None
    try:
        return many_calls(call, call.op, args, size)
    except CompileError:
        return None


def spread(mapped: Mapped, size: Dim) -> Expr:
    """Return a value with the new axis, broadcast if it has none yet."""
    return _Mapping(size).spread(mapped)


def no_batched_form(expr: Expr) -> CompileError:
    """Return the error (`C120`) for an expression that cannot be vectorised."""
    return CompileError(
        ErrorCode.C120,
        f"vmap does not support {_words(expr)} inside the mapped function",
        span=expr.span,
        help="compute this part outside the function, or call the function in a loop, without vmap",
    )


def _with_axis(param: Var, size: Dim) -> Var:
    ty = batched_type(param.type, size)
    if ty is None:
        message = f"vmap cannot map over the argument '{param.name}' of type {param.type!r}"
        help_ = "map over tensors and tuples of tensors, or pass in_axes=None for this argument"
        raise CompileError(ErrorCode.C120, message, span=param.span, help=help_)
    return Var(param.name, ty, span=param.span, ty=ty)


def batched_type(ty: Type, size: Dim) -> Type | None:
    """Return a tensor type, or a tuple of them, with a new leading axis; None for other types."""
    match ty:
        case TupleType(fields):
            new = [batched_type(field, size) for field in fields]
            found = tuple(each for each in new if each is not None)
            return TupleType(found) if len(found) == len(fields) else None
        case TensorType(shape):
            return TensorType((size, *shape), ty.dtype)
        case _:
            return None


class _Mapping:
    """A vectoriser of expressions; `known` maps variables to their vectorised forms."""

    def __init__(self, size: Dim) -> None:
        self.known: dict[Var, Mapped] = {}
        self._size = size

    def mapped(self, root: Expr) -> Mapped:
        return fold(root, self._visit)

    def _visit(self, expr: Expr, new: list[Mapped]) -> Mapped:
        match expr:
            case Var():
                return self.known.get(expr, Mapped(expr, False))
            case _ if not any(each.is_mapped for each in new):
                same = with_children(expr, [each.expr for each in new]) if new else expr
                return Mapped(same, False)
            case Tuple():
                return Mapped(Tuple(tuple(map(self.spread, new)), span=expr.span), True)
            case TupleGetItem(_, index):
                return Mapped(TupleGetItem(new[0].expr, index, span=expr.span), True)
            case Call(OperatorDef() as op):
                return Mapped(self.call(expr, op, new[:-1]), True)
            case _:
                raise no_batched_form(expr)

    def spread(self, each: Mapped) -> Expr:
        """Return a value with the new axis, broadcast if it has none yet."""
        if each.is_mapped:
            return each.expr
        if isinstance(each.expr.type, TupleType):
            fields = range(len(each.expr.type.fields))
            parts = [Mapped(TupleGetItem(each.expr, i), False) for i in fields]
            return Tuple(tuple(map(self.spread, parts)))
        shape = (self._size, *each.expr.tensor_type.shape)
        if ANY not in shape:
            return Call(BroadcastTo(shape), (each.expr,))
        row = Call(ExpandDims(0), (each.expr,))  # an operand, unlike a shape, has its sizes
        rows = Call(Ones((self._size, *[1] * (len(shape) - 1)), "bool"), ())
        return Call(Where(), (rows, row, row))

    def call(self, call: Call, op: OperatorDef, args: Sequence[Mapped]) -> Expr:
        """Return the vectorised call for vectorised arguments, some of which have the new axis."""
        types = [arg.type for arg in call.args]
        batched = op.batched(types, [arg.is_mapped for arg in args], self._size)
        if batched is not None:
            views = [*batched.views, *[None] * (len(args) - len(batched.views))]
            exprs = [self.spread(arg) if batched.spreads else arg.expr for arg in args]
            seen = [_viewed(expr, view) for expr, view in zip(exprs, views, strict=True)]
            return _viewed(Call(batched.op, tuple(seen), span=call.span), batched.result)
        if isinstance(call.type, TensorType) and _keeps_order(op, types):
            return _viewed(self.spread(args[0]), (self._size, *call.type.shape))
        if any(map(is_complex, (call.type, *types))):
            return self._expanded(lambda *xs: on_parts(op, xs), call, args)
        if op.has("decompose"):
            return self._expanded(op.decompose, call, args)
        return self._lifted(call, op, args)

    def _lifted(self, call: Call, op: OperatorDef, args: Sequence[Mapped]) -> Expr:
        """Return a vectorised call, computed by the operator's formula with one more axis."""
        mapped = [_flags(arg) for arg in args]
        is_open = ANY in dimensions(call.type)
        if is_open and not any(ANY in dimensions(arg.type) for arg in call.args):
            raise _unknown_size(call, op)
        try:
            many = Lifted.over(op, mapped, self._size)
            tensors = tuple(part for arg in args for part in leaves(arg.expr))
            return Call(many, (Tuple(tensors),), span=call.span)
        except RelayTypeError as error:
            if is_open:
                raise _unknown_size(call, op) from None
            types = ", ".join(repr(arg.type) for arg in call.args)
            raise CompileError(
                ErrorCode.C120,
                f"vmap does not support the operator {op.name}",
                span=call.span,
                notes=[error.message, f"its argument types are {types}"],
                help="call it outside of vmap, or give the operator's class a method `batched`",
            ) from None

    def _expanded(self, expand: Callable[..., Expr], call: Call, args: Sequence[Mapped]) -> Expr:
        """Return the vectorised expression that replaces a call; its arguments are vectorised."""
        params = tuple(Var("x", arg.ty, ty=arg.ty) for arg in call.args)
        inner = _Mapping(self._size)
        inner.known.update(zip(params, args, strict=True))
        return inner.spread(inner.mapped(expand(*params)))


def _unknown_size(call: Call, op: OperatorDef) -> RaggedError:
    """Return the error for a call whose results may have another size for each element."""
    message = (
        f"vmap does not support the operator {op.name}, because the size of its result is unknown"
    )
    help_ = "fill an array of known size, instead of appending to a list or selecting by a mask"
    return RaggedError(ErrorCode.C120, message, span=call.span, help=help_)


def _flags(arg: Mapped) -> bool | tuple[bool, ...]:
    """Return whether an argument has the new axis; for a tuple, that flag for each field."""
    ty = arg.expr.type
    return (arg.is_mapped,) * len(ty.fields) if isinstance(ty, TupleType) else arg.is_mapped


def _keeps_order(op: OperatorDef, types: Sequence[Type]) -> bool:
    tensors = [ty for ty in types if isinstance(ty, TensorType)]
    return len(tensors) == len(types) and op.keeps_order(*tensors)


def _viewed(x: Expr, shape: Shape | None) -> Expr:
    if shape is None or shape == x.tensor_type.shape:
        return x
    return Call(Reshape(shape, allowzero=True), (x,), span=x.span)


def _words(expr: Expr) -> str:
    match expr:
        case Call(op):
            return f"a call of {getattr(op, 'name', 'a function')}"
        case Let():
            return "a value with effects"
        case _:
            return f"{type(expr).__name__}"

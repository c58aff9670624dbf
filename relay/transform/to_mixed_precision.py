"""The pass that computes in narrow floats, such as float16, where these are accurate enough."""

from collections.abc import Sequence

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.opdef.definition import OperatorDef, Precision
from relay.ops.cast import Cast
from relay.support.dtype import DType, float16, float32
from relay.support.dtype import dtype as dtype_of
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace, set_field, value
from relay.transform.pass_contract import Rounding
from relay.transform.pipeline import Pass, is_optimizable


@value
class ToMixedPrecision(Pass):
    """Compute convolutions, matrix products and operators that follow them in narrow floats.

    Raises `U046` if `dtype` is not a floating-point type, or the name of one.

    The class of an operator is its `precision_in(dtype)`, as in TVM's pass: its `precision`, but a
    `clip` with limits beyond the range of `dtype` is never narrow.

    1. An operator of narrow precision gets narrow arguments, and has a narrow result if that is a
       float, even where an attribute states a wide one.
    2. An operator whose precision follows its arguments, or is not stated, is narrow if all its
       floating-point arguments are narrow, or variables or constants; otherwise it gets wide
       arguments.
    3. An operator that is never narrow gets wide arguments.
    4. The arguments of an operator that keeps them have their types, as scales of quantised
       numbers, and the limits of random ones.
    5. Values of lets, branches, matches and calls keep their types. So do the results of functions
       that are called and, with `keep_result`, of all functions.
    """

    dtype: DType = float16
    keep_result: bool = False

    def __post_init__(self) -> None:
        super(ToMixedPrecision, self).__post_init__()
        narrow = dtype_of(self.dtype)
        if not narrow.is_float:
            message = f"ToMixedPrecision needs a float type, not {narrow}"
            raise UsageError(ErrorCode.U046, message, help='pass "float16" or "bfloat16"')
        set_field(self, "dtype", narrow)

    @property
    def rounding(self) -> Rounding:
        """Return the narrow type; without `keep_result`, results may have it, or be wide."""
        return Rounding(self.dtype, () if self.keep_result else (self.dtype, float32))

    def transform(self, module: Module) -> Module:
        """Return the module with all functions that may be optimised in mixed precision."""
        everything = [f for f in module.functions.values() if is_optimizable(f)]
        called = {e.name for f in everything for e in post_order(f) if isinstance(e, GlobalVar)}
        functions = {
            name: self._function(f, keeps=self.keep_result or name in called)
            if is_optimizable(f)
            else f
            for name, f in module.functions.items()
        }
        return module.with_functions(functions)

    def _function(self, function: Function, *, keeps: bool) -> Function:
        rewriting = _Rewriting(self.dtype)
        body = fold(function.body, rewriting.visit, edges=outside_kernels)
        if keeps:
            body = rewriting.typed(body, function.body.type)
        if body is function.body:
            return function
        return replace(function, body=body, result=body.ty, ty=None)


class _Rewriting:
    """A rewriter that changes the precision of a function's nodes and inserts casts."""

    def __init__(self, narrow: DType) -> None:
        self._narrow = narrow
        self._casts: dict[tuple[Expr, DType], Expr] = {}
        self._before: dict[Expr, Expr] = {}

    def visit(self, old: Expr, new: list[Expr]) -> Expr:
        """Return the node `old` in its new precision, given its rewritten children `new`."""
        match old:
            case Call(OperatorDef() as op, args) if op.precision is not Precision.KEEP:
                return self._operator(op, old, args, new[:-1])
            case Tuple() | TupleGetItem():
                return with_children(old, new)
            case _ if new:
                return self._unchanged(old, new)
            case _:
                return old

    def _unchanged(self, old: Expr, new: Sequence[Expr]) -> Expr:
        """Return the node with children that are cast to the types that they had before."""
        pairs = zip(new, outside_kernels(old), strict=True)
        return with_children(old, [self._as_before(*pair) for pair in pairs])

    def _as_before(self, new: Expr, old: Expr) -> Expr:
        return new if old.ty is None else self.typed(new, old.type)

    def _operator(
        self, op: OperatorDef, old: Call, args: Sequence[Expr], new: Sequence[Expr]
    ) -> Expr:
        if isinstance(op, Cast):  # its attribute determines the result type
            return with_children(old, [*new, op])
        narrow = self._is_narrow(op, args, new)
        dtype = self._narrow if narrow else float32
        given = [self._cast(each, dtype) for each in new]
        stated = _with_result(op, old, dtype, always=narrow)
        if stated == op and all(a is b for a, b in zip(args, given, strict=True)):
            return old
        return Call(stated, tuple(given), span=old.span)

    def _is_narrow(self, op: OperatorDef, args: Sequence[Expr], new: Sequence[Expr]) -> bool:
        precision = op.precision_in(self._narrow)
        if precision in (Precision.ALWAYS, Precision.NEVER):
            return precision is Precision.ALWAYS
        return all(
            isinstance(arg, Var | Constant) or set(_floats(now.type)) <= {self._narrow}
            for arg, now in zip(args, new, strict=True)
        )

    def _cast(self, expr: Expr, dtype: DType) -> Expr:
        """Return a tensor or tuple with floats cast to `dtype`."""
        if all(each is dtype for each in _floats(expr.type)):
            return expr
        if isinstance(expr.type, TupleType):
            fields = (TupleGetItem(expr, i) for i in range(len(expr.type.fields)))
            parts = expr.fields if isinstance(expr, Tuple) else tuple(fields)
            return Tuple(tuple(self._cast(part, dtype) for part in parts))
        source = self._before.get(expr, expr)
        if source.tensor_type.dtype is dtype:
            return source
        if (source, dtype) not in self._casts:
            made = self._casts[source, dtype] = Call(Cast(dtype), (source,), span=source.span)
            self._before[made] = source
        return self._casts[source, dtype]

    def typed(self, expr: Expr, ty: Type) -> Expr:
        """Return a value cast to the element types of `ty`."""
        match ty:
            case TensorType() if expr.tensor_type.dtype is not ty.dtype:
                return self._cast(expr, ty.dtype)
            case TupleType(fields) if expr.type is not ty:
                given = (TupleGetItem(expr, i) for i in range(len(fields)))
                parts = expr.fields if isinstance(expr, Tuple) else tuple(given)
                return Tuple(tuple(map(self.typed, parts, fields)))
            case _:
                return expr


def _with_result(op: OperatorDef, old: Call, dtype: DType, *, always: bool) -> OperatorDef:
    """Return the operator with the float type that an attribute states changed to `dtype`.

    1. The attribute may state the type of the arguments.
    2. It is changed `always`, even if it states another type.
    3. It may state nothing: then the result has the type of the arguments, if there are floats.
    """
    if not op.result_dtype or not old.tensor_type.dtype.is_float:
        return op
    given = {each for arg in old.args for each in _floats(arg.type)}
    stated = getattr(op, op.result_dtype)
    changes = not given if stated is None else always or stated in given
    return replace(op, **{op.result_dtype: dtype}) if changes else op


def _floats(ty: Type) -> list[DType]:
    """Return the floating-point element types in the type of a tensor, or of tensors in tuples."""
    match ty:
        case TensorType(_, dtype):
            return [dtype] if dtype.is_float else []
        case TupleType(fields):
            return [each for field in fields for each in _floats(field)]
        case _:
            return []

"""Translate MXNet elementwise operators."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, FloorMod, Maximum, Minimum, Multiply, Subtract
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from relay.ops.creation import Full, Ones, OnesLike, Zeros, ZerosLike
from relay.ops.elementwise import Abs, Ceil, Floor, Negative, Rint, Round, Sign, Trunc
from relay.ops.logical import LogicalAnd, LogicalNot, LogicalOr, LogicalXor
from relay.ops.selection import where
from relay.ops.special_functions import Erfinv, LGamma
from relay.ops.transcendental import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cos,
    Cosh,
    Erf,
    Exp,
    Log,
    Log2,
    Log10,
    Power,
    Rsqrt,
    Sin,
    Sinh,
    Sqrt,
    Tan,
)
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode

_BINARY: Mapping[str, OperatorDef] = {
    "add": Add(), "plus": Add(), "sub": Subtract(), "minus": Subtract(), "mul": Multiply(),
    "div": Divide(), "mod": FloorMod(), "power": Power(), "maximum": Maximum(),
    "minimum": Minimum(),
}  # fmt: skip
_COMPARISONS: Mapping[str, OperatorDef] = {
    "equal": Equal(), "not_equal": NotEqual(), "lesser": Less(), "lesser_equal": LessEqual(),
    "greater": Greater(), "greater_equal": GreaterEqual(),
}  # fmt: skip
_UNARY: Mapping[str, OperatorDef] = {
    "abs": Abs(), "ceil": Ceil(), "floor": Floor(), "trunc": Trunc(), "fix": Trunc(),
    "rint": Rint(), "round": Round(), "sign": Sign(), "negative": Negative(), "exp": Exp(),
    "log": Log(), "log2": Log2(), "log10": Log10(), "sqrt": Sqrt(), "rsqrt": Rsqrt(), "sin": Sin(),
    "cos": Cos(), "tan": Tan(), "sinh": Sinh(), "cosh": Cosh(), "arcsin": Asin(), "arccos": Acos(),
    "arctan": Atan(), "erf": Erf(), "erfinv": Erfinv(), "arcsinh": Asinh(), "arccosh": Acosh(),
    "arctanh": Atanh(), "gammaln": LGamma(), "_contrib_round_ste": Round(),
    "_contrib_sign_ste": Sign(),
}  # fmt: skip
_COMPOSED: Mapping[str, Callable[[Expr], Expr]] = {
    "expm1": rnp.expm1, "log1p": rnp.log1p, "cbrt": rnp.cbrt, "degrees": rnp.degrees,
    "radians": rnp.radians, "rcbrt": lambda x: rnp.reciprocal(rnp.cbrt(x)),
}  # fmt: skip
_LOGICAL: Mapping[str, OperatorDef] = {
    "logical_and": LogicalAnd(), "logical_or": LogicalOr(), "logical_xor": LogicalXor(),
}  # fmt: skip
_OLD_NAMES = {
    "elemwise_add": "add", "elemwise_sub": "sub", "elemwise_mul": "mul", "elemwise_div": "div",
    "_Plus": "add", "_plus": "add", "_Minus": "sub", "_minus": "sub", "_Mul": "mul", "_mul": "mul",
    "_Div": "div", "_div": "div", "_Maximum": "maximum", "_maximum": "maximum",
    "_Minimum": "minimum", "_minimum": "minimum", "_Power": "power", "_power": "power",
    "_add": "add", "_sub": "sub", "_mod": "mod", "_Mod": "mod", "_grad_add": "add",
}  # fmt: skip


@mxnet_operator(*_UNARY)
def unary(node: MxNode) -> Expr:
    """Translate an elementwise function that has an equivalent Relay operator."""
    return Call(_UNARY[node.op], (node.tensor(),), span=node.span)


@mxnet_operator(*_COMPOSED)
def composed(node: MxNode) -> Expr:
    """Translate an elementwise function that several Relay operators compute."""
    return _COMPOSED[node.op](node.tensor())


@mxnet_operator("gamma")
def gamma(node: MxNode) -> Expr:
    """Translate `gamma`: the exponential of its logarithm, with the sign between negative poles."""
    x = node.tensor()
    dtype = x.tensor_type.dtype.numpy
    size = rnp.exp(Call(LGamma(), (x,), span=node.span))
    is_odd = rnp.equal(rnp.mod(rnp.floor(x), np.asarray(2, dtype)), np.asarray(1, dtype))
    is_negative = rnp.logical_and(rnp.less(x, np.asarray(0, dtype)), is_odd)
    return rnp.where(is_negative, rnp.negative(size), size)


@mxnet_operator(*(f"broadcast_{name}" for name in _LOGICAL), *(f"_{name}" for name in _LOGICAL),
                *(f"_{name}_scalar" for name in _LOGICAL))  # fmt: skip
def logical(node: MxNode) -> Expr:
    """Translate `logical_and` and others; numbers except 0 are true, and results 1 or 0."""
    op = _LOGICAL[node.op.removeprefix("broadcast").removesuffix("_scalar").removeprefix("_")]
    x, to = node.tensor(), dtype("bool")
    node.ignore("is_int")
    if node.op.endswith("_scalar"):
        other: Expr = Constant(np.array(node.number("scalar") != 0))
    else:
        other = Call(Cast(to), (node.tensor(1),))
    return _as_numbers(node, Call(op, (Call(Cast(to), (x,)), other), span=node.span))


@mxnet_operator("broadcast_hypot", "_hypot", "_hypot_scalar")
def hypot(node: MxNode) -> Expr:
    """Translate `hypot`: the root of the sum of two squares."""
    node.ignore("is_int")
    x = node.tensor()
    if node.op == "_hypot_scalar":
        return rnp.hypot(x, np.asarray(node.number("scalar"), x.tensor_type.dtype.numpy))
    return rnp.hypot(x, node.tensor(1))


@mxnet_operator("_contrib_quadratic")
def quadratic(node: MxNode) -> Expr:
    """Translate `quadratic`: `a · x² + b · x + c`."""
    x = node.tensor()
    a, b, c = (np.asarray(node.number(each, 0.0), x.tensor_type.dtype.numpy) for each in "abc")
    return rnp.add(rnp.multiply(rnp.add(rnp.multiply(x, a), b), x), c)


@mxnet_operator("amp_multicast")
def cast_together(node: MxNode) -> Sequence[Expr]:
    """Translate `amp_multicast`: convert to the widest, or narrowest, of the element types."""
    node.ignore("num_outputs")
    choose = min if node.flag("cast_narrow") else max
    to = choose((x.tensor_type.dtype for x in node.inputs), key=lambda each: each.bits)
    return [Call(Cast(to), (each,)) for each in node.inputs]


@mxnet_operator(*_OLD_NAMES, *(f"broadcast_{name}" for name in _BINARY))
def binary(node: MxNode) -> Expr:
    """Translate a binary elementwise operator."""
    name = _OLD_NAMES.get(node.op, node.op.removeprefix("broadcast_"))
    return Call(_BINARY[name], (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator(*(f"broadcast_{name}" for name in _COMPARISONS),
                *(f"_{name}" for name in _COMPARISONS))  # fmt: skip
def comparison(node: MxNode) -> Expr:
    """Translate a comparison; the result is 1 or 0 in the element type of the first input."""
    op = _COMPARISONS[node.op.removeprefix("broadcast").removeprefix("_")]
    return _as_numbers(node, Call(op, (node.tensor(), node.tensor(1)), span=node.span))


def _as_numbers(node: MxNode, truth: Expr) -> Expr:
    return Call(Cast(node.type().dtype), (truth,))


@mxnet_operator(*(f"_{name}_scalar" for name in (*_BINARY, *_COMPARISONS)),
                "_rminus_scalar", "_rdiv_scalar", "_rpower_scalar", "_rmod_scalar",
                "_PlusScalar", "_MinusScalar", "_MulScalar", "_DivScalar", "_RMinusScalar",
                "_RDivScalar", "_PowerScalar", "_MaximumScalar", "_MinimumScalar")  # fmt: skip
def with_number(node: MxNode) -> Expr:
    """Translate an operator of a tensor and a number.

    If the name starts with `r`, the number is the first operand.
    """
    node.ignore("is_int")
    name = node.op.lower().replace("_", "").removesuffix("scalar")
    for plain in (*_BINARY, *_COMPARISONS):
        if plain.replace("_", "") in (name, name.removeprefix("r")):
            break
    else:
        raise AssertionError(f"{node.op} is declared")
    x = node.tensor()
    number = Constant(np.array(node.number("scalar"), x.tensor_type.dtype.numpy))
    if plain in _COMPARISONS:
        return _as_numbers(node, Call(_COMPARISONS[plain], (x, number), span=node.span))
    args = (x, number) if plain.replace("_", "") == name else (number, x)
    return Call(_BINARY[plain], args, span=node.span)


@mxnet_operator("square")
def square(node: MxNode) -> Expr:
    """Translate `square`."""
    return Call(Multiply(), (node.tensor(), node.tensor()), span=node.span)


@mxnet_operator("reciprocal")
def reciprocal(node: MxNode) -> Expr:
    """Translate `reciprocal`: 1 divided by each element."""
    x = node.tensor()
    one = Constant(np.array(1, x.tensor_type.dtype.numpy))
    return Call(Divide(), (one, x), span=node.span)


@mxnet_operator("smooth_l1")
def smooth_l1(node: MxNode) -> Expr:
    """Translate `smooth_l1`: half of the square near 0, and a linear function beyond."""
    x = node.tensor()
    sigma = node.number("scalar", 1.0) ** 2
    limit, half, factor = (
        Constant(np.array(each, x.tensor_type.dtype.numpy))
        for each in (1 / sigma, 0.5 / sigma, 0.5 * sigma)
    )
    size = Call(Abs(), (x,))
    inner = Call(Multiply(), (factor, Call(Multiply(), (x, x))))
    return where(Call(Less(), (size, limit)), inner, Call(Subtract(), (size, half)))


@mxnet_operator("add_n", "ElementWiseSum", "_sum")
def add_all(node: MxNode) -> Expr:
    """Translate the sum of any number of tensors."""
    return reduce(lambda a, b: Call(Add(), (a, b), span=node.span), node.inputs)


@mxnet_operator("Cast", "cast", "amp_cast")
def cast(node: MxNode) -> Expr:
    """Translate conversions to another element type."""
    return Call(Cast(node.dtype()), (node.tensor(),), span=node.span)


@mxnet_operator("logical_not")
def logical_not(node: MxNode) -> Expr:
    """Translate `logical_not`: 1 for 0, and 0 for other numbers."""
    truth = Call(Cast(dtype("bool")), (node.tensor(),))
    return _as_numbers(node, Call(LogicalNot(), (truth,), span=node.span))


@mxnet_operator("where")
def choose(node: MxNode) -> Expr:
    """Translate `where`: elements of `x` where the condition is nonzero, otherwise of `y`.

    A condition with one axis selects rows.
    """
    condition, x, y = node.inputs
    shape = condition.tensor_type.shape
    if len(shape) == 1 < x.tensor_type.rank:
        condition = reshape(condition, (*shape, *[1] * (x.tensor_type.rank - 1)))
    return where(Call(Cast(dtype("bool")), (condition,)), x, y)


@mxnet_operator("zeros_like", "ones_like")
def filled_like(node: MxNode) -> Expr:
    """Return zeros or ones in the shape of a tensor."""
    op = ZerosLike() if node.op == "zeros_like" else OnesLike()
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("_scatter_elemwise_div")
def scatter_divide(node: MxNode) -> Expr:
    """Translate the division of a sparse tensor, which is dense here."""
    return Call(Divide(), (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("_scatter_plus_scalar", "_scatter_minus_scalar")
def scatter_with_number(node: MxNode) -> Expr:
    """Translate the addition of a number to the stored elements of a sparse tensor."""
    node.ignore("is_int")
    x = node.tensor()
    number = Constant(np.array(node.number("scalar"), x.tensor_type.dtype.numpy))
    op = Add() if node.op == "_scatter_plus_scalar" else Subtract()
    return Call(op, (x, number), span=node.span)


@mxnet_operator("_zeros", "_ones", "_full")
def filled(node: MxNode) -> Expr:
    """Translate `_zeros`, `_ones` and `_full`: a tensor filled with one number."""
    node.ignore("ctx")
    shape, element = node.ints("shape", ()), node.dtype()
    if 0 in shape:
        raise node.error(
            ErrorCode.F013,
            f"the shape {shape} contains the size 0, which means that MXNet infers the size",
            help="write all sizes of the shape as numbers before the export",
        )
    if node.op == "_full":
        value = Constant(np.array(node.number("value"), element.numpy))
        return Call(Full(shape, element), (value,), span=node.span)
    op = Zeros(shape, element) if node.op == "_zeros" else Ones(shape, element)
    return Call(op, (), span=node.span)


@mxnet_operator("broadcast_to")
def broadcast_to(node: MxNode) -> Expr:
    """Translate `broadcast_to`; a size of 0 in the target shape means unchanged."""
    old = node.type().shape
    wanted = zip(old, node.ints("shape"), strict=True)
    op = BroadcastTo(tuple(size if new == 0 else new for size, new in wanted))
    return Call(op, (node.tensor(),), span=node.span)


@mxnet_operator("broadcast_axis", "broadcast_axes")
def broadcast_axis(node: MxNode) -> Expr:
    """Translate `broadcast_axis`: broadcast the listed axes of size 1 to the listed sizes."""
    shape = list(node.type().shape)
    for axis, size in zip(node.ints("axis"), node.ints("size"), strict=True):
        shape[axis] = size
    return Call(BroadcastTo(tuple(shape)), (node.tensor(),), span=node.span)


@mxnet_operator("broadcast_like")
def broadcast_like(node: MxNode) -> Expr:
    """Translate `broadcast_like`: broadcast to another tensor's shape, or some axes to its axes."""
    old, new = node.type().shape, node.type(1).shape
    own, others = node.ints("lhs_axes", ()), node.ints("rhs_axes", ())
    if not own:
        return Call(BroadcastTo(new), (node.tensor(),), span=node.span)
    shape = list(old)
    for axis, other in zip(own, others, strict=True):
        shape[axis] = new[other]
    return Call(BroadcastTo(tuple(shape)), (node.tensor(),), span=node.span)

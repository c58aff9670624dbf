"""Translate TensorFlow's binary elementwise operators: arithmetic, comparisons, logic."""

from collections.abc import Callable, Mapping
from functools import reduce

from relay.frontend.builders.integer_powers import power_of
from relay.frontend.builders.tensor_helpers import add_channels, constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.numpy.elementary_functions import arctan2, log1p
from relay.opdef.definition import OperatorDef
from relay.ops.binary import (
    Add,
    Divide,
    FloorDivide,
    FloorMod,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    TruncDivide,
    TruncMod,
    add,
    divide,
    multiply,
    square,
    subtract,
)
from relay.ops.comparison import (
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEqual,
    equal,
    less,
)
from relay.ops.elementwise import Abs
from relay.ops.logical import (
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    LeftShift,
    LogicalAnd,
    LogicalOr,
    RightShift,
)
from relay.ops.selection import where
from relay.ops.transcendental import Log

_PLAIN: Mapping[str, type[OperatorDef]] = {
    "Add": Add,
    "AddV2": Add,
    "BitwiseAnd": BitwiseAnd,
    "BitwiseOr": BitwiseOr,
    "BitwiseXor": BitwiseXor,
    "Div": Divide,
    "Equal": Equal,
    "FloorDiv": FloorDivide,
    "FloorMod": FloorMod,
    "Greater": Greater,
    "GreaterEqual": GreaterEqual,
    "LeftShift": LeftShift,
    "Less": Less,
    "LessEqual": LessEqual,
    "LogicalAnd": LogicalAnd,
    "LogicalOr": LogicalOr,
    "Maximum": Maximum,
    "Minimum": Minimum,
    "Mod": TruncMod,
    "Mul": Multiply,
    "NotEqual": NotEqual,
    "RealDiv": Divide,
    "RightShift": RightShift,
    "Sub": Subtract,
    "TruncateDiv": TruncDivide,
    "TruncateMod": TruncMod,
}


def _unless_zero(tested: Expr, result: Expr) -> Expr:
    """Return `result`, replaced by 0 where `tested` is 0."""
    zero = constant(0, tested.tensor_type.dtype)
    return where(equal(tested, zero), zero, result)


_COMPOSED: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "Atan2": arctan2,
    "DivNoNan": lambda x, y: _unless_zero(y, divide(x, y)),
    "MulNoNan": lambda x, y: _unless_zero(y, multiply(x, y)),
    "Pow": power_of,
    "SquaredDifference": lambda x, y: square(subtract(x, y)),
    "Xdivy": lambda x, y: _unless_zero(x, divide(x, y)),
    "Xlog1py": lambda x, y: _unless_zero(x, multiply(x, log1p(y))),
    "Xlogy": lambda x, y: _unless_zero(x, multiply(x, Call(Log(), (y,)))),
}


@tf_operator(*_PLAIN)
def plain(node: TfNode) -> Expr:
    """Translate an operator that has an equivalent Relay operator."""
    return Call(_PLAIN[node.op](), (node.expr(0), node.expr(1)), span=node.span)


@tf_operator(*_COMPOSED)
def composed(node: TfNode) -> Expr:
    """Translate an arithmetic operator that needs several Relay operators."""
    return _COMPOSED[node.op](node.expr(0), node.expr(1))


@tf_operator("AddN", "AccumulateNV2")
def add_n(node: TfNode) -> Expr:
    """Translate `AddN`: the sum of any number of tensors."""
    return reduce(add, node.exprs())


@tf_operator("BiasAdd", "BiasAddV1")
def bias_add(node: TfNode) -> Expr:
    """Translate `BiasAdd`: add a number for each channel."""
    if node.text("data_format", "NHWC").startswith("NC"):
        return add_channels(node.expr(0), node.expr(1))
    return Call(Add(), (node.expr(0), node.expr(1)), span=node.span)


@tf_operator("ApproximateEqual")
def approximate_equal(node: TfNode) -> Expr:
    """Translate `ApproximateEqual`: whether elements differ by less than a tolerance."""
    x, y = node.exprs()
    tolerance = constant(node.number("tolerance", 1e-5), x.tensor_type.dtype)
    return less(Call(Abs(), (subtract(x, y),)), tolerance)

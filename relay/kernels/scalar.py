"""Scalar expressions: what one element is computed from.

Both stages of the operator compiler speak this language. A tensor expression's body is a scalar
expression that *reads tensors* (`relay.kernels.te`); after lowering the same expression *loads from
buffers* (`relay.kernels.loops`). Expressions are values, so a common subexpression is one object; a
variable is a node, because two loops may share a name.

An expression of a vector dtype (`float32x16`) is legal only in loops, after vectorisation.
"""

from enum import Enum

from relay.support.dtype import DType, bool_, int64
from relay.support.node import Value, node, set_field, value


class Op(Enum):
    """Binary arithmetic; both sides and the result share one dtype."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"  # floats: IEEE division; integers: truncating, as in C
    REM = "%"  # floats: fmod; integers: sign of the dividend, as in C
    FLOORDIV = "//"
    FLOORMOD = "mod"
    MIN = "min"  # NaN on either side gives NaN, as in NumPy
    MAX = "max"
    AND = "&"  # bitwise on integers, logical on bool
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"  # arithmetic for signed integers


class Order(Enum):
    """Comparisons; the result is bool, and with a NaN only NE holds."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class Fn(Enum):
    """Functions of numbers that the machine or our vector math library provides."""

    NEG = "neg"
    NOT = "not"
    ABS = "abs"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    EXP = "exp"
    LOG = "log"
    LOG2 = "log2"
    LOG10 = "log10"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    ASINH = "asinh"
    ACOSH = "acosh"
    ATANH = "atanh"
    ERF = "erf"
    SIGMOID = "sigmoid"
    FLOOR = "floor"
    CEIL = "ceil"
    TRUNC = "trunc"
    ROUND = "round"  # halves away from zero
    ROUND_EVEN = "round_even"  # halves to even
    POW = "pow"  # two arguments
    ATAN2 = "atan2"  # two arguments
    FMA = "fma"  # three arguments: a * b + c, rounded once
    ISNAN = "isnan"  # → bool
    BITCAST = "bitcast"  # the dtype of the call says into what


class Scalar:
    """The base of all scalar expressions; `dtype` is the type of the value."""

    __slots__ = ()
    dtype: DType


@node
class Var(Scalar):
    """A loop index or a let-bound scalar; indices are int64."""

    name: str
    dtype: DType = int64


@value
class Const(Scalar, Value):
    """A literal; `value` is a Python bool, int or float that `dtype` can hold."""

    value: bool | int | float
    dtype: DType = int64


@value
class Binary(Scalar, Value):
    """`a op b`."""

    op: Op
    a: Scalar
    b: Scalar
    dtype: DType = int64

    def __post_init__(self) -> None:
        assert self.a.dtype is self.b.dtype, f"{self.op}: {self.a.dtype} and {self.b.dtype}"
        set_field(self, "dtype", self.a.dtype)


@value
class Compare(Scalar, Value):
    """`a order b`, a bool (with as many lanes as the sides)."""

    order: Order
    a: Scalar
    b: Scalar
    dtype: DType = bool_

    def __post_init__(self) -> None:
        assert self.a.dtype is self.b.dtype, f"{self.order}: {self.a.dtype} and {self.b.dtype}"
        set_field(self, "dtype", DType(bool_.kind, bool_.bits, self.a.dtype.lanes))


@value
class Apply(Scalar, Value):
    """`fn(args…)`; the result has the given dtype."""

    fn: Fn
    args: tuple[Scalar, ...]
    dtype: DType


@value
class Select(Scalar, Value):
    """`then` where `condition` holds, else `other`; only the chosen side's loads may trap."""

    condition: Scalar
    then: Scalar
    other: Scalar
    dtype: DType = int64

    def __post_init__(self) -> None:
        assert self.then.dtype is self.other.dtype
        set_field(self, "dtype", self.then.dtype)


@value
class Cast(Scalar, Value):
    """Convert to another dtype; float to integer truncates toward zero and saturates, NaN is 0."""

    operand: Scalar
    dtype: DType


@value
class Ramp(Scalar, Value):
    """The vector `base, base + stride, …` of `lanes` integers (loops only)."""

    base: Scalar
    stride: Scalar
    lanes: int
    dtype: DType = int64

    def __post_init__(self) -> None:
        base = self.base.dtype
        set_field(self, "dtype", DType(base.kind, base.bits, self.lanes))


@value
class Broadcast(Scalar, Value):
    """One scalar in every lane (loops only)."""

    operand: Scalar
    lanes: int
    dtype: DType = int64

    def __post_init__(self) -> None:
        operand = self.operand.dtype
        set_field(self, "dtype", DType(operand.kind, operand.bits, self.lanes))

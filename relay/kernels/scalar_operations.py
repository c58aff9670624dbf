"""Enumerations of the operations in scalar expressions: arithmetic, comparisons, functions."""

from enum import Enum


class _Operation(Enum):
    """The base of operations, which are often looked up: their hash is that of the object."""

    __hash__ = object.__hash__


class Op(_Operation):
    """A binary operation; both operands and the result have the same dtype."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"  # floats: IEEE division; integers: truncating, as in C
    REM = "%"  # floats: fmod; integers: sign of the dividend, as in C
    FLOORDIV = "//"
    FLOORMOD = "mod"
    MIN = "min"  # NaN if either operand is NaN, as in NumPy
    MAX = "max"
    AND = "&"  # bitwise on integers, logical on bool
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"  # arithmetic for signed integers


class Order(_Operation):
    """A comparison; the result is bool, and only NE holds if an operand is NaN."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class Fn(_Operation):
    """A function of numbers, which the machine or our vector math library provides."""

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
    ROUNDED_PRODUCT = "rounded_product"  # int32, p from 31 to 62: (a * b + 2**(p - 1)) >> p
    ISNAN = "isnan"  # → bool
    BITCAST = "bitcast"  # to the dtype of the call

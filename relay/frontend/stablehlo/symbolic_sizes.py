"""Convert the symbolic sizes of exported JAX functions to dimensions."""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from relay.ir.dims import ANY, Dim, DimVar, maximum, product

LEAST_SIZE = 1
"""The least value of a symbolic size of JAX; exported functions check it."""


def is_shape_polymorphic(module: Any) -> bool:
    """Whether JAX exported an MLIR module with symbolic sizes."""
    return "jax.uses_shape_polymorphism" in module.operation.attributes


def dimension(size: object) -> Dim:
    """Return a size of JAX as a dimension: an integer, or a formula such as `2*b + floordiv(c, 4)`.

    A formula with other functions becomes `Any`.

    >>> str(dimension("2*b + floordiv(c, 4)"))
    '2 * b + floordiv(c, 4)'
    """
    if isinstance(size, int):
        return size
    return _evaluated(ast.parse(str(size).replace("^", "**"), mode="eval").body)


def _evaluated(formula: ast.expr) -> Dim:
    match formula:
        case ast.Constant(int() as number):
            return number
        case ast.Name(name):
            return DimVar(name)
        case ast.UnaryOp(ast.USub(), operand):
            return -_evaluated(operand)
        case ast.BinOp(left, ast.Add(), right):
            return _evaluated(left) + _evaluated(right)
        case ast.BinOp(left, ast.Sub(), right):
            return _evaluated(left) - _evaluated(right)
        case ast.BinOp(left, ast.Mult(), right):
            return _evaluated(left) * _evaluated(right)
        case ast.BinOp(base, ast.Pow(), ast.Constant(int() as exponent)):
            return product([_evaluated(base)] * exponent)
        case ast.Call(ast.Name(name), [left, right]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_evaluated(left), _evaluated(right))
        case _:
            return ANY


_FUNCTIONS: Mapping[str, Callable[[Dim, Dim], Dim]] = {
    "floordiv": lambda a, b: a // b,
    "max": maximum,
    "min": lambda a, b: a + b - maximum(a, b),
    "mod": lambda a, b: a % b,
}

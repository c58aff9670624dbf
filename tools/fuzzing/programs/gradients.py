"""Check gradients of random programs against finite differences, with every executor."""

from collections.abc import Sequence
from functools import reduce
from inspect import signature
from typing import Any

import numpy as np

from relay.autodiff.grad import value_and_grad
from relay.autodiff.tangent_types import holds_data
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    Let,
    Operator,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.creation import Filled
from relay.ops.sum_and_mean_reductions import Sum
from relay.semantics.collect_traps import collect
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data, Value
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.dtype import DType, float32, float64
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, DifferentiationError, RunError
from relay.support.node import replace
from relay.transform.monomorphize import Monomorphize
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types
from tools.fuzzing.gradients import forward_slope, inner, randomly_like, shifted
from tools.fuzzing.programs.executors import check_executors
from tools.fuzzing.programs.laws import Broken
from tools.fuzzing.programs.program import Program

_STEPS = (1e-5, 1e-6)
_TOLERANCE = 1e-4
_MOST_STEPS = 200_000
"""The most steps of an evaluation: in float64, a loop may not end that ends in float32."""


def check_gradient_of(program: Program, levels: Sequence[int] = ()) -> str:
    """Raise `Broken` unless the gradient of a random program is right; return the outcome.

    The program computes in float64, and returns the sum of all floats in its result. Where it traps
    or is not smooth, nothing is compared.
    """
    prepared = differentiable(program)
    if isinstance(prepared, str):
        return prepared
    module, inputs = prepared
    for number in range(len(inputs)):
        found = _check(module, inputs, number, levels)
        if found is not None:
            return found
    return "no floats among the arguments"


def differentiable(program: Program) -> tuple[Module, tuple[Value, ...]] | str:
    """Return a program in float64 whose result is a number, and inputs; or why there is none."""
    try:
        plain = Monomorphize()(infer(program.module))
    except CompileError:
        return "generic without end"
    module = _with_number(with_rewritten_types(plain, _Doubled()))
    if module is None:
        return "no floats in the result"
    pairs = zip(module.main.params, program.inputs, strict=True)
    inputs = tuple(_value_of(param.type, value, module) for param, value in pairs)
    try:
        found = collect(module, *inputs, most_steps=_MOST_STEPS)
    except RunError:
        return "traps"
    return "traps" if found.must_trap else (module, inputs)


def _check(
    module: Module, inputs: tuple[Value, ...], number: int, levels: Sequence[int]
) -> str | None:
    try:
        derived = value_and_grad(module, number)
    except DifferentiationError as error:
        if error.code in {ErrorCode.D003, ErrorCode.D004}:
            return None
        raise
    check_well_formed(derived)
    check_types(derived)
    found: Any = evaluate(derived, *inputs)
    direction = randomly_like(found[1], np.random.default_rng(number))
    measured = _slope(module, inputs, number, direction)
    if measured is None:
        return "not smooth"
    computed = inner(found[1], direction)
    if not np.isclose(computed, measured, rtol=_TOLERANCE, atol=_TOLERANCE):
        raise Broken(f"the slope is {measured}, the derivative {computed}", module)
    if not holds_data(module.main.params[number].type):
        pushed = forward_slope(module, inputs, number, direction)
        if not np.isclose(pushed, computed, rtol=1e-9, atol=1e-9):
            raise Broken(f"forward mode gives {pushed}, reverse mode {computed}", module)
    if levels:
        check_executors(Program(derived, inputs), levels)
    return "right"


def is_smooth(module: Module, inputs: Sequence[Any], number: int, derived: Any) -> bool:
    """Whether the one-sided slopes of an argument agree in a random direction.

    `derived` are the value and the derivative.
    """
    direction = randomly_like(derived[1], np.random.default_rng(number))
    return _slope(module, inputs, number, direction) is not None


def _slope(module: Module, inputs: Sequence[Any], number: int, direction: Any) -> float | None:
    """Return the slope along a direction of an argument; None if both one-sided slopes differ."""

    def at(step: float) -> float:
        moved = [*inputs]
        moved[number] = shifted(inputs[number], direction, step)
        value: Any = evaluate(module, *moved)
        return float(value)

    try:
        here = at(0.0)
        sides = [(at(s * h) - here) / (s * h) for h in _STEPS for s in (1, -1)]
    except RunError:
        return None
    smooth = bool(np.all(np.isfinite(sides))) and np.allclose(sides, sides[-1], 1e-3, 1e-3)
    return (sides[-2] + sides[-1]) / 2 if smooth else None


class _Doubled(TypeRewriter):
    """A rewriter from float32 to float64, including operators' attributes."""

    def __init__(self) -> None:
        super().__init__(_double_type)

    def visit(self, expr: Expr, new: list[Expr]) -> Expr:
        match expr:
            case Constant(data) if data.dtype == np.float32:
                return Constant(data.astype(np.float64), span=expr.span)
            case Operator():
                return _double_operator(expr)
            case Call(OperatorDef() as op) if op.name.startswith("qnn."):
                names = enumerate(signature(op.infer).parameters)
                scales = {place for place, name in names if name.endswith("scale")}
                args = [_single(x) if i in scales else x for i, x in enumerate(new)]
                return super().visit(expr, args)
            case _:
                return super().visit(expr, new)


def _single(scale: Expr) -> Expr:
    """Return a scale of quantised numbers in float32, the only type that it may have."""
    return Call(Cast(float32), (scale,))


def _double_type(ty: Type) -> Type | None:
    if isinstance(ty, TensorType) and ty.dtype is float32:
        return TensorType(ty.shape, float64)
    return None


def _double_operator(op: Operator) -> Operator:
    names = [name for name in op.__match_args__ if getattr(op, name) is float32]
    if isinstance(op, Filled) and op.dtype is None:
        names.append("dtype")
    changed: dict[str, DType] = dict.fromkeys(names, float64)
    return replace(op, **changed) if changed else op


def _value_of(ty: Type, value: Any, module: Module) -> Any:
    """Return a value of a program with the types of the rewritten program."""
    match ty:
        case TensorType(_, dtype):
            return value.astype(dtype.numpy)
        case TupleType(fields):
            pairs = zip(fields, value, strict=True)
            return tuple(_value_of(*pair, module) for pair in pairs)
        case TypeCall(head) if isinstance(value, Data | Constructor):
            was = value if isinstance(value, Constructor) else value.constructor
            fields = () if isinstance(value, Constructor) else value.fields
            made = module.alternatives(head)[was.index]
            pairs = zip(made.inputs, fields, strict=True)
            return Data(made, tuple(_value_of(*pair, module) for pair in pairs))
        case _:
            return value


def _with_number(module: Module) -> Module | None:
    """Return a module whose `main` sums the floats in its result; None if there are none."""
    main = module.main
    result = Var("result", main.body.type)
    numbers = [Call(Sum(), (each,)) for each in _floats(result)]
    if not numbers:
        return None
    body = Let(result, main.body, reduce(add, numbers[1:], numbers[0]))
    return infer(module.with_function("main", Function(main.params, body)))


def _floats(value: Expr) -> list[Expr]:
    match value.type:
        case TensorType(_, dtype) if dtype is float64:
            return [value]
        case TupleType(fields):
            return [x for i in range(len(fields)) for x in _floats(TupleGetItem(value, i))]
        case _:
            return []

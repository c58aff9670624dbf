"""Random chains of operators over mixed element types, fused to one kernel, against references.

A kernel is vectorised for one element type, and operators fused into it may have elements of
another width. Chains draw all element types, operators of every fusible family, and sizes around
every vector width.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from relay.build.compile import compile_static
from relay.ir.expr import Array, Call, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Maximum, Minimum, Multiply
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, Less
from relay.ops.elementwise import Abs, Clip, Negative
from relay.ops.families import Pointwise
from relay.ops.max_min_reductions import Max, Min
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import Where
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.ops.transcendental import Exp, Sigmoid, Tanh
from relay.runtime.native_executable import NativeExecutable
from relay.semantics.apply_operator import value_of
from relay.semantics.infer import infer
from relay.support.dtype import DType, bool_, dtype
from relay.support.node import node
from relay.targets.cpu import cpu_target

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_TYPES = (*_FLOATS, "int8", "uint8", "int16", "int32", "int64", "uint32", "bool")
_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 63, 64, 65, 100, 130)
_WIDEST = 2.0**30  # casts of larger numbers saturate or wrap
_EXTREME = 0.1  # the fraction of integers at an end of the type's range
_SMALL = 12  # the sizes of all axes but the last are drawn from these
_ERROR = {"float16": 8e-3, "bfloat16": 6e-2, "float32": 1e-4, "float64": 1e-10}

Step: TypeAlias = Callable[[Expr], Expr]


@node
class Chain:
    """A chain of operators, and the tensor that the first one takes."""

    steps: tuple[Step, ...]
    given: Array

    @property
    def error(self) -> float:
        """Return a bound on the rounding error, relative to a number and to 1."""
        expr: Expr = Constant(self.given)
        kinds = [expr.tensor_type.dtype]
        for step in self.steps:
            expr = step(expr)
            kinds.append(expr.tensor_type.dtype)
        return max(_ERROR.get(str(kind), 0.0) for kind in kinds)

    @property
    def function(self) -> Function:
        """Return the chain as a function whose body is one kernel."""
        ty = TensorType(self.given.shape, str(self.given.dtype))
        param = Var("x", ty, ty=ty)
        body: Expr = param
        for step in self.steps:
            body = step(body)
        return Function((param,), body)


def random_chain(number: int) -> Chain:
    """Return the chain with that number: three to six operators on a tensor of rank 1 to 3."""
    draw = Random(number)  # noqa: S311 - a case, not a secret
    sizes = [draw.choice(_SIZES[:_SMALL]) for _ in range(draw.randint(0, 2))]
    shape = (*sizes, draw.choice(_SIZES))
    given = _random_array(shape, dtype(draw.choice(_TYPES)), np.random.default_rng(number))
    expr: Expr = Constant(given)
    steps: list[Step] = []
    for _ in range(draw.randint(3, 6)):
        steps.append(_random_step(expr.tensor_type, draw))
        expr = steps[-1](expr)
    return Chain(tuple(steps), given)


def _random_array(shape: tuple[int, ...], kind: DType, rng: np.random.Generator) -> Array:
    """Return numbers around 0; one integer in ten is an end of its type's range."""
    around = rng.standard_normal(shape) * 2
    if kind.is_float or kind is bool_:
        return (around > 0 if kind is bool_ else around).astype(kind.numpy)
    limits = np.iinfo(str(kind))
    ends = rng.choice(np.array([limits.min, limits.min + 1, limits.max - 1, limits.max]), shape)
    small = np.clip(np.round(20 * around), max(limits.min, -100), 100).astype(kind.numpy)
    return np.where(rng.random(shape) < _EXTREME, ends.astype(kind.numpy), small)


def _random_step(ty: TensorType, draw: Random) -> Step:
    """Return an operator that takes a tensor of that type."""
    choices: list[Step] = [_cast_to(draw.choice(_TYPES))]
    if ty.dtype is bool_:
        choices.append(_choosing)
    else:
        choices += [
            partial(
                _beside, draw.choice((Add, Multiply, Maximum, Minimum))(), draw.choice((2, 1, 3))
            )
        ]
        choices += [partial(_beside, draw.choice((Less, Greater))(), 1), _of(Clip(-3.0, 2.0))]
    if ty.dtype.is_float:
        choices += [_of(op()) for op in (Exp, Sigmoid, Tanh, Abs, Negative)]
    if ty.rank:
        axis = draw.randrange(ty.rank)
        keep = draw.random() < 0.7
        choices += 2 * [_of(draw.choice((Sum, Max, Min))(axis=(axis,), keepdims=keep))]
        choices += _moves(ty, axis, draw)
        if ty.dtype is not bool_:
            choices += [_of(Mean(axis=(axis,), keepdims=keep))]
        if ty.dtype.is_float:
            choices += 3 * [_of(draw.choice((Softmax, LogSoftmax))(axis=draw.choice((axis, -1))))]
    if ty.rank > 1:
        order = draw.sample(range(ty.rank), ty.rank)
        choices += [_of(Transpose(tuple(order))), _of(Reshape((-1,)))]
    return draw.choice(choices)


def _moves(ty: TensorType, axis: int, draw: Random) -> list[Step]:
    """Return operators that move or drop elements along an axis."""
    size = ty.static_shape[axis]
    begin, step = draw.randrange(size), draw.choice((1, 2, -1))
    end = size if step > 0 else -(size + 1)
    places = np.array([draw.randrange(size) for _ in range(draw.choice(_SIZES[:_SMALL]))])
    return [
        _of(StridedSlice((begin,), (end,), (step,), axes=(axis,))),
        partial(_looked_up, Take(axis=axis), places),
        partial(_twice, Concatenate(axis=axis)),
        _of(Reverse(axis)),
    ]


def _looked_up(op: OperatorDef, places: Array, x: Expr) -> Expr:
    return Call(op, (x, Constant(places)))


def _twice(op: OperatorDef, x: Expr) -> Expr:
    return Call(op, (Tuple((x, x)),))


def _of(op: OperatorDef) -> Step:
    return partial(_applied, op)


def _applied(op: OperatorDef, x: Expr) -> Expr:
    return Call(op, (x,))


def _cast_to(kind: str) -> Step:
    return _of(Cast(dtype(kind)))


def _beside(op: OperatorDef, value: int, x: Expr) -> Expr:
    return Call(op, (x, Constant(np.asarray(value, x.tensor_type.dtype.numpy))))


def _choosing(x: Expr) -> Expr:
    one, other = (Constant(np.asarray(value, np.float32)) for value in (1.5, -2.0))
    return Call(Where(), (x, one, other))


def check_chain(number: int, machine: CpuModel) -> None:
    """Check that a chain compiled for a machine equals the references of its operators.

    Rounding may change a number across an edge when it is cast to an integer or compared; elements
    that depend on such numbers are not compared.
    """
    chain = random_chain(number)
    expected, certain = _expected(chain)
    module = infer(Module.of(chain.function))
    program = compile_static(module, cpu_target(machine), Options(), cache=None)
    found = NativeExecutable(program, threads=1)(chain.given)
    assert isinstance(found, np.ndarray)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    wide, wanted = found.astype(np.float64)[certain], expected.astype(np.float64)[certain]
    bound = chain.error
    np.testing.assert_allclose(wide, wanted, rtol=bound, atol=bound)


def _expected(chain: Chain) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the value of a chain by references, and a mask of the elements to compare."""
    value, certain = chain.given, np.ones(chain.given.shape, np.bool_)
    for step in chain.steps:
        call = step(Constant(value))
        assert isinstance(call, Call)
        result = value_of(call)
        assert isinstance(result, np.ndarray)
        if isinstance(call.op, Pointwise):
            certain = certain & ~_on_edge(call.op, value, chain.error)
        elif not certain.all():
            certain = np.zeros(result.shape, np.bool_)
        elif certain.shape != result.shape:
            certain = np.ones(result.shape, np.bool_)
        value = result
    return value, certain


def _on_edge(op: OperatorDef, value: Array, error: float) -> npt.NDArray[np.bool_]:
    """Return a mask of elements near an edge, which rounding may cross."""
    wide = value.astype(np.float64)
    rounds = isinstance(op, Cast) and not op.dtype.is_float and dtype(value.dtype).is_float
    if not rounds and not isinstance(op, Less | Greater):
        return np.zeros(value.shape, np.bool_)
    with np.errstate(invalid="ignore"):
        near = np.abs(wide - np.round(wide)) <= 4 * error * (1 + np.abs(wide))
    return near | (np.abs(wide) > _WIDEST)

"""Hypothesis strategies: element types, shapes, types, and random well-typed programs."""

from typing import Protocol, TypeVar

import numpy as np
from hypothesis import strategies as st

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table of operators
from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module
from relay.ir.types import BOOL, FuncType, RefType, TensorType, TupleType, Type
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType, dtype, float32

_Drawn = TypeVar("_Drawn")


class Draw(Protocol):
    """The function that `st.composite` passes, which draws a value from a strategy."""

    def __call__(self, strategy: st.SearchStrategy[_Drawn], /) -> _Drawn: ...


_SIZES = (1, 2, 3, 5)
_UNARY = ("nn.relu", "tanh", "sigmoid", "negative", "abs", "exp")
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum")


def element_types() -> st.SearchStrategy[DType]:
    """Return a strategy of every element type that NumPy can represent."""
    names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64"
    return st.sampled_from([dtype(n) for n in f"{names} float16 float32 float64 bfloat16".split()])


def shapes(max_rank: int = 3) -> st.SearchStrategy[tuple[int, ...]]:
    """Return a strategy of small static shapes."""
    return st.lists(st.sampled_from(_SIZES), max_size=max_rank).map(tuple)


def dimensions() -> st.SearchStrategy[Dim]:
    """Return a strategy of dimensions: numbers, symbols, arithmetic on them, and `Any`."""
    n, k = DimVar("n"), DimVar("k")
    computed = [n, k, 2 * n, n + 1, n * k - 3, (n + k) // 2, ANY, DimVar("odd name")]
    return st.integers(0, 7) | st.sampled_from(computed)


def types() -> st.SearchStrategy[Type]:
    """Return a strategy of types of every kind, without type variables."""
    tensors = st.builds(TensorType, st.lists(dimensions(), max_size=3).map(tuple), element_types())
    return st.recursive(
        tensors,
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda fields: TupleType(tuple(fields)))
            | st.builds(RefType, inner)
            | st.builds(
                lambda params, result: FuncType(tuple(params), result), st.lists(inner), inner
            )
        ),
        max_leaves=6,
    )


def scalars() -> st.SearchStrategy[Constant]:
    """Return a strategy of rank-0 constants of every element type and bit pattern."""

    def constant(element: DType, bits: bytes) -> Constant:
        width = element.numpy.itemsize
        data = np.frombuffer(bits[:width], element.numpy)[0]
        return Constant(np.array(bits[0] & 1 if element is dtype("bool") else data, element.numpy))

    return st.builds(constant, element_types(), st.binary(min_size=8, max_size=8))


class _Grower:
    """A generator of expressions of float32 tensors from the values in scope."""

    def __init__(self, draw: Draw, *, control: bool) -> None:
        self.draw = draw
        self.control = control
        self.count = 0

    def name(self, hint: str = "v") -> str:
        """Return a variable name; names repeat, so that printing must distinguish them."""
        return f"{hint}{self.draw(st.integers(0, 2))}"

    def pick(self, scope: list[Expr]) -> Expr:
        """Return one of the values in scope, all with equal probability."""
        return scope[self.draw(st.integers(0, len(scope) - 1))]

    def body(self, scope: list[Expr], steps: int) -> Expr:
        """Return an expression of a few operations on the values in scope."""
        scope = list(scope)
        makers = [self.unary, self.binary, self.constant, self.pair]
        if self.control:
            makers += [self.choice, self.let, self.closure]
        for _ in range(steps):
            scope.append(self.draw(st.sampled_from(makers))(scope, steps))
        return scope[-1]

    def unary(self, scope: list[Expr], steps: int) -> Expr:
        """Return a call of an operator with one argument."""
        return Call(OPERATORS[self.draw(st.sampled_from(_UNARY))](), (self.pick(scope),))

    def binary(self, scope: list[Expr], steps: int) -> Expr:
        """Return a call of an operator with two arguments of one shape, or with a scalar."""
        x = self.pick(scope)
        same = [other for other in scope if other.type in (x.type, TensorType(()))]
        op = OPERATORS[self.draw(st.sampled_from(_BINARY))]()
        return Call(op, (x, self.pick([*same, Constant(np.array(0.5, np.float32))])))

    def constant(self, scope: list[Expr], steps: int) -> Expr:
        """Return a constant with the shape of a value in scope."""
        shape = self.pick(scope).tensor_type.static_shape
        value = self.draw(st.floats(-2, 2, width=32))
        return Constant(np.full(shape, value, np.float32))

    def pair(self, scope: list[Expr], steps: int) -> Expr:
        """Return a field of a tuple of two values."""
        pair = Tuple((self.pick(scope), self.pick(scope)))
        return TupleGetItem(pair, self.draw(st.integers(0, 1)))

    def choice(self, scope: list[Expr], steps: int) -> Expr:
        """Return a conditional between two values of one type."""
        x = self.pick(scope)
        total = Call(OPERATORS["sum"](), (self.pick(scope),))
        condition = Call(OPERATORS["less"](), (total, Constant(np.array(1, np.float32))))
        assert condition.type is BOOL
        then = self.body([x], steps // 2) if steps > 1 else x
        return If(condition, then, x)

    def let(self, scope: list[Expr], steps: int) -> Expr:
        """Return a let expression whose variable is used in its body."""
        value = self.pick(scope)
        var = Var(self.name(), ty=value.type)
        return Let(var, value, self.body([*scope, var], steps // 2))

    def closure(self, scope: list[Expr], steps: int) -> Expr:
        """Return a let-bound function that may capture variables, and a call of it."""
        arg = self.pick(scope)
        param = Var(self.name("p"), arg.type)
        function = Function((param,), self.body([*scope, param], steps // 2))
        var = Var(self.name("f"), ty=function.type)
        return Let(var, function, Call(var, (arg,)))


@st.composite
def modules(draw: Draw, *, control: bool = True, max_steps: int = 6) -> Module:
    """Return a strategy of well-typed modules whose `main` takes one to three float32 tensors.

    With `control` they contain conditionals, bindings, closures, and sometimes a second function.
    """
    shape = draw(shapes())
    grower = _Grower(draw, control=control)
    params = tuple(
        Var(grower.name("x"), TensorType(shape, float32)) for _ in range(draw(st.integers(1, 3)))
    )
    scope: list[Expr] = list(params)
    functions: dict[str, Function] = {}
    if control and draw(st.booleans()):
        inner = Var("x", TensorType(shape, float32))
        functions["helper"] = Function((inner,), grower.body([inner], 2))
        callee = GlobalVar("helper", ty=functions["helper"].type)
        scope.append(Call(callee, (params[0],)))
    steps = draw(st.integers(1, max_steps))
    results = [grower.body(scope, steps) for _ in range(draw(st.integers(1, 2)))]
    body = results[0] if len(results) == 1 else Tuple(tuple(results))
    return Module({"main": Function(params, body), **functions})

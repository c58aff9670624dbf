"""Check operators compiled with symbolic sizes: one kernel must work for all sizes."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from relay.build.compile_kernels import scheduled_kernel
from relay.build.kernel_sizes import dimensions
from relay.ir.dims import Dim, DimVar, elements
from relay.ir.expr import Array, Call, Expr, Function, Tuple, Var
from relay.ir.types import TensorType, TupleType, Type, has_any, substitute_dims
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.semantics.apply_operator import TensorValue, apply
from relay.support.errors import RelayTypeError, RunError
from relay.targets.cpu import this_cpu
from relay.testing.compare_values import assert_close, flat
from relay.testing.example_arguments import draw
from relay.testing.example_types import fields_of

SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 257)
_MOST = 1 << 18  # the limit of elements of an argument or a result
_SEED = 22
_LONG = 100  # sums are longer than those of the examples, and less exact accordingly


@dataclass(frozen=True)
class Case:
    """An operator with argument types in which one size, or all sizes, are symbolic."""

    op: OperatorDef
    types: tuple[Type, ...]
    example: Example

    def check(self, sizes: Sequence[int] = SIZES, level: int = 1) -> int:
        """Compare the kernel with the reference for each size; return the number of valid sizes.

        `level` is LLVM's optimisation level.
        """
        result = self.op.result_type(self.types)
        assert result is not None
        try:
            kernel = SizedKernel(call_of(self.op, self.types), level)
        except RelayTypeError:
            return 0  # the kernel requires a static size
        checked = 0
        for number in range(len(sizes)):
            values = {dim: _next(sizes, number + k) for k, dim in enumerate(kernel.dims)}
            static = _static_types(self.op, self.types, result, values)
            if static is not None:
                arguments = _arguments(self.example, static)
                if self.op.may_trap:
                    arguments = _inside(arguments, static)
                expected = _expected(self.op, arguments)
                if expected is None:
                    continue
                found = kernel(arguments, [values[dim] for dim in kernel.dims], result)
                assert_close(found, expected, _LONG * self.example.tolerance)
                checked += 1
        return checked


class SizedKernel:
    """A primitive function that is compiled once, for symbolic sizes."""

    def __init__(self, function: Function, level: int = 1) -> None:
        self.dims = dimensions(function)
        self._kernel = scheduled_kernel(function, this_cpu())
        (code,) = compile_kernels([self._kernel], this_cpu().machine, Options(level=level))
        self._call = Engine([code]).function(self._kernel, code)

    def __call__(
        self, arguments: Sequence[TensorValue], sizes: Sequence[int], result: Type
    ) -> TensorValue:
        """Return the kernel's result for arguments with these sizes."""
        known: dict[DimVar, Dim] = dict(zip(self.dims, sizes, strict=True))
        types = fields_of(substitute_dims(result, known))
        outputs = tuple(np.empty(ty.static_shape, ty.dtype.numpy) for ty in types)
        inputs = [np.asarray(array, order="C") for each in arguments for array in flat(each)]
        self._call(*inputs, *outputs, *sizes)
        return outputs if isinstance(result, TupleType) else outputs[0]


def call_of(op: OperatorDef, types: Sequence[Type]) -> Function:
    """Return a primitive function that contains one call of an operator."""
    args = [_variables(ty) for ty in types]
    params = [var for arg in args for var in (arg.fields if isinstance(arg, Tuple) else (arg,))]
    return Function(cast("tuple[Var, ...]", tuple(params)), Call(op, tuple(args)))


def _variables(ty: Type) -> Expr:
    if isinstance(ty, TupleType):
        return Tuple(tuple(Var("x", field) for field in ty.fields))
    return Var("x", ty)


def cases(op: OperatorDef, example: Example) -> Iterator[Case]:
    """Yield cases of an example with one size symbolic at a time, then with all symbolic."""
    found = {dim for ty in example.types for field in fields_of(ty) for dim in field.shape}
    sizes = sorted(size for size in found if isinstance(size, int) and size > 1)
    choices = [{size: DimVar("n")} for size in sizes]
    if len(sizes) > 1:
        choices.append({size: DimVar(f"n{k}") for k, size in enumerate(sizes)})
    if _has_blocks(op):
        return
    for names in choices:
        types = tuple(_renamed(ty, names) for ty in example.types)
        if _is_typed(op, types):
            yield Case(op, types, example)


def _has_blocks(op: OperatorDef) -> bool:
    """Whether an attribute of an operator is a blocked layout, which determines some sizes."""
    attributes = (getattr(op, name) for name in op.__match_args__)
    return any(isinstance(each, str) and re.search(r"[0-9][a-z]", each) for each in attributes)


def _is_typed(op: OperatorDef, types: Sequence[Type]) -> bool:
    try:
        result = op.result_type(types)
    except RelayTypeError:
        return False
    return result is not None and not has_any(result)


def _renamed(ty: Type, names: Mapping[int, DimVar]) -> Type:
    if isinstance(ty, TupleType):
        return TupleType(tuple(_renamed(field, names) for field in ty.fields))
    assert isinstance(ty, TensorType)
    shape = (names.get(dim, dim) if isinstance(dim, int) else dim for dim in ty.shape)
    return TensorType(tuple(shape), ty.dtype)


def _next(sizes: Sequence[int], place: int) -> int:
    return sizes[place % len(sizes)]


def _static_types(
    op: OperatorDef, types: Sequence[Type], result: Type, sizes: Mapping[DimVar, int]
) -> list[Type] | None:
    """Return argument types with sizes inserted; None if the operator rejects them."""
    known: dict[DimVar, Dim] = {**sizes}
    try:
        static = [substitute_dims(ty, known) for ty in types]
        found, expected = op.result_type(static), substitute_dims(result, known)
    except RelayTypeError:
        return None
    if found is None or found is not expected:
        return None
    fields = [field for ty in (*static, found) for field in fields_of(ty)]
    return static if all(elements(f.static_shape) <= _MOST for f in fields) else None


def _expected(op: OperatorDef, arguments: Sequence[TensorValue]) -> TensorValue | None:
    """Return the reference's value; None if NumPy rejects the sizes."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return apply(op, *arguments)
    except (RunError, ValueError, IndexError):
        return None


def _arguments(example: Example, types: Sequence[Type]) -> list[TensorValue]:
    rng = np.random.default_rng(_SEED)

    def array(ty: TensorType, given: Any) -> Array:
        shape = ty.static_shape
        if given is None:
            return draw(shape, ty.dtype, example.domain, rng)
        return np.resize(np.asarray(given).astype(ty.dtype.numpy), shape)

    values: list[TensorValue] = []
    for position, ty in enumerate(types):
        given = example.values.get(position)
        if isinstance(ty, TupleType):
            each = given or [None] * len(ty.fields)
            values.append(tuple(map(array, fields_of(ty), each)))
        else:
            values.append(array(cast("TensorType", ty), given))
    return values


def _inside(arguments: Sequence[TensorValue], types: Sequence[Type]) -> list[TensorValue]:
    """Return arguments with integers reduced to valid indices of all axes."""
    sizes = [size for ty in types for field in fields_of(ty) for size in field.static_shape]
    least = max(1, min(sizes, default=1))

    def near(array: Array) -> Array:
        is_index = np.issubdtype(array.dtype, np.integer)
        return np.fmod(array, least).astype(array.dtype) if is_index else array

    return [tuple(map(near, each)) if isinstance(each, tuple) else near(each) for each in arguments]

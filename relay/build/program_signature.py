"""The signature of a program as its callers see it: names, shapes and dtypes."""

from collections.abc import Sequence
from typing import cast

from relay.ir.dims import Dim, DimVar, variables
from relay.ir.expr import Function
from relay.ir.types import TensorType, TupleType, Type
from relay.runtime.program import Signature, TensorSpec
from relay.support.dims.algebra import MADE
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace
from relay.transform.lower_complex import INPUTS, RESULTS


def signature_of(main: Function) -> Signature:
    """Return the signature of a typed function; symbolic dimensions appear by name.

    The attribute `outputs`, which a frontend may set, has the names of the results. Raises `C102`
    for a parameter or a result that is not a tensor.
    """
    result = main.body.type
    types: Sequence[Type] = result.fields if isinstance(result, TupleType) else (result,)
    given = cast("Sequence[str]", main.attrs.get("outputs", ()))
    names = [given[i] if i < len(given) else f"output{i}" for i in range(len(types))]
    inputs = inputs_of(main)
    input_sizes = frozenset(dim for spec in inputs for dim in spec.shape)
    outputs = tuple(
        _with_known_sizes(_spec(name, ty), input_sizes)
        for name, ty in zip(names, types, strict=True)
    )
    outputs = _marked(outputs, complex_numbers(main, RESULTS))
    return Signature(inputs, outputs, is_tuple=isinstance(result, TupleType))


def inputs_of(main: Function) -> tuple[TensorSpec, ...]:
    """Return the signature of a typed function's inputs; raises `C102` as `signature_of` does."""
    found = tuple(_spec(param.name, param.type) for param in main.params)
    return _marked(found, complex_numbers(main, INPUTS))


def complex_numbers(main: Function, attribute: str) -> Sequence[int]:
    """Return the numbers of the inputs or results of an entry that are complex for its callers."""
    return cast("Sequence[int]", main.attrs.get(attribute, ()))


def _marked(specs: Sequence[TensorSpec], numbers: Sequence[int]) -> tuple[TensorSpec, ...]:
    pairs = enumerate(specs)
    return tuple(replace(spec, is_complex=True) if i in numbers else spec for i, spec in pairs)


def _with_known_sizes(result: TensorSpec, input_sizes: frozenset[int | str]) -> TensorSpec:
    """Return a result with `?` for sizes that passes named and that inputs do not have."""
    shape = (
        "?" if isinstance(size, str) and size.startswith(MADE) and size not in input_sizes else size
        for size in result.shape
    )
    return TensorSpec(result.name, tuple(shape), result.dtype)


def _spec(name: str, ty: Type) -> TensorSpec:
    if not isinstance(ty, TensorType):
        raise CompileError(
            ErrorCode.C102,
            f"'{name}' of type {ty!r} cannot be an input or a result of a compiled program",
            help="use tensors as inputs, and tensors or one tuple of tensors as the result",
        )
    return TensorSpec(name, crossing_shape(ty), ty.dtype)


def crossing_shape(ty: TensorType) -> tuple[int | str, ...]:
    """Return the shape of a tensor as callers see it."""
    return tuple(map(dimension, ty.shape))


def dimension(dim: Dim) -> int | str:
    """Return a dimension as callers see it: a number, text, or `?` if it depends on data.

    A name that a pass introduced is kept only where it is the whole size of an input.
    """
    if isinstance(dim, int):
        return dim
    is_made = any(name.is_made for name in variables(dim))
    return "?" if is_made and not isinstance(dim, DimVar) else str(dim)

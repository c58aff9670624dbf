"""Check operators on complex numbers: calls on their parts compute what NumPy computes."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from relay.build.compile import compile_module
from relay.build.program_signature import signature_of
from relay.ir.expr import Array, Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef.complex_rules import find_complex_rule, is_complex
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.runtime.complex_arrays import inner_arrays, outer_arrays
from relay.semantics.apply_operator import TensorValue, apply
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.dtype import complex64, complex128, float32, float64
from relay.support.errors import RelayTypeError
from relay.testing.compare_values import assert_close, flat
from relay.testing.example_arguments import draw
from relay.testing.example_types import fields_of
from relay.transform.lower_complex import LowerComplex

_COMPLEX = {float32: complex64, float64: complex128}
_SEED = 33


def takes_complex(cls: type[OperatorDef]) -> bool:
    """Whether there is a rule for an operator on complex numbers."""
    return bool(cls.examples) and find_complex_rule(cls(**cls.examples[0].attributes)) is not None


def check_complex(op: OperatorDef, example: Example) -> None:
    """Check an operator on complex numbers against the NumPy reference.

    The tensors of floats in the example become complex, together and each alone, where the type
    rule accepts them. The calls on their parts are evaluated; for the first example, they are also
    compiled.
    """
    for types in complex_types(op, example.types):
        function, values = _program(op, types), _arguments(example, types)
        expected, arrays = apply(op, *values), [each for value in values for each in flat(value)]
        module = LowerComplex()(infer(Module.of(function)))
        signature = signature_of(module.main)
        found: Any = evaluate(module, *inner_arrays(arrays, signature.inputs))
        results = outer_arrays([np.asarray(each) for each in flat(found)], signature.outputs)
        assert_close(tuple(results), flat(expected), 4 * example.tolerance)
        if example is type(op).examples[0]:
            compiled: Any = compile_module(Module.of(function), opt_level=2)(*arrays)
            assert_close(flat(compiled), flat(expected), 4 * example.tolerance)


def complex_types(op: OperatorDef, types: Sequence[Type]) -> Iterator[tuple[Type, ...]]:
    """Yield the types with complex elements in all arguments of floats, and in each alone.

    Only those with complex elements that the operator accepts are yielded.
    """
    choices = [tuple(map(_complex, types))]
    choices += [(*types[:at], _complex(ty), *types[at + 1 :]) for at, ty in enumerate(types)]
    for chosen in dict.fromkeys(choices):
        if any(map(is_complex, chosen)) or not types:
            try:
                op.result_type(chosen)
            except RelayTypeError:
                continue
            yield chosen


def _complex(ty: Type) -> Type:
    if isinstance(ty, TupleType):
        return TupleType(tuple(map(_complex, ty.fields)))
    assert isinstance(ty, TensorType)
    return TensorType(ty.shape, _COMPLEX.get(ty.dtype, ty.dtype))


def _arguments(example: Example, types: Sequence[Type]) -> tuple[TensorValue, ...]:
    rng = np.random.default_rng(_SEED)

    def array(ty: TensorType, given: Any) -> Array:
        if given is None:
            return draw(ty.static_shape, ty.dtype, example.domain, rng)
        return np.broadcast_to(np.asarray(given).astype(ty.dtype.numpy), ty.static_shape).copy()

    def argument(at: int, ty: Type) -> TensorValue:
        given = example.values.get(at)
        if isinstance(ty, TupleType):
            return tuple(map(array, fields_of(ty), given or [None] * len(ty.fields)))
        return array(cast("TensorType", ty), given)

    return tuple(argument(at, ty) for at, ty in enumerate(types))


def _program(op: OperatorDef, types: Sequence[Type]) -> Function:
    """Return a function of tensors that calls the operator; a tuple is one parameter a field."""
    params: list[Var] = []

    def argument(ty: Type) -> Expr:
        if isinstance(ty, TupleType):
            return Tuple(tuple(map(argument, ty.fields)))
        params.append(Var(f"x{len(params)}", ty))
        return params[-1]

    call = Call(op, tuple(map(argument, types)))
    if isinstance(call.type, TupleType):
        fields = tuple(TupleGetItem(call, index) for index in range(len(call.type.fields)))
        return Function(tuple(params), Tuple(fields))
    return Function(tuple(params), call)

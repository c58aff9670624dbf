"""Random programs of all constructs, compiled, against the evaluator."""

from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.ir.dims import DimVar
from relay.ir.expr import Constructor
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.values import Data, Value
from relay.testing.programs import RandomChoices, random_program
from relay.transform.specialize import Specialize


def sizes_in(ty: Type, value: Value) -> dict[str, int]:
    """Return what the symbolic dimensions of a type are in a value."""
    if isinstance(ty, TensorType):
        pairs = zip(ty.shape, np.shape(cast("Any", value)), strict=True)
        return {dim.name: size for dim, size in pairs if isinstance(dim, DimVar)}
    found: dict[str, int] = {}
    if isinstance(ty, TupleType):
        for inner, part in zip(ty.fields, cast("tuple[Value, ...]", value), strict=True):
            found |= sizes_in(inner, part)
    return found


def static(module: Module, inputs: tuple[Value, ...]) -> Module:
    sizes: dict[str, int] = {}
    for param, value in zip(module.main.params, inputs, strict=True):
        sizes |= sizes_in(param.type, value)
    return module.with_function("main", Specialize(tuple(sizes.items())).run(module.main))


def assert_same(found: Any, expected: Value) -> None:
    match expected:
        case tuple():
            assert len(found) == len(expected)
            for a, b in zip(found, expected, strict=True):
                assert_same(a, b)
        case Data(constructor, fields):
            assert found.constructor == constructor.name
            assert_same(found.fields, fields)
        case Constructor(name):
            assert found.constructor == name
        case _:
            wanted = np.asarray(cast("Any", expected))
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(
                np.asarray(found, float), np.asarray(wanted, float), rtol=2e-3, atol=1e-3
            )


@pytest.mark.parametrize("number", range(60))
def test_compiled_is_evaluated(number: int) -> None:
    program = random_program(RandomChoices(number), 16)
    module = static(infer(program.module), program.inputs)
    expected = evaluate(module, *program.inputs)
    assert_same(relay.compile(module, threads=1)(*program.inputs), expected)

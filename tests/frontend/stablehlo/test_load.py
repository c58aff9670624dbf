"""Doors, names, sizes and errors of the importer of JAX."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.jax import from_jax, translated_hlo_operations
from relay.ir.dims import DimVar
from relay.ops.functions.core import tanh
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
export: Any = import_module("jax.export")

ROOT = Path(__file__).parents[3]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def results(module: Any, *args: Any) -> Any:
    return evaluate(module, *args)


def scaled(x, y):
    return {"b": x * 2 + y, "a": x.sum()}


def test_a_file_holds_what_was_serialised(tmp_path):
    path = tmp_path / "scaled.jax"
    found = export.export(jax.jit(scaled))(X, X[0])
    path.write_bytes(found.serialize())
    module = relay.load(path)
    assert [each.name for each in module.main.params] == ["x", "y"]
    total, rest = results(module, X, X[0])
    np.testing.assert_allclose(np.asarray(total), 15)
    np.testing.assert_allclose(np.asarray(rest), X * 2 + X[0])


def test_a_file_holds_stablehlo_as_text(tmp_path):
    path = tmp_path / "scaled.mlir"
    path.write_text(export.export(jax.jit(scaled))(X, X[0]).mlir_module())
    np.testing.assert_allclose(np.asarray(results(relay.load(path), X, X[0])[1]), X * 2 + X[0])


def test_an_exported_function_is_compiled():
    found = export.export(jax.jit(scaled))(X, X[0])
    np.testing.assert_allclose(relay.compile(found, threads=1)(X, X[0])[1], X * 2 + X[0])


def test_a_jitted_function_is_compiled_with_example_inputs():
    found = relay.compile(jax.jit(scaled), (X, X[0]), threads=1)
    np.testing.assert_allclose(found(X, X[0])[1], X * 2 + X[0])
    with pytest.raises(RelayError, match="tuple of example inputs") as caught:
        relay.compile(jax.jit(scaled))
    assert caught.value.code == "U003"


def test_arguments_have_the_names_of_their_places():
    module = from_jax(lambda params, x: params["w"] @ x, {"w": X}, X[0])
    assert [each.name for each in module.main.params] == ["params['w']", "x"]


def test_sizes_may_be_given_for_inputs():
    (n,) = export.symbolic_shape("n")
    size = jax.ShapeDtypeStruct((n, 3), np.float32)
    found = export.export(jax.jit(lambda y, x: y[0] + x.sum(0)))(X, size)
    module = relay.load(found, shapes={"x": (2, 3)})
    assert [each.name for each in module.main.params] == ["y", "x"]
    assert "(2, 3)" in repr(module.main.params[1].type)
    np.testing.assert_allclose(np.asarray(evaluate(module, X, X)), X[0] + X.sum(0))
    for shapes, code in (({"z": (2, 3)}, "F019"), ({"x": (DimVar("m"), 3)}, "F032")):
        with pytest.raises(RelayError) as caught:
            relay.load(found, shapes=shapes)
        assert caught.value.code == code


def test_called_functions_are_functions_of_the_module():
    @jax.jit
    def inner(x):
        return x * 2

    module = from_jax(lambda x: inner(inner(x)), X)
    assert "inner" in module
    np.testing.assert_allclose(np.asarray(evaluate(module, X)), X * 4)


def test_operations_that_are_not_supported_are_listed_with_lines():
    with pytest.raises(RelayError) as caught:
        from_jax(lambda x: jax.lax.linalg.tridiagonal(x)[1] * 2, X[:, :2])
    error = caught.value
    assert error.code == "F010"
    assert "custom_call @lapack_ssytrd_ffi" in error.message
    assert any("test_load.py" in note for note in error.notes)


def test_the_user_translates_operations(tmp_path):
    def bent(operands, attributes):
        assert isinstance(attributes, dict)
        return tanh(operands[0])

    path = tmp_path / "sine.mlir"
    path.write_text(export.export(jax.jit(jnp.sin))(X).mlir_module())
    for source in ((jnp.sin, X), (path,)):
        own = {"stablehlo.sine": bent, "sine": bent}
        with pytest.warns(UserWarning, match="U326.* no operator sine"):
            module = from_jax(*source, custom_convert_map=own)
        np.testing.assert_allclose(np.asarray(evaluate(module, X)), np.tanh(X), rtol=1e-6)


def test_functions_with_effects_are_refused():
    def shown(x):
        jax.debug.print("{}", x)
        return x

    with pytest.raises(RelayError) as caught:
        from_jax(shown, X)
    assert caught.value.code in ("F030", "F051")  # this JAX cannot export callbacks


def test_what_cannot_be_exported():
    with pytest.raises(RelayError) as caught:
        from_jax(lambda x: x if x.sum() > 0 else -x, X)
    assert caught.value.code == "F051"


def test_a_file_that_is_cut_off_is_an_error(tmp_path):
    path = tmp_path / "broken.jax"
    whole = export.export(jax.jit(scaled))(X, X[0]).serialize()
    for size in range(0, len(whole) - 8, 173):
        path.write_bytes(whole[:size])
        with pytest.raises(RelayError) as caught:
            relay.load(path)
        assert caught.value.code.startswith("F")


def test_the_page_lists_all_operations():
    page = (ROOT / "docs" / "how-to" / "run-a-jax-function.md").read_text("utf-8")
    listed = page.partition("custom calls, are:")[2].partition("## ")[0]
    names = [name.removeprefix("custom_call ") for name in translated_hlo_operations()]
    assert re.findall("`([^`]*)`", listed) == sorted(names, key=lambda name: (name[0] == "@", name))


def test_operations_are_listed():
    assert (
        translated_hlo_operations()["stablehlo.dot_general"]
        == "translate.matrix_products.dot_general"
    )

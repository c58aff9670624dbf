"""Files of StableHLO and of JAX that are broken or not supported: each has its error."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.jax import from_jax
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

jax: Any = import_module("jax")
export: Any = import_module("jax.export")

T = "tensor<2x3xf32>"


def function(*lines: str, of: str = T, gives: str = T, name: str = "@main", more: str = "") -> str:
    """Return a module with one function of `%x`, whose body has these lines."""
    body = "\n    ".join(lines)
    head = f"func.func public {name}(%x: {of}) -> {gives}"
    return f"module {{\n  {head} {{\n    {body}\n  }}\n  {more}\n}}\n"


def one(operation: str, of: str = T, gives: str = T) -> str:
    """Return a module of one operation."""
    return function(f"%y = {operation}", f"return %y : {gives}", of=of, gives=gives)


def nested(depth: int) -> str:
    """Return a module of conditionals in one another."""
    text = "stablehlo.return %x : " + T
    for index in range(depth):
        text = (
            f'%y{index} = "stablehlo.if"(%c) ({{ {text} }}, {{ stablehlo.return %x : {T} }})'
            f" : (tensor<i1>) -> {T}\n stablehlo.return %y{index} : {T}"
        )
    text = text.rpartition("\n")[0]
    return function(
        "%c = stablehlo.constant dense<true> : tensor<i1>", text, f"return %y{depth - 1} : {T}"
    )


def exported() -> bytes:
    """Return the bytes of a small exported function."""
    return bytes(export.export(jax.jit(lambda x: x + 1))(np.ones(3, np.float32)).serialize())


NEGATE = f"stablehlo.negate %x : {T}"
GOOD = one(NEGATE)
WHOLE = exported()

TEXTS: dict[str, tuple[str, str]] = {
    "nothing": ("", "F091"),
    "a page": ("<!doctype html><title>Not found</title>", "F091"),
    "half of a file": (GOOD[: len(GOOD) // 2], "F091"),
    "no function": ("module {}", "F091"),
    "another entry": (function(f"return %x : {T}", name="@other"), "F091"),
    "two of one name": (
        function(f"return %x : {T}", more=f"func.func @main(%x: {T}) -> {T} {{ return %x : {T} }}"),
        "F091",
    ),
    "a dialect of tomorrow": (one(f'"hologram.show"(%x) : ({T}) -> {T}'), "F091"),
    "an operation of tomorrow": (one(f'"stablehlo.hologram"(%x) : ({T}) -> {T}'), "F091"),
    "a value of nothing": (one(f"stablehlo.negate %z : {T}"), "F091"),
    "a cycle": (
        function(
            f"%y = stablehlo.negate %z : {T}", f"%z = stablehlo.negate %y : {T}", f"return %y : {T}"
        ),
        "F091",
    ),
    "types that differ": (one("stablehlo.negate %x : tensor<4xf32>"), "F091"),
    "a sum of shapes": (
        function(
            "%c = stablehlo.constant dense<1.0> : tensor<4xf32>",
            f'%y = "stablehlo.add"(%x, %c) : ({T}, tensor<4xf32>) -> {T}', f"return %y : {T}",
        ),
        "F091",
    ),
    "too few elements": (one("stablehlo.constant dense<[1.0, 2.0]> : tensor<2x3xf32>"), "F091"),
    "no result": (function("return"), "F091"),
    "a function that is missing": (one(f"func.call @other(%x) : ({T}) -> {T}"), "F091"),
    "an axis": (one(f"stablehlo.reverse %x, dims = [7] : {T}"), "F091"),
    "a custom call": (one(f"stablehlo.custom_call @hologram(%x) : ({T}) -> {T}"), "F010"),
    "random numbers": (
        function(
            "%n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>",
            "%a = stablehlo.constant dense<0.0> : tensor<f32>",
            "%y = stablehlo.rng %a, %a, %n, distribution = UNIFORM"
            f" : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> {T}",
            f"return %y : {T}",
        ),
        "F010",
    ),
    "a function of complex numbers": (
        one("stablehlo.cbrt %x : tensor<2xcomplex<f32>>", *["tensor<2xcomplex<f32>>"] * 2), "F030",
    ),
    "bytes that are floats": (one("stablehlo.negate %x : tensor<2xf8E4M3>",
                                  *["tensor<2xf8E4M3>"] * 2), "F017"),
    "quantised numbers": (
        one("stablehlo.negate %x : tensor<2x!quant.uniform<i8:f32, 0.1>>",
            *["tensor<2x!quant.uniform<i8:f32, 0.1>>"] * 2),
        "F091",
    ),
    "a token": (function("return %x : !stablehlo.token", of="!stablehlo.token",
                         gives="!stablehlo.token"), "F017"),
    "a size that is data": (
        one("stablehlo.dynamic_iota %x, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>",
            "tensor<1xi32>", "tensor<?xi32>"),
        "F032",
    ),
    "padding between elements that is data": (
        function(
            "%a = stablehlo.constant dense<0> : tensor<i32>",
            "%b = stablehlo.constant dense<0> : tensor<1xi32>",
            "%y = stablehlo.dynamic_pad %x, %a, %b, %b, %x : (tensor<1xi32>, tensor<i32>, "
            "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>",
            "return %y : tensor<?xi32>",
            of="tensor<1xi32>", gives="tensor<?xi32>",
        ),
        "F032",
    ),
    "open rank": (one("stablehlo.negate %x : tensor<*xf32>", *["tensor<*xf32>"] * 2), "F091"),
    "conditionals nested too deep": (nested(60), "F094"),
    "a huge size": (
        one("stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> "
            "tensor<2x3x4611686018427387904xf32>", gives="tensor<2x3x4611686018427387904xf32>"),
        "T003",
    ),
}  # fmt: skip

FILES: dict[str, tuple[str, bytes]] = {
    "nothing": (".jax", b""),
    "text": (".jax", b"nothing"),
    "zeros": (".jax", bytes(64)),
    "bytecode alone": (".jax", b"ML\xefR\0\0\0"),
    "StableHLO": (".jax", GOOD.encode()),
    "half of a file": (".jax", WHOLE[: len(WHOLE) // 2]),
    "no text": (".mlir", b"\xff\xfe\xfd"),
    "zeros for text": (".mlir", bytes(64)),
    "bytecode without content": (".mlir", b"ML\xefR\0\0\0"),
    "bytecode of tomorrow": (".mlir", b"ML\xefR\x7f" + bytes(64)),
    "an exported function": (".mlir", WHOLE),
}


def error_of(path: Path) -> RelayError:
    """Return the error of a file."""
    with pytest.raises(RelayError) as caught:
        relay.load(path)
    return caught.value


@pytest.mark.parametrize("name", TEXTS)
def test_broken_texts(name: str, tmp_path: Path):
    text, code = TEXTS[name]
    path = tmp_path / "model.mlir"
    path.write_text(text)
    error = error_of(path)
    assert error.code == code, error
    assert error.help or code.startswith("T"), error


@pytest.mark.parametrize("name", FILES)
def test_broken_files(name: str, tmp_path: Path):
    suffix, data = FILES[name]
    path = tmp_path / f"model{suffix}"
    path.write_bytes(data)
    error = error_of(path)
    assert error.code == "F091", error
    assert error.help


def test_a_broken_text_says_where(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(TEXTS["a cycle"][0])
    assert ":3:" in error_of(path).message


def test_a_custom_call_is_added_from_outside(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(TEXTS["a custom call"][0])
    assert 'custom_convert_map={"custom_call @hologram": f}' in str(error_of(path).help)

    def hologram(operands: Any, attributes: Any) -> Any:
        assert isinstance(attributes, dict)
        return relay.tanh(operands[0])

    own = {"custom_call @hologram": hologram}
    module = from_jax(path, custom_convert_map=own)
    x = np.ones((2, 3), np.float32)
    np.testing.assert_allclose(np.asarray(evaluate(module, x)), np.tanh(x), rtol=1e-6)


def test_unsupported_custom_calls_are_listed_together(tmp_path: Path):
    path = tmp_path / "model.mlir"
    calls = (
        f"%{n} = stablehlo.custom_call @{n}(%x) : ({T}) -> {T}" for n in ("a", "b", "Sharding")
    )
    path.write_text(function(*calls, f"return %a : {T}"))
    error = error_of(path)
    assert error.code == "F010"
    assert [note.split(" × ")[0] for note in error.notes] == [
        "custom_call @a: 1", "custom_call @b: 1",
    ]  # fmt: skip

"""Exported functions with symbolic sizes, imported once, for several sizes against JAX."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.stablehlo.symbolic_sizes import dimension
from relay.ir.dims import ANY, DimVar, substitute
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
export: Any = import_module("jax.export")
lax = jax.lax


@dataclass(frozen=True)
class Case:
    """A function, the symbolic shapes of its arguments, and values of the symbols."""

    function: Callable[..., Any]
    shapes: Sequence[str]
    result: str
    sizes: Sequence[dict[str, int]] = ({"b": 1, "t": 2}, {"b": 5, "t": 3})
    constraints: Sequence[str] = ()


def recurrent(xs, w):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x), h.sum()), jnp.zeros_like(xs[0]), xs)


def attention(q, past, k):
    keys = jnp.concatenate([past, k], 1)
    places = jnp.arange(q.shape[1])[:, None] + past.shape[1]
    seen = jnp.arange(keys.shape[1]) <= places
    scores = jnp.where(seen, jnp.einsum("btd,bsd->bts", q, keys), -jnp.inf)
    return jax.nn.softmax(scores, -1) @ keys


def convolved(x, w):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=numbers)


def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


CASES = {
    "scan": Case(
        recurrent, ("t, b, 4", "4, 4"), "(Tensor[(b, 4), float32], Tensor[(t,), float32])"
    ),
    "gradient of a scan": Case(
        jax.grad(lambda xs, w: recurrent(xs, w)[0].sum(), 1), ("t, b, 4", "4, 4"),
        "Tensor[(4, 4), float32]",
    ),
    "attention": Case(
        attention, ("b, t, 4", "b, s, 4", "b, t, 4"), "Tensor[(b, t, 4), float32]",
        ({"b": 1, "t": 1, "s": 3}, {"b": 2, "t": 3, "s": 1}),
    ),
    "slices": Case(
        lambda x: (x[1:, :2], x[::2], x[-2:], x[:3], x[::-1], jnp.roll(x, 1, 0)), ("b, 4",),
        "(Tensor[(b + -1, 2), float32], Tensor[(floordiv(b + 1, 2), 4), float32], "
        "Tensor[(2, 4), float32], Tensor[(3, 4), float32], Tensor[(b, 4), float32], "
        "Tensor[(b, 4), float32])",
        ({"b": 5}, {"b": 8}), ("b >= 4",),
    ),
    "reshapes": Case(
        lambda x: (x.reshape(2, -1), x.reshape(-1, 2, 4).sum(1), jnp.arange(x.shape[0])),
        ("2*b, 4",),
        "(Tensor[(2, 4 * b), float32], Tensor[(b, 4), float32], Tensor[(2 * b,), int32])",
    ),
    "rows": Case(
        lambda x, y: (x.at[jnp.argmax(x, 0)].set(0.0), x @ y, jnp.cumsum(x, 0), x / x.shape[0]),
        ("b, 4", "4, t"),
        "(Tensor[(b, 4), float32], Tensor[(b, t), float32], Tensor[(b, 4), float32], "
        "Tensor[(b, 4), float32])",
    ),
    "a counted loop": Case(
        lambda x: lax.fori_loop(0, x.shape[0], lambda i, s: s + x[i] * i, jnp.zeros(4)), ("b, 4",),
        "Tensor[(4,), float32]",
    ),
    "equal sizes": Case(
        lambda x, y: x.reshape(2, -1, 3).sum(0) + y, ("a, 3", "b, 3"), "Tensor[(b, 3), float32]",
        ({"a": 4, "b": 2}, {"a": 2, "b": 1}), ("a == 2*b",),
    ),
    "convolution": Case(
        convolved, ("b, h, 8, 3", "3, 3, 3, 4"), "",
        ({"b": 1, "h": 5}, {"b": 2, "h": 4}),
    ),
    "max pool": Case(pooled, ("b, h, 8, 3",), "", ({"b": 1, "h": 5}, {"b": 2, "h": 4})),
    "systems of equations": Case(
        lambda x: jnp.linalg.solve(x @ jnp.swapaxes(x, 1, 2) + jnp.eye(3), x), ("b, 3, 3",),
        "Tensor[(b, 3, 3), float32]",
    ),
    "a loop with a condition of sizes": Case(
        lambda x: lax.while_loop(
            lambda s: (s[1] < 3) & (jnp.abs(s[0]).max() < 9), lambda s: (s[0] * 2, s[1] + 1),
            (x, x.shape[0] - 1),
        ),
        ("b, t",), "(Tensor[(b, t), float32], int32)",
    ),
    "padded": Case(lambda x: (jnp.pad(x, 1), jnp.tile(x, (2, 1))), ("b, t",), ""),
}  # fmt: skip


def loaded(case: Case) -> Any:
    scope = export.SymbolicScope(case.constraints)
    shapes = [export.symbolic_shape(each, scope=scope) for each in case.shapes]
    leaves = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    return relay.load(export.export(jax.jit(case.function))(*leaves))


def arguments(module: Any, sizes: dict[str, int]) -> list[Any]:
    random, known = np.random.default_rng(0), {DimVar(name): n for name, n in sizes.items()}
    types = [each.tensor_type for each in module.main.params]
    shapes = [tuple(int(str(substitute(d, known))) for d in ty.shape) for ty in types]
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("name", CASES)
def test_one_program_is_for_all_sizes(name: str):
    case = CASES[name]
    module = loaded(case)
    assert case.result in repr(module.main.ret_type)
    fast = relay.compile(module, threads=1)
    for sizes in case.sizes:
        args = arguments(module, sizes)
        wanted = jax.tree_util.tree_leaves(jax.jit(case.function)(*args))
        for found in (evaluate(module, *args), fast(*args)):
            results = found if isinstance(found, tuple | list) else (found,)
            for mine, theirs in zip(results, wanted, strict=True):
                np.testing.assert_allclose(np.asarray(mine), theirs, rtol=2e-4, atol=2e-5)


def test_sizes_that_the_function_does_not_accept_trap():
    fast = relay.compile(loaded(CASES["slices"]), threads=1)
    with pytest.raises(RelayError) as caught:
        fast(np.ones((3, 4), np.float32))
    assert "needs b >= 4, but found 3" in caught.value.message


def test_a_text_of_open_sizes_names_them_by_input(tmp_path):
    path = tmp_path / "model.mlir"
    leaf = jax.ShapeDtypeStruct(export.symbolic_shape("b, 3"), np.float32)
    path.write_text(export.export(jax.jit(lambda x: x - x.mean(0)))(leaf).mlir_module())
    module = relay.load(path)
    assert repr(module.main.ret_type) == "Tensor[(x_0, 3), float32]"
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(np.asarray(evaluate(module, x)), x - x.mean(0))


def test_sizes_that_a_text_asserts_to_be_equal_are_one(tmp_path):
    path = tmp_path / "model.mlir"
    scope = export.SymbolicScope()
    shapes = [export.symbolic_shape(each, scope=scope) for each in ("b, 3", "t, b")]
    leaves = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    exported = export.export(jax.jit(lambda x, y: x + y.sum(0)[:, None]))(*leaves)
    path.write_text(exported.mlir_module())
    module = relay.load(path)
    assert repr(module.main.params[1].type) == "Tensor[(y_0, x_0), float32]"
    x, y = np.ones((2, 3), np.float32), np.ones((4, 2), np.float32)
    np.testing.assert_allclose(np.asarray(evaluate(module, x, y)), x + 4)


def test_recursive_functions_are_refused(tmp_path):
    path, ty = tmp_path / "model.mlir", "tensor<?xf32>"
    call = f"{{ %y = func.call @g(%x) : ({ty}) -> {ty} return %y : {ty} }}"
    path.write_text(
        f"module {{ func.func public @main(%x: {ty}) -> {ty} {call} "
        f"func.func private @g(%x: {ty}) -> {ty} {call} }}"
    )
    with pytest.raises(RelayError) as caught:
        relay.load(path)
    assert caught.value.code == "F094"
    assert "'g'" in caught.value.message


def test_formulas_of_sizes_are_dimensions():
    b, c = DimVar("b"), DimVar("c")
    assert dimension("2*b + floordiv(c, 4) - 1") is 2 * b + c // 4 - 1
    assert dimension("b^2 - mod(c, 3)") is b * b - c % 3
    assert dimension("max(b, - c + 3)") is not ANY
    assert dimension("whatever(b)") is ANY
    assert dimension(7) == 7

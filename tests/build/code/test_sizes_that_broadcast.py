"""Sizes of which types do not say whether they are equal, or one of them 1, broadcast all the same.

NumPy says what comes out, and which sizes do not fit.
"""

from collections.abc import Callable, Iterator
from itertools import count, product
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.dims import ANY, DimVar, substitute, variables
from relay.semantics.evaluate import evaluate
from relay.support.errors import RunError

_HEAD = '#[version = "0.0.5"]\n'

_Program = tuple[str, Callable[..., Any]]


def _of(*params: str) -> str:
    """Return the head of a main whose parameters `a`, `b`, … have these shapes."""
    named = zip("abcd", params, strict=False)
    return "def @main(" + ", ".join(f"%{x}: Tensor[({ty}), float32]" for x, ty in named) + ") "


_JOIN = (
    "def @f(%a: Tensor[(n), float32], %b: Tensor[(m), float32]) { concatenate((%a, %b), axis=0) }\n"
)

PROGRAMS: dict[str, _Program] = {
    "a double beside a name": (_of("2 * n", "k") + "{ %a * %b }", lambda a, b: a * b),
    "a name beside one more": (_of("k", "n + 1") + "{ %a * %b }", lambda a, b: a * b),
    "three more, and a name": (_of("n + 3", "k") + "{ %a * %b }", lambda a, b: a * b),
    "a number beside one more": (_of("n + 1", "3") + "{ %a * %b }", lambda a, b: a * b),
    "unknown beside a name": (_of("?", "n") + "{ %a * %b + %b }", lambda a, b: a * b + b),
    "joined": (
        _of("n", "m", "k") + "{ concatenate((%a, %b), axis=0) * %c }",
        lambda a, b, c: np.concatenate([a, b]) * c,
    ),
    "joined twice": (
        f"{_of('n', 'm', 'k')} {{ concatenate((%a, %b), axis=0) * tile(%c, reps=[2]) - %c }}",
        lambda a, b, c: np.concatenate([a, b]) * np.tile(c, 2) - c,
    ),
    "read backwards": (
        _of("?", "?") + "{ reverse(%a, axis=0) * tile(%b, reps=[2]) }",
        lambda a, b: a[::-1] * np.tile(b, 2),
    ),
    "summed up": (
        _of("?", "k") + "{ cumsum(%a, axis=0) * %b }",
        lambda a, b: np.cumsum(a) * b,
    ),
    "one of three": (
        _of("2 * n", "n", "k") + "{ where(%a > 0f, %b, %c) }",
        lambda a, b, c: np.where(a > 0, b, c),
    ),
    "the mean": (_of("2 * n", "k") + "{ mean(%a * %b) }", lambda a, b: np.mean(a * b)),
    "in a function": (
        f"{_JOIN}{_of('?', '?', '?')} {{ @f(%a, %b) * %c }}",
        lambda a, b, c: np.concatenate([a, b]) * c,
    ),
    "in two axes": (
        _of("n, m", "?, 2 * n") + "{ exp(%a * %b) }",
        lambda a, b: np.exp(a * b),
    ),
    "a sum back to what was broadcast": (
        _of("2 * n", "k") + "{ collapse_sum_like(%a * %b, %b) }",
        lambda a, b: a * b if a.shape == b.shape else np.sum(a * b, keepdims=True),
    ),
    "read at two places": (
        _of("4, 4", "2 * n", "k")
        + '{ adv_index((%a, cast(%b, dtype="int32"), cast(%c, dtype="int32"))) }',
        lambda a, b, c: a[b.astype(int), c.astype(int)],
    ),
    "summed over labels": (
        _of("n, 2 * m", "?, m") + '{ einsum((%a, %b), equation="ij,ij->j") }',
        lambda a, b: np.sum(a * b, 0),
    ),
    "around a mean": (
        _of("2 * n, 3", "k, 1") + "{ variance(%a, %b, axis=[1]) }",
        lambda a, b: np.mean((a - np.broadcast_to(b, (len(a), 1))) ** 2, 1),
    ),
    "a product of many": (
        _of("?, 2, 3", "n + 1, 2, 3") + "{ nn.batch_matmul(%a, %b, transpose_b=True) }",
        lambda a, b: a @ b.swapaxes(1, 2),
    ),
}

WAYS: dict[str, Callable[[relay.Module], Callable[..., Any]]] = {
    "evaluator": lambda module: lambda *args: evaluate(module, *args),
    "level 0": lambda module: relay.compile(module, opt_level=0),
    "level 3": relay.compile,
    "batches": lambda module: relay.compile(module, batch=True),
    "machine": relay.vm.compile,
}


def _calls(module: relay.Module) -> Iterator[list[np.ndarray]]:
    """Yield inputs for all choices of a few sizes for the names in the types of parameters."""
    own = (DimVar(f"own{number}") for number in count())
    shapes = [
        [next(own) if dim is ANY else dim for dim in param.tensor_type.shape]
        for param in module.main.params
    ]
    names = sorted({name for shape in shapes for dim in shape for name in variables(dim)}, key=str)
    for sizes in product((0, 1, 2, 3, 6) if len(names) < 4 else (0, 1, 3), repeat=len(names)):
        chosen = dict(zip(names, sizes, strict=True))
        yield [_array([substitute(dim, chosen) for dim in shape]) for shape in shapes]


def _array(shape: list[Any]) -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) % 5 - 1.5).astype(np.float32)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the mean of nothing
def test_sizes_broadcast_as_in_numpy(name: str, way: str):
    text, formula = PROGRAMS[name]
    module = relay.parse(_HEAD + text)
    run = WAYS[way](module)
    fitting = 0
    for arrays in _calls(module):
        try:
            expected = formula(*arrays)
        except (ValueError, IndexError):
            with pytest.raises(RunError) as caught:
                run(*arrays)
            assert caught.value.code == "R054"
        else:
            found = np.asarray(run(*arrays))
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
            assert found.shape == np.shape(expected)
            fitting += 1
    assert fitting > 1


@pytest.mark.parametrize("way", WAYS)
def test_only_an_axis_of_one_is_summed_back(way: str):
    text = _of("?, 2", "k, 2") + "{ collapse_sum_like(%a, %b) }"
    run = WAYS[way](relay.parse(_HEAD + text))
    a = _array([3, 2])
    np.testing.assert_allclose(run(a, _array([1, 2])), a.sum(0, keepdims=True))
    for sizes in ((3, 2), (1, 3), (3, 0)):
        with pytest.raises(RunError) as caught:
            run(*(_array([size, 2]) for size in sizes))
        assert caught.value.code == "R054"


@pytest.mark.parametrize("way", WAYS)
def test_a_size_that_is_multiplied_with_nothing_tells_no_other(way: str):
    run = WAYS[way](relay.parse(_HEAD + _of("n * m", "n + 1", "n + m") + "{ (%a, %c) }"))
    for n, m in ((0, 2), (2, 0), (3, 2)):
        sizes = n * m, n + 1, n + m
        assert [len(each) for each in run(*(_array([size]) for size in sizes))] == [n * m, n + m]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "evaluator"])
def test_what_does_not_fit_is_named(way: str):
    text = _of("2 * n, 3", "k, 3") + "{\n  exp(%a *\n %b) }"
    run = WAYS[way](relay.parse(_HEAD + text))
    with pytest.raises(RunError) as caught:
        run(_array([4, 3]), _array([5, 3]))
    assert "multiply: axis -2: the sizes 4 and 5 do not broadcast" in caught.value.message
    assert str(caught.value.span) == "text:3:7"


def test_little_is_computed_of_sizes_that_may_broadcast():
    main = f"{_of('?', '?')}{{ sum(where(tile(%a, reps=[2]) < %b, tile(%a, reps=[2]), %b)) }}"
    code = relay.vm.compile(relay.parse(_HEAD + main)).program.code
    assert sum(len(block.body) for function in code.functions for block in function.blocks) < 100

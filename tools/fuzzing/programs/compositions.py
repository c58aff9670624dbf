"""Check `grad`, `vmap`, `jit` and their compositions on random Python functions.

The reference is the Python function itself: finite differences, and a loop in place of a map.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from relay.interop.jit import jit
from tools.fuzzing.programs.choices import RandomChoices
from tools.fuzzing.programs.python_functions import random_function

_HEAD = """
import numpy as np

import relay
from relay import Tensor, float64, int32


def helper(z):
    return z * 0.5 + np.sin(z)


"""
_TAIL = """


f = relay.function(plain)
slope = relay.grad(f, ("x", "w", "s"))
each = relay.vmap(relay.grad(f, ("x", "w")), in_axes=(0, None, 0, None))
many = relay.vmap(f, in_axes=(0, None, 0, None))
second = relay.grad(relay.grad(f, "s"), "s")


@relay.function
def total(
    xs: Tensor[2, 3, float64], w: Tensor[3, 3, float64], ss: Tensor[2, float64], count: int32
) -> float64:
    return np.sum(many(xs, w, ss, count))


whole = relay.grad(total, ("xs", "w", "ss"))


@relay.function
def everything(
    xs: Tensor[2, 3, float64], w: Tensor[3, 3, float64], ss: Tensor[2, float64], count: int32
):
    x, s = xs[0], ss[0]
    return (
        slope(x, w, s, count),
        each(xs, w, ss, count),
        whole(xs, w, ss, count),
        second(x, w, s, count),
    )
"""
_STEP, _TOLERANCE = 1e-5, 1e-6
Array = npt.NDArray[np.float64]


def check_compositions(number: int, length: int = 6, *, compiled: bool = True) -> str:
    """Raise `AssertionError` unless all compositions are right for a numbered random function.

    All of them are one program, which is evaluated, or `compiled` under `jit`. Returns "right", or
    "not smooth" where finite differences do not converge, as at the kink of a maximum.
    """
    rng = np.random.default_rng(number)
    xs, w, ss = rng.normal(size=(2, 3)), rng.normal(size=(3, 3)) * 0.5, rng.normal(size=2)
    count = int(rng.integers(0, 4))
    text = random_function(RandomChoices(number), "plain", length)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "functions_of_a_number.py"
        path.write_text(_HEAD + text + _TAIL, "utf-8")
        module = _imported(path)
        try:
            run = jit(module.everything) if compiled else module.everything
            found = run(xs, w, ss, np.int32(count))
        except Exception as error:
            error.add_note(text)
            raise
    return _compared(module.plain, found, (xs, w, ss, count), text)


def _imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None, "it is a Python file"
    assert spec.loader is not None, "it is a Python file"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compared(plain: Callable[..., float], found: Any, given: Any, text: str) -> str:
    xs, w, ss, count = given
    slopes = [_gradient(plain, (x, w, np.array(s)), count) for x, s in zip(xs, ss, strict=True)]
    if any(slope is None for slope in slopes):
        return "not smooth"
    by_x, by_w, by_s = (np.stack(each) for each in zip(*slopes, strict=True))
    step = 1e-3
    at = [plain(xs[0], w, ss[0] + k * step, count) for k in (-2, -1, 0, 1, 2)]
    twice = float(np.dot(at, [-1, 16, -30, 16, -1]) / (12 * step * step))
    wanted = (
        ("grad", found[0], (by_x[0], by_w[0], by_s[0]), _TOLERANCE),
        ("vmap of grad", found[1], (by_x, by_w), _TOLERANCE),
        ("grad of vmap", found[2], (by_x, by_w.sum(axis=0), by_s), _TOLERANCE),
        ("grad of grad", (found[3],), (np.array(twice),), 1e-3),
    )
    for name, ours, right, tolerance in wanted:
        for one, other in zip(ours, right, strict=True):
            np.testing.assert_allclose(
                one, other, rtol=tolerance, atol=tolerance, err_msg=f"{name} of\n{text}"
            )
    return "right"


def _gradient(
    plain: Callable[..., float], args: tuple[Array, ...], count: int
) -> tuple[Array, ...] | None:
    """Return central differences by every element; None where those of two steps differ."""
    found: list[Array] = []
    for position, arg in enumerate(args):
        slopes = np.zeros((2, *arg.shape))
        for index in np.ndindex(arg.shape):
            for which, step in enumerate((_STEP, _STEP / 4)):
                moved = [arg.copy(), arg.copy()]
                moved[0][index] += step
                moved[1][index] -= step
                ahead, behind = (
                    plain(*args[:position], each, *args[position + 1 :], count) for each in moved
                )
                slopes[(which, *index)] = (ahead - behind) / (2 * step)
        if not np.allclose(slopes[0], slopes[1], rtol=1e-5, atol=1e-5):
            return None
        found.append(slopes[0])
    return tuple(found)

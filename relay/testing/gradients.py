"""`relay.testing.check_grad`: check a function's gradient against finite differences."""

from collections.abc import Callable, Sequence
from math import cbrt
from typing import Any, cast

import numpy as np

from relay.autodiff.tvm_gradients import FIRST_ORDER, HIGHER_ORDER, gradient
from relay.build.executors import create_executor
from relay.classic.ir_module import IRModule
from relay.ir.expr import Array, Function
from relay.runtime.device import CPU, Device
from relay.testing.tvm_test_helpers import rand, run_infer_type

_HOST = (("llvm", CPU),)


def check_grad(
    func: Function,
    inputs: Sequence[Any] | None = None,
    test_inputs: Sequence[Any] | None = None,
    eps: float | None = None,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    scale: float | None = None,
    mean: float = 0.0,
    mode: str = HIGHER_ORDER,
    target_devices: Sequence[tuple[str, Device]] = _HOST,
    executor_kind: str = "debug",
) -> None:
    """Compare the gradient of a function with central differences of step `eps`.

    The default step is 1e-6, for `float32` 5e-3, for `float16` 0.1: the cube root of the type's
    resolution. `atol` grows by the rounding error of the differences of such narrower floats.

    It checks what `relay.transform.gradient` computes in this mode. Without `inputs`, the arguments
    are random numbers around `mean`, of magnitude `scale` (default: ten steps). `test_inputs` are
    the objects among `inputs` to differentiate by (default: all floats).

    Raises `AssertionError` for a wrong gradient, and the errors of `gradient`.

    >>> from relay.ops.functions import var
    >>> from relay.ops.functions.core import exp
    >>> x = var("x", shape=(2,), dtype="float64")
    >>> check_grad(Function([x], exp(x)))
    """
    function = run_infer_type(func)
    assert isinstance(function, Function), "the type of a function is that of a function"
    mod = IRModule()
    derived = gradient(function, None if mode == FIRST_ORDER else mod, mode)
    resolution = _resolution(function)
    step = max(1e-6, cbrt(resolution)) if eps is None else eps
    size = 10 * step if scale is None else scale
    values = _drawn(function, size, mean) if inputs is None else [*map(np.asarray, inputs)]
    given = values if inputs is None else inputs
    by = [
        index
        for index, each in enumerate(given)
        if test_inputs is None or any(each is other for other in test_inputs)
        if function.params[index].tensor_type.dtype.is_float
    ]
    for target, device in target_devices:
        executor = create_executor(executor_kind, mod, device, target)
        forward = executor.evaluate(function)
        _, slopes = executor.evaluate(derived)(*values)
        rounding = 4 * resolution * _magnitude(forward(*values)) / step
        for index in by:
            measured = _differences(forward, values, index, step, every=mode == FIRST_ORDER)
            name = f"gradient by argument {index}, %{function.params[index].name}"
            np.testing.assert_allclose(slopes[index], measured, rtol, atol + rounding, err_msg=name)


def _resolution(function: Function) -> float:
    """Return the relative precision of a function's narrowest float argument; of `float64`, 0.

    >>> from relay.ops.functions import var
    >>> x, n = var("x", shape=(2,), dtype="float16"), var("n", "int32")
    >>> _resolution(run_infer_type(Function([x, n], x)))
    0.0009765625
    """
    types = [param.tensor_type.dtype for param in function.params]
    narrow = [each for each in types if each.is_float and each.numpy.itemsize < 8]
    return max((each.epsilon for each in narrow), default=0.0)


def _magnitude(result: Any) -> float:
    parts = cast("tuple[Any, ...]", result) if isinstance(result, tuple) else (result,)
    return sum(float(np.sum(np.abs(part), dtype=np.float64)) for part in parts)


def _drawn(function: Function, size: float, mean: float) -> list[Array]:
    """Return random arguments for a function."""
    types = [param.tensor_type for param in function.params]
    drawn = [rand("float64", *ty.concrete_shape) for ty in types]
    pairs = zip(drawn, types, strict=True)
    return [(array * size + mean).astype(ty.dtype.numpy) for array, ty in pairs]


def _differences(
    forward: Callable[..., Any], values: Sequence[Array], index: int, eps: float, *, every: bool
) -> Array:
    """Return central differences of the sum of results, for each element of an argument."""

    def total(at: tuple[int, ...], step: float) -> float:
        moved = values[index].copy()
        moved[at] += step
        result: Any = forward(*values[:index], moved, *values[index + 1 :])
        parts = cast("tuple[Any, ...]", result) if isinstance(result, tuple) else (result,)
        return sum(
            float(np.sum(part, dtype=np.float64)) for part in (parts if every else parts[:1])
        )

    found = np.empty(values[index].shape)
    for at in np.ndindex(found.shape):
        found[at] = (total(at, eps) - total(at, -eps)) / (2 * eps)
    return found

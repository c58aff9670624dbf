"""Define the importers' classic names: `relay.frontend.from_onnx(model, shape)`.

Those of TVM return a mutable module, `IRModule`, and the parameters that are not part of it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from os import PathLike
from typing import Any

from relay.frontend.builders.weights import with_parameters
from relay.frontend.jax import from_jax
from relay.frontend.keras.load import from_keras
from relay.frontend.load import load_program
from relay.frontend.mxnet.load import from_mxnet
from relay.frontend.mxnet.nnvm import from_nnvm
from relay.frontend.onnx.weights import float_weights
from relay.frontend.pytorch import from_pytorch
from relay.frontend.tensorflow.load import from_tensorflow
from relay.frontend.tensorflow_lite import from_tflite
from relay.ir.dims import Dim
from relay.ir.module import Module
from relay.support.errors import missing
from relay.support.late_binding import module_above

_EXPORT = "export the model to ONNX, and relay.load it"

ABSENT: Mapping[str, str] = {
    f"from_{each}": _EXPORT
    for each in (
        "caffe",
        "caffe2",
        "coreml",
        "darknet",
        "oneflow",
        "paddle",
    )
}


def from_onnx(
    model: "str | PathLike[str] | bytes | Any",
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: "str | Mapping[str, str]" = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
) -> tuple[Module, dict[str, Any]]:
    """Return an ONNX model as a module, and the weights that are parameters, by name.

    Element types and the opset version are those of the model. The module equals that of
    `relay.load(model, shapes=shape)`, with weights as constants; without `freeze_params`,
    floating-point weights are the last parameters of `main`, unless the import computed with them.
    """
    del dtype, opset  # the model has them
    module = load_program(model, shape)
    return (module, {}) if freeze_params else with_parameters(module, float_weights(model))


def find(name: str) -> Any:
    """Return the object of a classic name; raises `U072` for unsupported importers."""
    if name in ABSENT:
        raise missing(f"relay.frontend.{name}", ABSENT[name])
    if name in _IMPORTERS:
        return _IMPORTERS[name]
    raise AttributeError(f"module 'relay.frontend' has no attribute '{name}'")


def _mutable(importer: Callable[..., tuple[Module, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Return the importer with an `IRModule` as its first result."""

    @wraps(importer)
    def imported(*args: Any, **named: Any) -> tuple[Any, Any]:
        module, params = importer(*args, **named)
        return module_above("relay.classic.ir_module").IRModule(module), params

    return imported


_IMPORTERS: Mapping[str, Callable[..., Any]] = {
    "from_jax": from_jax,  # which TVM does not have
    "from_keras": _mutable(from_keras),
    "from_mxnet": _mutable(from_mxnet),
    "from_nnvm": _mutable(from_nnvm),
    "from_onnx": _mutable(from_onnx),
    "from_pytorch": _mutable(from_pytorch),
    "from_tensorflow": _mutable(from_tensorflow),
    "from_tflite": _mutable(from_tflite),
}

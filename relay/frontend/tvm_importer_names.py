"""Define TVM's names of the importers: `relay.frontend.from_onnx(model, shape)`.

They return a mutable module, `IRModule`, and the parameters that are not part of it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from os import PathLike
from typing import Any

from relay.frontend.builders.weights_as_parameters import with_parameters
from relay.frontend.lazy_importers import LateFunction
from relay.frontend.load import load_program
from relay.ir.dims import Dim
from relay.ir.module import Module
from relay.runtime.ndarray import as_classic
from relay.support.errors import missing
from relay.support.late_binding import module_above
from relay.support.misspelt_options import suggests_options

_float_weights = LateFunction("relay.frontend.onnx.float_weights", "float_weights")

_EXPORT = "export the model to ONNX, and load it with relay.load"

ABSENT: Mapping[str, str] = {
    "ChangeDatatype": "use the element types of relay.TensorType; custom ones are not supported",
    "common": (
        "write a translation of an operator as a function: docs/how-to/add-an-onnx-operator.md"
    ),
    "tensorflow2": "call relay.frontend.from_tensorflow, which reads models of TensorFlow 1 and 2",
    **{
        f"from_{each}": _EXPORT
        for each in ("caffe", "caffe2", "coreml", "darknet", "oneflow", "paddle")
    },
}


_OPTIONS: Mapping[str, tuple[object, str]] = {
    "convert_config": (
        None,
        "omit the option: relay.compile chooses the layouts and variants of operators itself",
    ),
    "export_node_renamed_model_path": (None, "use expr.span, which names the node of the model"),
    "export_renamed_c_graph_path": (None, "use expr.span, which names the node of the model"),
    "keep_quantized_weight": (
        False,
        "omit the option: quantised weights are always imported as integer constants",
    ),
    "preserve_pytorch_scopes": (False, "use expr.span, which has the source line of the model"),
    "use_parser_friendly_name": (
        False,
        "omit the option: the printer puts names with special characters in quotes",
    ),
}
"""Options of TVM's importers that Relay lacks, with their default and what replaces them."""


@suggests_options
def from_onnx(
    model: "str | PathLike[str] | bytes | Any",
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: "str | Mapping[str, str]" = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
) -> tuple[Module, dict[str, Any]]:
    """Return an ONNX model as a module, and the weights that are parameters, by name.

    Element types and the opset version are read from the model. The module equals that of
    `relay.load(model, shapes=shape)`, with weights as constants; without `freeze_params`,
    floating-point weights are the last parameters of `main`, unless the import computed with them.
    """
    del dtype, opset  # the model states both
    module = load_program(model, shape)
    return (module, {}) if freeze_params else with_parameters(module, _float_weights(model))


@cache
def find(name: str) -> Any:
    """Return the importer with a TVM name; raises `U072` for unsupported importers."""
    if name in ABSENT:
        raise missing(f"relay.frontend.{name}", ABSENT[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'relay.frontend' has no attribute '{name}'")
    importer = getattr(import_module(_HOMES[name]), name)
    return importer if name in _MODERN else _mutable(importer)


def _mutable(importer: Callable[..., tuple[Module, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Return an importer that returns a mutable `IRModule`, and weights with `numpy()`."""

    @wraps(importer)
    def imported(*args: Any, **named: Any) -> tuple[Any, Any]:
        for option, (default, instead) in _OPTIONS.items():
            own = option in signature(importer).parameters
            if not own and named.pop(option, default) != default:
                raise missing(f"the option {option}", instead)
        module, params = importer(*args, **named)
        arrays = {name: as_classic(array) for name, array in params.items()}
        return module_above("relay.classic.ir_module").IRModule(module), arrays

    return imported


_HOMES: Mapping[str, str] = {
    "from_jax": "relay.frontend.jax",
    "from_keras": "relay.frontend.keras.load",
    "from_mxnet": "relay.frontend.mxnet.load",
    "from_nnvm": "relay.frontend.mxnet.nnvm",
    "from_onnx": __name__,
    "from_pytorch": "relay.frontend.pytorch",
    "from_tensorflow": "relay.frontend.tensorflow.load",
    "from_tflite": "relay.frontend.tensorflow_lite",
}
"""The modules of the importers, each imported with the first use of its name."""

NAMES = sorted(_HOMES)
"""The names of importers that `relay.frontend` offers."""

_MODERN = {"from_jax"}
"""The importers that TVM does not have, which return a `Module`."""

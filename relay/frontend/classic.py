"""Define the importers' classic names: `relay.frontend.from_onnx(model, shape)`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from relay.frontend.jax import from_jax
from relay.frontend.keras.load import from_keras
from relay.frontend.load import load_program
from relay.frontend.mxnet.load import from_mxnet
from relay.frontend.mxnet.nnvm import from_nnvm
from relay.frontend.pytorch import from_pytorch
from relay.frontend.tensorflow_lite import from_tflite
from relay.ir.dims import Dim
from relay.ir.module import Module
from relay.support.errors import missing

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
        "tensorflow",
    )
}


def from_onnx(
    model: "str | PathLike[str] | bytes | Any",
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: "str | Mapping[str, str]" = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
) -> tuple[Module, dict[str, Any]]:
    """Return an ONNX model as a module, and an empty dictionary of weights.

    Element types and the opset version are those of the model. The module equals that of
    `relay.load(model, shapes=shape)`, with weights as constants.
    """
    del dtype, opset, freeze_params  # the model has the types; weights as parameters would be slow
    return load_program(model, shape), {}


def find(name: str) -> Any:
    """Return the object of a classic name; raises `U072` for unsupported importers."""
    if name in ABSENT:
        raise missing(f"relay.frontend.{name}", ABSENT[name])
    importers = (from_jax, from_keras, from_mxnet, from_nnvm, from_onnx, from_pytorch, from_tflite)
    for importer in importers:
        if name == importer.__name__:
            return importer
    raise AttributeError(f"module 'relay.frontend' has no attribute '{name}'")

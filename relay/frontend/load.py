"""`load`: load a program, or parameters, from any supported source."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.container import is_parameters, load_module, load_params
from relay.frontend.jax import JAX_SUFFIXES, import_jax_model, is_exported
from relay.frontend.json_text import load_json_module
from relay.frontend.keras.files import SUFFIXES as KERAS
from relay.frontend.keras.load import import_keras, is_keras_model
from relay.frontend.mxnet.load import ENDING as MXNET
from relay.frontend.mxnet.load import import_mxnet
from relay.frontend.onnx import from_onnx
from relay.frontend.onnx.reader import check_is_file
from relay.frontend.parameters.load import READERS as WEIGHTS
from relay.frontend.parameters.load import load_parameters
from relay.frontend.pytorch import SUFFIXES, import_torch_model, is_torch_model
from relay.frontend.tensorflow.load import SUFFIX as TENSORFLOW
from relay.frontend.tensorflow.load import import_tensorflow
from relay.frontend.tensorflow_lite import LITE_SUFFIX, import_lite_model, is_lite_model
from relay.frontend.text import parse, read_text
from relay.ir.dims import Dim
from relay.ir.module import Module
from relay.runtime.artefact import is_container
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, UsageError

_KINDS = (
    "models are .onnx, .tflite, .pt2, .pt, .keras, .h5, .pb, .jax, .mlir, -symbol.json and folders"
    " with a SavedModel, programs .rly and .json, weights .safetensors and .gguf; what `relay.save`"
    " wrote is known by its first bytes"
)
_SAVED = ".relay"


def load(
    source: "str | PathLike[str] | bytes | Any",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    *,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
) -> Any:
    """Return the content of a file: a `Module`, or arrays by name.

    `load_program` documents the sources of modules, and the errors. Arrays are those that
    `relay.save` wrote, or of a `.safetensors` or `.gguf` file (`StoredParameters`); they are mapped
    into memory. Raises `A012`, or for those files `F080`, if they are damaged. A PyTorch module is
    exported with `example_inputs`, and with `dynamic_shapes` as for `torch.export.export`.
    """
    if is_keras_model(source):  # which may be a module of PyTorch, too
        return import_keras(source, shapes)
    if is_torch_model(source):
        return import_torch_model(source, example_inputs, dynamic_shapes).module
    path = _file_of_parameters(source)
    if path is None:
        return load_program(source, shapes)
    return load_parameters(path) if path.suffix in WEIGHTS else load_params(path)


def _file_of_parameters(source: object) -> Path | None:
    """Return the path of a parameter file; None for other sources."""
    if not isinstance(source, str | PathLike):
        return None
    path = Path(cast("str | PathLike[str]", source))
    _check_is_there(path)
    return path if _has_parameters(path) else None


def _has_parameters(path: Path) -> bool:
    """Whether a file holds arrays by name, by its suffix or its first bytes."""
    return path.suffix in WEIGHTS or is_parameters(path)


def load_program(
    source: "str | PathLike[str] | bytes | Any",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Module:
    """Return the module in a file: a model, Relay's own text (`.rly`), or a saved module.

    An ONNX or TensorFlow Lite model may also be the bytes of a file, an ONNX model a loaded
    `ModelProto`. A `.pt2` file holds an exported PyTorch program, whose dynamic sizes are symbolic,
    a `.pt` file TorchScript, whose inputs get their shapes here. `.keras` and `.h5` files hold
    Keras models, `.pb` files frozen graphs of TensorFlow, `.jax` files functions serialised by
    `jax.export`, `.mlir` files StableHLO, `-symbol.json` files MXNet networks, whose weights are in
    a neighbouring file, and other `.json` files modules that `relay.save_json` or TVM wrote. A
    folder holds a SavedModel of TensorFlow.

    `shapes` replaces the declared shapes of inputs, by name: integers, or symbolic dimensions.
    Raises `F…` errors for files that are damaged or not supported (`A…` for modules that
    `relay.save` wrote), `U002` for an unknown kind of file.
    """
    if isinstance(source, str | PathLike):
        path = Path(cast("str | PathLike[str]", source))
        _check_is_there(path)
        if _has_parameters(path):
            raise UsageError(
                ErrorCode.U003,
                f"{path} holds parameters, no program",
                help="give the model that they belong to; relay.load reads the arrays",
            )
        if path.suffix == _SAVED or is_container(path):
            return load_module(path)
        if path.is_dir():
            return import_tensorflow(path, shapes)
        if path.name.endswith(MXNET):
            return import_mxnet(path, shapes)
        if path.suffix not in _READERS:
            raise UsageError(
                ErrorCode.U002,
                f"do not know how to load a '{path.suffix}' file: {path}",
                help=_KINDS,
            )
        return _READERS[path.suffix](path, shapes)
    if is_exported(source):
        return import_jax_model(source, shapes)
    if not isinstance(source, bytes) and not hasattr(source, "opset_import"):
        raise UsageError(
            ErrorCode.U002,
            f"cannot load a program from a {type(source).__name__}",
            help="give a path, the bytes of an ONNX file, or an onnx.ModelProto",
        )
    if isinstance(source, bytes) and is_lite_model(source):
        return import_lite_model(source, shapes)
    return from_onnx(source, shapes)


def _read_text(path: Path, shapes: Mapping[str, Sequence[Dim]] | None) -> Module:
    """Return the program in a text, which declares its own shapes."""
    del shapes
    return parse(read_text(path), str(path))


def _read_torch(path: Path, shapes: Mapping[str, Sequence[Dim]] | None) -> Module:
    return import_torch_model(path, shapes=shapes).module


Reader: TypeAlias = Callable[[Path, Mapping[str, Sequence[Dim]] | None], Module]

_READERS: Mapping[str, Reader] = {
    "": from_onnx,
    ".onnx": from_onnx,
    ".rly": _read_text,
    ".json": load_json_module,
    LITE_SUFFIX: import_lite_model,
    TENSORFLOW: import_tensorflow,
    **dict.fromkeys(SUFFIXES, _read_torch),
    **dict.fromkeys(KERAS, import_keras),
    **dict.fromkeys(JAX_SUFFIXES, import_jax_model),
}
"""The readers of files, by suffix."""


def _check_is_there(path: Path) -> None:
    """Raise `F001` if there is no file to read."""
    check_is_file(path)
    try:
        path.stat()
    except OSError as error:
        reason = error.strerror or str(error)
        raise RelayImportError(
            ErrorCode.F001, f"cannot read {path}: {reason}", help="check the path"
        ) from None

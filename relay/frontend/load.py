"""`relay.load`: load a program, or parameters, from any supported source."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.container import is_parameters, load_module, load_params
from relay.frontend.import_result import Imported
from relay.frontend.in_memory_models import import_live_model
from relay.frontend.lazy_importers import LateFunction
from relay.frontend.read_files import check_is_there, path_of
from relay.frontend.tensorflow_lite import is_lite_model
from relay.ir.dims import Dim
from relay.ir.module import Module
from relay.runtime.artefact import is_container
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.misspelt_options import suggests_options
from relay.transform.shapes_of_inputs import check_shapes

Reader: TypeAlias = Callable[[Any, Mapping[str, Sequence[Dim]] | None], Module]
"""A function of an importer: maps a path, or bytes, and the shapes of inputs to a module."""

_from_onnx: Reader = LateFunction("relay.frontend.onnx.load", "from_onnx")
_import_jax: Reader = LateFunction("relay.frontend.jax", "import_jax_model")
_import_keras: Reader = LateFunction("relay.frontend.keras.load", "import_keras")
_import_lite: Reader = LateFunction("relay.frontend.tensorflow_lite", "import_lite_model")
_import_mxnet: Reader = LateFunction("relay.frontend.mxnet.load", "import_mxnet")
_import_tensorflow: Reader = LateFunction("relay.frontend.tensorflow.load", "import_tensorflow")
_with_shapes: Reader = LateFunction("relay.transform.shapes_of_inputs", "with_shapes")
_load_torch: Reader = LateFunction("relay.frontend.pytorch", "load_torch_file")

_READERS: Mapping[str, Reader] = {
    "": _from_onnx,
    ".onnx": _from_onnx,
    ".rly": LateFunction("relay.frontend.text", "load_text_module"),
    ".json": LateFunction("relay.frontend.json_programs", "load_json_module"),
    ".tflite": _import_lite,
    ".pb": _import_tensorflow,
    ".pt2": _load_torch,
    ".pt": _load_torch,
    ".keras": _import_keras,
    ".h5": _import_keras,
    ".hdf5": _import_keras,
    ".jax": _import_jax,
    ".mlir": _import_jax,
}
"""The readers of model files, by suffix; their importers are imported with the first such file."""

_PARAMETER_READERS: Mapping[str, Callable[[Path], Any]] = {
    ".gguf": LateFunction("relay.frontend.parameters.gguf", "read_gguf"),
    ".safetensors": LateFunction("relay.frontend.parameters.safetensors", "read_safetensors"),
}
"""The readers of files with parameters, by suffix."""

_MXNET = "-symbol.json"
_SAVED = ".relay"
_SAVED_MODEL = "saved_model.pb"
_SHARED = ("", ".json")  # suffixes that most files of other kinds have

KINDS = (
    "pass a model (.onnx, .tflite, .pt2, .pt, .keras, .h5, .pb, .jax, .mlir, -symbol.json, "
    "or a folder "
    "with a SavedModel), a program (.rly, .json), weights (.safetensors, .gguf), or a file of any "
    "name that relay.save wrote"
)

_NO_PROGRAM = (
    "the file may hold weights without a program: load them into the module with PyTorch, and "
    "compile that: relay.compile(module, (x,))"
)

_LIBRARY = (
    "a C library holds machine code, not the program: call it from C, as its header says, or pass "
    "the model from which it was compiled"
)

_NO_MODELS: Mapping[str, str] = {
    **dict.fromkeys((".pth", ".ckpt", ".bin"), _NO_PROGRAM),
    **dict.fromkeys((".so", ".dll", ".dylib", ".o"), _LIBRARY),
}
"""The help for weights that PyTorch writes and for libraries, by suffix."""


def is_model(path: Path) -> bool:
    """Whether a path is a model, by its file name, or a folder that contains a SavedModel."""
    if path.is_dir():
        return (path / _SAVED_MODEL).is_file()
    known = path.suffix in _READERS or path.suffix == _SAVED
    return path.is_file() and (known or path.name.endswith(_MXNET))


def models_in(folder: Path) -> list[Path]:
    """Return the models in a folder, sorted by name.

    Files without a suffix and `.json` files are skipped, except MXNet networks, because most such
    files are not programs.
    """
    found = [path for path in sorted(folder.glob("*")) if is_model(path)]
    return [p for p in found if p.is_dir() or p.suffix not in _SHARED or p.name.endswith(_MXNET)]


@suggests_options
def load(
    source: "str | PathLike[str] | bytes | Any",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    *,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
) -> Any:
    """Return the content of a file: a `Module`, or arrays by name.

    `load_program` documents the sources of modules, and the errors. Arrays are read from files that
    `relay.save` wrote and from `.safetensors` and `.gguf` files (`StoredParameters`), and are
    mapped into memory; damaged files raise `A012` or `F080`. A PyTorch module is exported with
    `example_inputs`, and with `dynamic_shapes` as for `torch.export.export`.
    """
    check_shapes(shapes)
    imported = import_live_model(source, shapes, example_inputs, dynamic_shapes)
    if imported is not None:
        return imported.program if isinstance(imported, Imported) else imported
    path = _file_of_parameters(source)
    if path is None:
        return load_program(source, shapes)
    return _PARAMETER_READERS.get(path.suffix, load_params)(path)


def _file_of_parameters(source: object) -> Path | None:
    """Return the path of a file that contains parameters; None for other sources."""
    if not isinstance(source, str | PathLike):
        return None
    path = path_of(cast("str | PathLike[str]", source))
    check_is_there(path)
    return path if _has_parameters(path) else None


def _has_parameters(path: Path) -> bool:
    """Whether a file contains arrays by name, judged by its suffix or its first bytes."""
    return path.suffix in _PARAMETER_READERS or is_parameters(path)


@suggests_options
def load_program(
    source: "str | PathLike[str] | bytes | Any",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Module:
    """Return the module in a file: a model, Relay's own text (`.rly`), or a saved module.

    An ONNX or TensorFlow Lite model may also be the bytes of a file, an ONNX model a loaded
    `ModelProto`. A `.pt2` file contains an exported PyTorch program, whose dynamic sizes are
    symbolic; a `.pt` file TorchScript, whose inputs get their shapes from `shapes`. `.keras` and
    `.h5` files contain Keras models, `.pb` files frozen graphs of TensorFlow, `.jax` files
    functions serialised by `jax.export`, `.mlir` files StableHLO, `-symbol.json` files MXNet
    networks, whose weights are in a file in the same folder, and other `.json` files modules that
    `relay.save_json` or TVM wrote. A folder contains a SavedModel of TensorFlow.

    `shapes` replaces the declared shapes of inputs, by name: integers, or symbolic dimensions. The
    named sizes of an ONNX model are then fixed in its other inputs, too. In modules it sets sizes
    that are unknown or symbolic; `C105` and `C106` refuse other shapes.
    Raises `F…` errors for files that are damaged or not supported (`A…` for modules that
    `relay.save` wrote), `U002` for an unknown kind of file.
    """
    check_shapes(shapes)
    if isinstance(source, str | PathLike):
        return _program_in(path_of(cast("str | PathLike[str]", source)), shapes)
    if isinstance(source, bytes) and is_lite_model(source):
        return _import_lite(source, shapes)
    if not isinstance(source, bytes) and not hasattr(source, "opset_import"):
        raise UsageError(
            ErrorCode.U002,
            f"relay.load cannot read a program from an object of the class {type(source).__name__}",
            help=(
                "pass a path, the bytes of an ONNX or TensorFlow Lite file, or a model of PyTorch, "
                "Keras, JAX or ONNX"
            ),
        )
    return _from_onnx(source, shapes)


def _program_in(path: Path, shapes: Mapping[str, Sequence[Dim]] | None) -> Module:
    """Return the module in a file, or in the folder of a SavedModel."""
    check_is_there(path)
    if _has_parameters(path):
        raise UsageError(
            ErrorCode.U003,
            f"the file {path} contains parameters, but no program",
            help="pass the model file instead; relay.load_param_dict reads files of parameters",
        )
    if path.suffix == _SAVED or is_container(path):
        module = load_module(path)
        return _with_shapes(module, shapes) if shapes else module
    if path.is_dir():
        return _import_tensorflow(path, shapes)
    if path.name.endswith(_MXNET):
        return _import_mxnet(path, shapes)
    if path.suffix not in _READERS:
        message = f"relay.load does not know files with the suffix '{path.suffix}': {path}"
        raise UsageError(ErrorCode.U002, message, help=_NO_MODELS.get(path.suffix, KINDS))
    return _READERS[path.suffix](path, shapes)

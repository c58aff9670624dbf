"""Import models that another framework holds in memory.

Models are recognised without importing any framework.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from relay.frontend.import_result import Imported
from relay.frontend.lazy_importers import LateFunction
from relay.ir.dims import Dim
from relay.ir.module import Module

_import_jax = LateFunction("relay.frontend.jax", "import_jax_model")
_import_jitted = LateFunction("relay.frontend.jax", "import_jitted")
_import_keras = LateFunction("relay.frontend.keras.load", "import_keras")
_from_onnx = LateFunction("relay.frontend.onnx.load", "from_onnx")
_import_torch = LateFunction("relay.frontend.pytorch", "import_torch_model")


def is_keras_model(source: object) -> bool:
    """Whether a value is a Keras model."""
    return _is_one_of(source, ("keras", "Model"))


def is_torch_model(source: object) -> bool:
    """Whether a value is a PyTorch module, exported program or scripted function."""
    program, script = ("torch.export", "ExportedProgram"), ("torch.jit", "ScriptFunction")
    return _is_one_of(source, ("torch.nn", "Module"), program, script)


def is_exported(source: object) -> bool:
    """Whether a value is an exported JAX function, `jax.export.Exported`."""
    return _is_one_of(source, ("jax.export", "Exported"))


def is_jitted(source: object) -> bool:
    """Whether a value is a function that `jax.jit` returned."""
    return _is_one_of(source, ("jax.stages", "Wrapped"))


def _is_one_of(source: object, *classes: tuple[str, str]) -> bool:
    """Whether a value is an instance of one of `classes`, given by module and name.

    No module is imported: if a value has such a class, its module has been imported.
    """
    return isinstance(source, _imported(classes))


def _is_class_of(source: object, *classes: tuple[str, str]) -> bool:
    """Whether a value is itself a class of models, which importers report."""
    return isinstance(source, type) and issubclass(source, _imported(classes))


def _imported(classes: Sequence[tuple[str, str]]) -> tuple[Any, ...]:
    """Return those of `classes` whose module has been imported."""
    found: list[Any] = [getattr(sys.modules.get(module), name, None) for module, name in classes]
    return tuple(each for each in found if each is not None)


def import_live_model(
    source: object,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
) -> Imported | Module | None:
    """Return a model of Keras, PyTorch, JAX or ONNX as a program; return None for other values."""
    if is_keras_model(source):  # first, because it may also be a PyTorch module
        return _import_keras(source, shapes)
    if is_torch_model(source) or _is_class_of(source, ("torch.nn", "Module")):
        return _import_torch(source, example_inputs, dynamic_shapes, None, shapes)
    if is_exported(source):
        return _import_jax(source, shapes)
    if is_jitted(source):
        return _import_jitted(source, shapes, example_inputs)
    if _is_one_of(source, ("onnx", "ModelProto")):
        return _from_onnx(source, shapes)
    return None

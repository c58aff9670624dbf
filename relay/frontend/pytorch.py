"""The entry point of the PyTorch importer; PyTorch is imported only for models that need it."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.frontend.import_result import Imported
from relay.frontend.lazy_importers import home, importer
from relay.ir.dims import Dim
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.support.misspelt_options import suggests_options

Converter: TypeAlias = Callable[..., "Expr | Sequence[Expr]"]
"""A user's translation of an operator, `f(inputs, types)`; classically in `custom_convert_map`."""


def load_torch_file(path: Path, shapes: Mapping[str, Sequence[Dim]] | None) -> Module:
    """Return the program in a `.pt2` or `.pt` file; `shapes` are those of a script's inputs."""
    return import_torch_model(path, shapes=shapes).program


def import_torch_model(
    source: object,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Imported:
    """Return a module, an exported program or a script, or the one in a file, as a Relay module.

    `shapes` are the shapes of a script's inputs, by name and in order, or replace the dynamic sizes
    of an exported program.

    A module is exported with its inputs. Raises `F050` if PyTorch is missing, and the errors of
    `relay.frontend.torch`.
    """
    found = _importer()
    if isinstance(source, Path):
        return found.from_file(source, shapes, custom_convert_map)
    return found.from_model(source, example_inputs, dynamic_shapes, custom_convert_map, shapes)


@suggests_options
def from_pytorch(
    script_module: object,
    input_infos: Sequence[Any] | Mapping[str, Any] | None = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
    default_dtype: str = "float32",
    *,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
) -> tuple[Module, dict[str, Any]]:
    """Return a PyTorch model as a module, and the initial values of its state.

    The model is a traced or scripted module with `input_infos`, a name and a shape for each input,
    or a name, a shape and an element type: `("x", ((1, 3), "int64"))`, in a list or a dictionary;
    an `ExportedProgram`; or a module that is exported with `example_inputs`; or the path of a
    `.pt2` or `.pt` file. Weights are constants that share the memory of PyTorch's tensors; state
    that a call changes, such as a counter buffer, is an input of `main`, and its new value a
    result.
    `custom_convert_map` has translations that add to or replace Relay's: `{"aten::name": f}`, where
    `f(inputs, types)` takes the arguments of a call in order and returns an expression.
    """
    model = script_module
    if isinstance(model, str | PathLike):
        model = _importer().model_in(Path(cast("str | PathLike[str]", model)))
    if input_infos is not None:
        found = _importer().from_infos(model, input_infos, custom_convert_map, default_dtype)
        return found.module, dict(found.state)
    found = import_torch_model(model, example_inputs, dynamic_shapes, custom_convert_map)
    return found.module, dict(found.state)


def translated_operators() -> Mapping[str, str]:
    """Map each supported PyTorch operator to the function that translates it.

    The function of `aten::linear` is `translate.matrix_products.linear`. May raise `F050`.
    """
    _importer()
    table: Any = import_module("relay.frontend.torch.registry")
    return {name: home(function) for name, function in table.TRANSLATIONS.items()}


def _importer() -> Any:
    """Import `relay.frontend.torch.load`; raises `F050` if PyTorch is missing."""
    return importer("relay.frontend.torch.load", "torch", "torch", "PyTorch")

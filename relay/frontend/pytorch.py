"""The entry point for PyTorch, which imports the framework only for a model that needs it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from relay.frontend.extras import home, importer
from relay.frontend.imported import Imported
from relay.ir.dims import Dim
from relay.ir.expr import Expr
from relay.ir.module import Module

SUFFIXES = (".pt2", ".pt")
"""How names of files with models of PyTorch end."""

Converter: TypeAlias = Callable[..., "Expr | Sequence[Expr]"]
"""A user's translation of an operator, `f(inputs, types)`; classically in `custom_convert_map`."""


def is_torch_model(source: object) -> bool:
    """Whether something is a module or an exported program of PyTorch, which is then loaded."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return False
    kinds = (torch.nn.Module, torch.export.ExportedProgram, torch.jit.ScriptFunction)
    return isinstance(source, kinds)


def import_torch_model(
    source: object,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Imported:
    """Return what a module, an exported program, a script, or a file with one, is as Relay.

    `shapes` are those of the inputs of a script in a file, by name and in order.

    A module is exported with its inputs. Raises `F050` where PyTorch is missing, and the errors of
    `relay.frontend.torch`.
    """
    found = _importer()
    if isinstance(source, Path):
        return found.from_file(source, shapes, custom_convert_map)
    return found.from_model(source, example_inputs, dynamic_shapes, custom_convert_map)


def from_pytorch(
    script_module: object,
    input_infos: Sequence[Any] | None = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
    default_dtype: str = "float32",
    *,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
) -> tuple[Module, dict[str, Any]]:
    """Return a model of PyTorch as a module, and the initial values of the state that it has.

    A traced or scripted module with `input_infos`, a name and a shape for each input, or a name, a
    shape and an element type: `("x", ((1, 3), "int64"))`; an `ExportedProgram`; or a module that is
    exported with `example_inputs`. Weights are constants in the memory of PyTorch's tensors; what
    an exported program writes to, such as a buffer that counts, is an input of `main`, and its new
    value a result. `custom_convert_map` has functions for operators that Relay does not know, or
    should translate otherwise: `{"aten::name": f}`, where `f(inputs, types)` gets the arguments of
    a call in order and returns an expression.
    """
    if input_infos is not None:
        found = _importer().from_infos(
            script_module, input_infos, custom_convert_map, default_dtype
        )
        return found.module, {}
    found = import_torch_model(script_module, example_inputs, dynamic_shapes, custom_convert_map)
    return found.module, dict(found.state)


def translated_operators() -> Mapping[str, str]:
    """Return the operators of PyTorch that are translated, and by which function; may raise `F050`.

    The function of `aten::linear` is `translate.products.linear`.
    """
    _importer()
    table: Any = import_module("relay.frontend.torch.registry")
    return {name: home(function) for name, function in table.TRANSLATIONS.items()}


def _importer() -> Any:
    """Return the importer; raises `F050` where PyTorch is missing."""
    return importer("relay.frontend.torch.load", "torch", "torch", "PyTorch")

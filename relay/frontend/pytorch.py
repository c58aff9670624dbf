"""The door to PyTorch: it imports the framework only for a model that needs it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from relay.frontend.imported import Imported
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.support.errors import ImportError_, UsageError

SUFFIXES = (".pt2",)
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
) -> Imported:
    """Return what a module, an exported program, or a `.pt2` file with one, is as Relay.

    A module is exported with its inputs. Raises `F050` where PyTorch is missing, and the errors of
    `relay.frontend.torch`.
    """
    importer = _importer()
    if isinstance(source, Path):
        return importer.from_exported(importer.opened(source), custom_convert_map)
    return importer.from_model(source, example_inputs, dynamic_shapes, custom_convert_map)


def from_pytorch(
    script_module: object,
    input_infos: Sequence[Any] | None = None,
    custom_convert_map: Mapping[str, Converter] | None = None,
    *,
    example_inputs: Sequence[Any] | None = None,
    dynamic_shapes: object = None,
) -> tuple[Module, dict[str, Any]]:
    """Return a model of PyTorch as a module, and the initial values of the state that it has.

    A module (exported with `example_inputs`) or an `ExportedProgram`. Weights are constants in the
    memory of PyTorch's tensors; what the model writes to, such as a buffer that counts, is an input
    of `main`, and its new value a result. `custom_convert_map` has functions for operators that
    Relay does not know, or should translate otherwise: `{"aten::name": f}`, where
    `f(inputs, types)` gets the arguments of a call in order and returns an expression.
    """
    if input_infos is not None:
        raise UsageError(
            "U003",
            "input_infos belongs to TorchScript",
            help="a module is exported with tensors: from_pytorch(module, example_inputs=(x,))",
        )
    found = import_torch_model(script_module, example_inputs, dynamic_shapes, custom_convert_map)
    return found.module, dict(found.state)


def translated_operators() -> Mapping[str, str]:
    """Return the operators of PyTorch that are translated, and by which function; may raise `F050`.

    >>> translated_operators()["aten::linear"]  # doctest: +SKIP
    'translate.products.linear'
    """
    _importer()
    table: Any = import_module("relay.frontend.torch.registry")
    return {name: _home(function) for name, function in table.TRANSLATIONS.items()}


def _home(function: Any) -> str:
    module = function.__module__.removeprefix("relay.frontend.torch.")
    return f"{module}.{function.__name__}"


def _importer() -> Any:
    """Return the importer; raises `F050` where PyTorch is missing."""
    if find_spec("torch") is None:
        raise ImportError_(
            "F050",
            "this is a model of PyTorch, which is not installed",
            help="pip install relay-compiler[torch]",
        )
    return import_module("relay.frontend.torch.load")

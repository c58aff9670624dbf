"""Export modules with `torch.export`, also those that use the transforms of `torch.func`."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.utils import _pytree as pytree

from relay.frontend.torch.check_supported import nodes_of
from relay.frontend.torch.safe_loading import first_line
from relay.frontend.torch.source_locations import span_of
from relay.frontend.torch.unexported_functions import Exportable
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, UsageError

_TRANSFORMS = "torch._functorch.predispatch"
"""The module of the functions that begin and end the transforms of `torch.func` in graphs."""

_DERIVATIVES = ("_unwrap_for_grad", "_enter_dual_level")
"""Functions of graphs that derivatives leave behind; those of `vmap` are traced again."""


def check_examples(examples: object) -> None:
    """Raise `U003` for a tensor alone, whose rows would be taken for the inputs, and for arrays."""
    if not isinstance(examples, tuple | list):
        found = type(examples).__name__
        raise UsageError(
            ErrorCode.U003,
            f"the example inputs must be a tuple, with one value for each input, not a {found}",
            help="pass a tuple, also for a single input: example_inputs=(x,)",
        )
    if any(isinstance(each, np.ndarray) for each in pytree.tree_leaves(examples)):
        raise UsageError(
            ErrorCode.U003,
            "the example inputs of a PyTorch model contain an array of NumPy",
            help="pass tensors: torch.from_numpy(x)",
        )


def exported(
    model: torch.nn.Module, examples: Sequence[Any], dynamic_shapes: object = None
) -> ExportedProgram:
    """Return a module exported by `torch.export`; raises `F051` if that fails.

    A module with transforms of `torch.func`, such as `grad`, is exported after PyTorch has applied
    them: `torch.export` itself takes their arguments for constants, or fails. Raises `U003` if the
    examples are not a tuple or a list.
    """
    check_examples(examples)
    mode = Exportable()
    try:
        with mode:
            found = torch.export.export(
                model, tuple(examples), dynamic_shapes=cast("Any", dynamic_shapes)
            )
    except Exception as error:  # noqa: BLE001 - PyTorch raises what its parts raise
        try:
            return _transformed(model, examples, dynamic_shapes)
        except Exception:  # noqa: BLE001 - the error of the usual export says more
            raise _failed(model, error, mode.uses_autograd) from error
    if not any(_derivatives(found)):
        return found
    try:
        return _transformed(model, examples, dynamic_shapes)
    except Exception as error:
        raise _failed(model, error, mode.uses_autograd) from error


def check_derivatives(program: ExportedProgram) -> None:
    """Raise `F051` for derivatives of `torch.func`, which PyTorch exports wrongly."""
    for node in _derivatives(program):
        raise RelayImportError(
            ErrorCode.F051,
            "the program takes a derivative with torch.func, whose argument torch.export has "
            "replaced by a constant",
            span=span_of(node.meta.get("stack_trace"), node.name),
            help="pass the module instead of the program: relay.compile(module, example_inputs)",
        )


def _derivatives(program: ExportedProgram) -> Iterator[Node]:
    """Yield the nodes of a program that remain from derivatives of `torch.func`."""
    for node in nodes_of(program.graph_module):
        target: Any = node.target
        is_transform = getattr(target, "__module__", "") == _TRANSFORMS
        if is_transform and target.__name__ in _DERIVATIVES:
            yield node


def _transformed(
    model: torch.nn.Module, examples: Sequence[Any], dynamic_shapes: object
) -> ExportedProgram:
    """Return a module exported after PyTorch has applied its transforms."""
    export: Any = import_module("torch.export._trace")._export  # noqa: SLF001 - it has no public name
    with Exportable():
        return export(
            model, tuple(examples), dynamic_shapes=dynamic_shapes, strict=False, pre_dispatch=False
        )


def _failed(model: torch.nn.Module, error: Exception, uses_autograd: bool) -> RelayImportError:
    message = f"torch.export cannot export {type(model).__name__}: {first_line(error)}"
    help_ = _AUTOGRAD_HELP if uses_autograd else _HELP
    return RelayImportError(ErrorCode.F051, message, help=help_)


_HELP = (
    "call torch.export.export(model, inputs) to see the full error, or pass a torch.jit.trace of "
    "the model to relay.frontend.from_pytorch"
)

_AUTOGRAD_HELP = (
    "take the derivative with torch.func.grad, or with torch.autograd.grad inside "
    "torch.enable_grad() and without create_graph; or use torch.compile(model, backend='relay')"
)

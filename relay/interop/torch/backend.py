"""`torch.compile(model, backend="relay")`: graphs of TorchDynamo as compiled programs.

PyTorch follows the model, guards what it took for granted, and makes the graph of the gradient;
Relay compiles both graphs. Parameters are inputs of the programs, as an optimiser may change them.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

import torch
from torch.fx import GraphModule

from relay.build.compile import compile_module
from relay.frontend.torch.compiled_graph import decompositions, module_of_graph
from relay.interop.torch.tensors import as_tensor


def relay_backend(graph: GraphModule, inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """Return a graph of TorchDynamo as a function that Relay has compiled.

    `options` are those of `relay.compile`: `torch.compile(model, backend="relay", options={…})`.
    Raises the `F…` errors of the importer, in PyTorch's `BackendCompilerFailed`.
    """
    # TorchDynamo takes seconds to load, and is loaded where a backend is called.
    common: Any = import_module("torch._dynamo.backends.common")
    functorch: Any = import_module("functorch.compile")
    given: dict[str, Any] = options.get("options", options) or {}

    def compiled(graph: GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return functorch.make_boxed_func(_compiled(graph, given))

    table = decompositions()
    return common.aot_autograd(fw_compiler=compiled, decompositions=table)(graph, list(inputs))


def _compiled(graph: GraphModule, options: Any) -> Callable[..., Sequence[Any]]:
    """Return a graph of ATen operators as a function from tensors to a list of tensors."""
    imported = module_of_graph(graph)
    executable = compile_module(imported.module, **options)

    def run(*args: Any) -> Sequence[Any]:
        tensors = [x.detach() for x in args if isinstance(x, torch.Tensor)]
        found = executable(*tensors)
        several = isinstance(found, tuple | list)
        arrays = iter(cast("Sequence[Any]", found if several else [found]))
        return [as_tensor(next(arrays)) if there else None for there in imported.present]

    return run

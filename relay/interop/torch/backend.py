"""The backend of `torch.compile(model, backend="relay")`.

PyTorch traces the model, guards its assumptions and builds the gradient graph; Relay compiles both
graphs. Parameters are inputs of the programs because an optimiser may change them.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, assert_never, cast

import numpy as np
import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import GraphModule

from relay.build.compile import compile_module
from relay.frontend.torch.compiled_graph import Result, decompositions, module_of_graph
from relay.interop.torch.tensors import as_tensor
from relay.support.misspelt_options import check_options, options_of

_library: Any = torch


def relay_backend(graph: GraphModule, inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """Compile a graph that TorchDynamo captured to a function of tensors.

    `options` are those of `relay.compile`: `torch.compile(model, backend="relay", options={…})`.
    Raises the `F…` errors of the importer, in PyTorch's `BackendCompilerFailed`.
    """
    # TorchDynamo takes seconds to load, so it is imported only when the backend is called.
    common: Any = import_module("torch._dynamo.backends.common")
    functorch: Any = import_module("functorch.compile")
    given: dict[str, Any] = options.get("options", options) or {}
    check_options("relay.compile", given, options_of(compile_module) - {"model"})

    def compiled(graph: GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return functorch.make_boxed_func(_compiled(graph, given))

    table = decompositions()
    return common.aot_autograd(fw_compiler=compiled, decompositions=table)(graph, list(inputs))


def _compiled(graph: GraphModule, options: Any) -> Callable[..., Sequence[Any]]:
    """Compile a graph of ATen operators to a function from tensors to a list of tensors."""
    with unset_fake_temporarily():  # constants of the graph are real tensors
        imported = module_of_graph(graph)
    executable = compile_module(imported.module, **options)

    def run(*args: Any) -> Sequence[Any]:
        drawn = [draw(args) for draw in imported.draws]
        found = executable(*(_argument(args[index]) for index in imported.inputs), *drawn)
        several = isinstance(found, tuple | list)
        arrays = iter(cast("Sequence[Any]", found if several else [found]))
        pairs = zip(imported.results, imported.orders, strict=True)
        return [_in_order(_result(kind, arrays), order) for kind, order in pairs]

    return run


def _argument(value: Any) -> Any:
    """Return an argument of a graph as a program takes it: integers become arrays."""
    if not isinstance(value, torch.Tensor):
        return np.int64(value)
    return value.detach().resolve_conj().resolve_neg()


def _result(kind: Result, arrays: Iterator[Any]) -> Any:
    """Return the next result in the form that PyTorch expects: a tensor, a number or None."""
    match kind:
        case Result.NOTHING:
            return None
        case Result.TENSOR:
            return as_tensor(next(arrays))
        case Result.QUANTISED:
            data, scale, zero = (as_tensor(next(arrays)) for _ in range(3))
            return _library._make_per_tensor_quantized_tensor(data, float(scale), int(zero))  # noqa: SLF001 - it has no public name
        case Result.SIZE:
            return int(next(arrays))
        case _:
            assert_never(kind)


def _in_order(result: Any, order: Sequence[int] | None) -> Any:
    """Return a result with its axes in another order in memory, on which views of it depend."""
    if order is None:
        return result
    back = [order.index(axis) for axis in range(len(order))]
    return result.permute(order).contiguous().permute(back)

"""Translate regions without gradients, such as `with torch.no_grad():`, to stopped gradients.

1. In an exported program, a region is a separate graph, and PyTorch forgets that it has no
   gradients when it decomposes the program. Its results are detached before that.
2. In TorchScript, a region lies between two nodes. The inputs of the nodes in between are stopped.
3. TorchScript drops `detach` when it freezes a module. It becomes `alias` before that, which is a
   view as well, so that writes to it remain writes, and which models do not use.
"""

import copy
import io
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.identity_operators import StopGradient

_REGION = "wrap_with_set_grad_enabled"

ALIAS = "aten::alias"
"""The node that replaces `detach` in scripts."""

_DETACH, _ALIAS = (
    f"graph(%x):\n  %y = {name}(%x)\n  return (%y)" for name in ("aten::detach", ALIAS)
)


def with_detached_regions(program: ExportedProgram) -> ExportedProgram:
    """Return the program with the results of its regions without gradients detached.

    The same program is returned if there are none.
    """
    if not any(_is_region(each) for each in _all_nodes(program.graph_module)):
        return program
    module = copy.deepcopy(program.graph_module)  # weights are not in it
    for node in _all_nodes(module):
        if _is_region(node):
            region: Any = node.args[1]
            _detach_results(getattr(_owner(node), str(region.target)))
    made: Any = program
    return made._update(module, program.graph_signature)  # noqa: SLF001 - there is no public way


def _all_nodes(module: GraphModule) -> list[Node]:
    graphs = [each for each in module.modules() if isinstance(each, GraphModule)]
    return [node for each in graphs for node in each.graph.nodes]


def _is_region(node: Node) -> bool:
    target: Any = node.target
    is_call = node.op == "call_function"
    return is_call and getattr(target, "_name", "") == _REGION and node.args[0] is False


def _owner(node: Node) -> Any:
    """Return the module whose graph contains a node."""
    return node.graph.owning_module


def _detach_results(region: GraphModule) -> None:
    """Detach the results of a graph, except numbers and integers, which have no gradients."""
    output = region.graph.output_node()

    def detached(node: Node) -> Node:
        value: Any = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return node
        with region.graph.inserting_before(output):
            made = region.graph.call_function(torch.ops.aten.detach.default, (node,))
        made.meta = dict(node.meta)
        return made

    output.args = map_arg(output.args, detached)
    region.recompile()


class GradientModes:
    """The `with` blocks of a script around the node that is being translated.

    A mode is True in a block without gradients.
    """

    def __init__(self) -> None:
        self._stopped: list[bool] = []

    def enter(self, block: Any) -> None:
        """Enter a `with` block, whose object has the TorchScript type `block`."""
        self._stopped.append("enable_grad" not in str(block.qualified_name()))

    def leave(self) -> None:
        """Leave the innermost `with` block."""
        self._stopped.pop()

    def inputs(self, values: list[Any]) -> list[Any]:
        """Return the inputs of a node, with stopped gradients in a block without gradients."""
        if not self._stopped or not self._stopped[-1]:
            return values
        return [stopped(each) for each in values]


def stopped(value: object) -> object:
    """Return a value whose derivative is zero; values without derivatives are unchanged."""
    if not isinstance(value, Expr) or isinstance(value, Constant):
        return value
    varies = isinstance(value.type, TensorType) and value.type.dtype.has_derivatives
    return Call(StopGradient(), (value,)) if varies else value


def with_kept_detach(model: Any) -> Any:
    """Return a script module in which `alias` replaces `detach`.

    The same module is returned if it has no `detach`; otherwise a copy, which shares the weights.
    """
    if not model.inlined_graph.findAllNodes("aten::detach"):
        return model
    copied = _copied(model)
    rewrite: Any = torch._C._jit_pass_custom_pattern_based_rewrite_graph  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    for part in _parts(copied._c):  # noqa: SLF001 - as above
        for name in part._method_names():  # noqa: SLF001 - as above
            rewrite(_DETACH, _ALIAS, part._get_method(name).graph)  # noqa: SLF001 - as above
    return copied


def _copied(model: Any) -> Any:
    """Return a copy of a script module with copies of its graphs and with the same weights.

    PyTorch copies graphs only by writing and reading the module: without its weights, which may be
    gigabytes.
    """
    empty = _without_weights(model._c)  # noqa: SLF001 - there is no public way
    scripts: Any = torch.jit
    copied: Any = scripts.load(io.BytesIO(empty.save_to_buffer()))
    for source, target in zip(_parts(model._c), _parts(copied._c), strict=True):  # noqa: SLF001 - as above
        for name, weight in _weights(source):
            target.setattr(name, weight)
    return copied


def _without_weights(module: Any) -> Any:
    """Return a shallow copy of a script module and of its parts, with empty tensors for weights."""
    made = module.__copy__()
    to_python: Any = import_module("torch.jit._recursive").wrap_cpp_module
    for name, weight in _weights(module):
        made.setattr(name, weight.new_empty(0))
    for name, part in _children(module):
        made.setattr(name, to_python(_without_weights(part)))
    return made


def _weights(module: Any) -> list[tuple[str, torch.Tensor]]:
    """Return the parameters and buffers of a script module itself, not of its parts."""
    found: Any = [torch._C.ParameterDict(module), torch._C.BufferDict(module)]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - they have no public names
    return [item for each in found for item in each.items()]


def _children(module: Any) -> list[tuple[str, Any]]:
    parts: Any = torch._C.ModuleDict(module)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    return parts.items()


def _parts(module: Any) -> Iterator[Any]:
    """Yield a script module, its parts, and theirs."""
    yield module
    for _, part in _children(module):
        yield from _parts(part)

"""Check that Relay can import a PyTorch model: its operators and its mode."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch._ops as _torch_ops
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from relay.frontend.torch.python_scalars import SCALAR_FUNCTIONS
from relay.frontend.torch.registry import packet, translation
from relay.frontend.torch.source_locations import span_of
from relay.frontend.torch.unaliased_writes import functional_name, is_local_write, qualified
from relay.frontend.unsupported_operators import Door, not_supported
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

_ops: Any = _torch_ops

_DOOR = Door("from_pytorch(model, custom_convert_map", "inputs, types", "--torch")


def operator_name(node: Node) -> str | None:
    """Return the name of the operator that a node calls; None for other nodes.

    A write to a tensor that no other node shares has the name of the functional operator.
    """
    target: Any = node.target
    if node.op != "call_function" or target in SCALAR_FUNCTIONS:
        return None
    if isinstance(target, _ops.OpOverload):
        return functional_name(node) if is_local_write(node) else qualified(target)
    if isinstance(target, _ops.HigherOrderOperator):
        return f"higher_order::{target.name()}"
    return getattr(target, "__name__", str(target))


def nodes_of(module: GraphModule) -> Iterator[Node]:
    """Yield the nodes of a graph and its nested graphs; each graph is visited once."""
    graphs, seen = [module], set[GraphModule]()
    while graphs:
        top = graphs.pop()
        if top in seen:
            continue
        seen.add(top)
        yield from top.graph.nodes
        graphs.extend(each for each in top.children() if isinstance(each, GraphModule))


def unsupported(module: GraphModule, known: Iterable[str] = ()) -> list[Node]:
    """Return the nodes whose operators have no translation and are not in `known`."""
    named = [(node, operator_name(node)) for node in nodes_of(module)]
    others = set(known)
    return [
        node
        for node, name in named
        if name is not None and translation(name) is None and not others & {name, packet(name)}
    ]


def check_supported(module: GraphModule, known: Iterable[str] = ()) -> None:
    """Raise `F010` for operators that have no translation and are not in `known`.

    The caller translates the operators in `known`. The error lists the others, with the number of
    calls and the lines of each.
    """
    missing: dict[str, list[str]] = {}
    for node in unsupported(module, known):
        name = operator_name(node) or ""
        place = span_of(node.meta.get("stack_trace"), node.name)
        missing.setdefault(name, []).append(str(place).removesuffix(":1"))
    if missing:
        raise operators_not_supported(missing)


def check_inference(program: ExportedProgram, known: Iterable[str] = ()) -> None:
    """Raise `F036` for a normalisation that would update its running statistics: it is in training.

    Inputs of the model, and constants from outside of it, are not its statistics. The caller
    translates the operators in `known`.
    """
    others, signature = set(known), program.graph_signature
    outside = {*signature.inputs_to_lifted_tensor_constants, *signature.user_inputs}
    for node in nodes_of(program.graph_module):
        name = operator_name(node)
        if name is None or others & {name, packet(name)}:
            continue
        statistics = _updated_statistics(node)
        if statistics is not None and statistics.name not in outside:
            raise RelayImportError(
                ErrorCode.F036,
                f"{name}: the model is in training mode",
                span=span_of(node.meta.get("stack_trace"), node.name),
                help="call model.eval() before loading the model",
            )


def _updated_statistics(node: Node) -> Node | None:
    """Return the running mean that a normalisation in training updates."""
    schema = getattr(node.target, "_schema", None)
    names = () if schema is None else (each.name for each in schema.arguments)
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    is_training = given.get("training") or given.get("use_input_stats")
    found = given.get("running_mean")
    return found if is_training and isinstance(found, Node) else None


def operators_not_supported(missing: Mapping[str, Sequence[str]]) -> RelayImportError:
    """Return the error `F010` for operators by name, with the lines that use them."""
    return not_supported(missing, _DOOR.help(missing))

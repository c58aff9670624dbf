"""Find the values of a model's variables: follow how the model itself restores a checkpoint."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from relay.frontend.tensorflow.checkpoint import Checkpoint
from relay.frontend.tensorflow.model import Graph, Node, Output, TensorFlowModel
from relay.ir.expr import Constant
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_ASSIGNMENTS = ("AssignVariableOp", "Assign")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")

Weight: TypeAlias = Callable[[str], Constant]
"""Returns the value of a variable by the name of its node."""


def weights_of(model: TensorFlowModel, checkpoint: Checkpoint | None, source: Source) -> Weight:
    """Return the values of the variables of a model, read when they are needed.

    Raises `F093` for a variable without a value.
    """
    keys = {} if checkpoint is None else checkpoint_keys(model)
    known: dict[str, Constant] = {}

    def weight(name: str) -> Constant:
        if name not in known:
            span = Span(Source(f"{source.name}, variable {name}"))
            if checkpoint is None or name not in keys:
                raise _without_value(name, span)
            known[name] = Constant(checkpoint[keys[name]], span=span)
        return known[name]

    return weight


def checkpoint_keys(model: TensorFlowModel) -> dict[str, str]:
    """Return the names of tensors of the checkpoint, by the names of variables' nodes."""
    main = model.graph
    found = _restored(main, {name: name for name in main.nodes if main.nodes[name].op in VARIABLES})
    for call in main.nodes.values():
        name = call.attributes["f"].func.name if call.op in _CALLS else ""
        if name and any(each.op == "RestoreV2" for each in model.library[name].nodes.values()):
            function = model.library[name]
            given = zip(function.parameters, call.inputs, strict=False)
            found |= _restored(function, {inner: each.node for inner, each in given})
    return found


def _restored(graph: Graph, variables: Mapping[str, str]) -> dict[str, str]:
    """Return what a graph assigns to variables, which have other names there."""
    found: dict[str, str] = {}
    for node in graph.nodes.values():
        if node.op in _ASSIGNMENTS:
            target = _source(graph, node.inputs[0]).node
            value = _source(graph, node.inputs[1])
            origin = graph.nodes.get(value.node)
            if target in variables and origin is not None and origin.op == "RestoreV2":
                found[variables[target]] = _key(graph, origin, value.index)
    return found


def _source(graph: Graph, output: Output) -> Output:
    """Return the source of a value, behind nodes that only pass it on."""
    while output.node in graph.nodes and graph.nodes[output.node].op == "Identity":
        output = graph.nodes[output.node].inputs[0]
    return output


def _key(graph: Graph, restore: Node, index: int) -> str:
    names = graph.node(restore.inputs[1].node).attributes["value"].tensor.string_val
    return names[min(index, len(names) - 1)].decode(errors="replace")


def _without_value(name: str, span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F093,
        f"the variable '{name}' has no value in the model",
        span=span,
        help="load the folder of a SavedModel, or freeze the graph: its variables become constants",
    )

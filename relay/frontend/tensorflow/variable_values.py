"""Find the values of a model's variables by following how the model restores its checkpoint."""

from collections.abc import Mapping

from relay.frontend.tensorflow.checkpoint import Checkpoint
from relay.frontend.tensorflow.model import CALLS, Graph, Node, TensorFlowModel
from relay.frontend.tensorflow.saved_objects import keys_by_object
from relay.ir.expr import Array, Constant
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_ASSIGNMENTS = ("AssignVariableOp", "Assign")


class Weights:
    """The values of the variables of a model, read from the checkpoint on first use."""

    def __init__(self, model: TensorFlowModel, checkpoint: Checkpoint | None, name: str) -> None:
        try:
            self._keys = {} if checkpoint is None else checkpoint_keys(model, checkpoint)
        except (LookupError, ValueError):
            message = "the nodes or objects that restore the variables of the model are damaged"
            raise RelayImportError(ErrorCode.F093, message, span=Span(Source(name))) from None
        self._checkpoint = checkpoint
        self._name = name
        self._known: dict[str, Constant] = {}

    def __call__(self, name: str) -> Constant:
        """Return the value of a variable by the name of its node; raises `F093` if it has none."""
        if name not in self._known:
            span = Span(Source(f"{self._name}, variable {name}"))
            if self._checkpoint is None or name not in self._keys:
                raise _without_value(name, span)
            self._known[name] = Constant(self._checkpoint[self._keys[name]], span=span)
        return self._known[name]

    def arrays(self) -> dict[str, Array]:
        """Return the values that have been read, by name."""
        return {name: each.array for name, each in self._known.items()}


def checkpoint_keys(model: TensorFlowModel, checkpoint: Checkpoint) -> dict[str, str]:
    """Map the names of variable nodes to the names of tensors in the checkpoint."""
    main = model.graph
    stored = checkpoint.objects()
    found = {} if None in (stored, model.objects) else keys_by_object(model, stored)
    found |= _restored(
        main, {name: name for name in main.nodes if main.nodes[name].op in VARIABLES}
    )
    for call in main.nodes.values():
        name = call.attributes["f"].func.name if call.op in CALLS else ""
        if name and any(each.op == "RestoreV2" for each in model.library[name].nodes.values()):
            function = model.library[name]
            given = zip(function.parameters, call.inputs, strict=False)
            found |= _restored(function, {inner: each.node for inner, each in given})
    return found


def _restored(graph: Graph, variables: Mapping[str, str]) -> dict[str, str]:
    """Map variables to the checkpoint's tensors that a graph assigns to them.

    `variables` maps the names of variables in this graph to their names in the main graph.
    """
    found: dict[str, str] = {}
    for node in graph.nodes.values():
        if node.op in _ASSIGNMENTS:
            target = graph.source(node.inputs[0]).node
            value = graph.source(node.inputs[1])
            origin = graph.nodes.get(value.node)
            if target in variables and origin is not None and origin.op == "RestoreV2":
                found[variables[target]] = _key(graph, origin, value.index)
    return found


def _key(graph: Graph, restore: Node, index: int) -> str:
    names = graph.node(restore.inputs[1].node).attributes["value"].tensor.string_val
    return names[min(index, len(names) - 1)].decode(errors="replace")


def _without_value(name: str, span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F093,
        f"the variable '{name}' has no value in the model",
        span=span,
        help=(
            "load the folder of a SavedModel, or freeze the graph, which turns variables into "
            "constants"
        ),
    )

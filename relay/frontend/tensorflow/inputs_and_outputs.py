"""Choose the inputs and outputs of a model: by a signature, or from a frozen graph."""

from collections.abc import Container, Sequence

from relay.frontend.tensorflow.attributes import attribute_value
from relay.frontend.tensorflow.model import (
    Endpoint,
    Graph,
    Node,
    Output,
    Signature,
    TensorFlowModel,
    output_of,
)
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_DEFAULT = "serving_default"
_INITIALISERS = "__saved_model_init_op"
_REMNANT = "unused_control_flow_input"
_WITHOUT_RESULT = (
    "Assert", "Const", "Exit", "NoOp", "Placeholder", "PlaceholderWithDefault",
)  # fmt: skip


def signature_of(
    model: TensorFlowModel, name: str | None, outputs: Sequence[str] | None, span: Span
) -> Signature:
    """Return the signature `name` of a SavedModel; without a name, the default or only one.

    `outputs` selects some of its outputs. Raises `F096` if the signature does not exist or is
    ambiguous.
    """
    offered = {key: each for key, each in model.signatures.items() if key != _INITIALISERS}
    wanted = name or (_DEFAULT if _DEFAULT in offered or len(offered) != 1 else next(iter(offered)))
    if wanted not in offered:
        saved = (
            "save the model with a signature: tf.saved_model.save(model, folder, "
            "signatures=f.get_concrete_function(…))"
        )
        if not offered:
            message = "the model has no signatures: functions with named inputs and outputs"
            raise RelayImportError(ErrorCode.F096, message, span=span, help=saved)
        raise RelayImportError(
            ErrorCode.F096,
            f"the model has no signature '{wanted}', but only {', '.join(offered)}",
            span=span,
            help=f"choose one, from_tensorflow(folder, signature='…'), or {saved}",
        )
    found = offered[wanted]
    if outputs is None:
        return found
    by_name = {each.name: each for each in found.outputs}
    unknown = [each for each in outputs if each not in by_name]
    if unknown:
        message = f"the model has no output '{unknown[0]}', but only {', '.join(by_name)}"
        help_ = "pass names of the signature's outputs, from_tensorflow(folder, outputs=['…'])"
        raise RelayImportError(ErrorCode.F096, message, span=span, help=help_)
    return Signature(found.inputs, tuple(by_name[each] for each in outputs))


def frozen_signature(
    graph: Graph, shapes: Container[str], outputs: Sequence[str] | None
) -> Signature:
    """Return the placeholders of a graph as inputs, and the named or unused results as outputs.

    A placeholder with a default value is an input only if the user specifies its shape.
    Placeholders that TensorFlow creates when it converts loops of version 2 are not inputs.
    """
    found = [
        _input(node)
        for node in graph.nodes.values()
        if node.op == "Placeholder" or (node.op == "PlaceholderWithDefault" and node.name in shapes)
    ]
    inputs = [each for each in found if not each.name.startswith(_REMNANT)]
    names = _ends(graph) if outputs is None else outputs
    if not names:
        raise RelayImportError(
            ErrorCode.F096, "the graph has no outputs", help="name the outputs: outputs=['node']"
        )
    ends = tuple(Endpoint(name, _named(graph, name), 0, None) for name in names)
    return Signature(tuple(inputs), ends)


def _input(node: Node) -> Endpoint:
    shape = (
        attribute_value(node.attributes["shape"], node.name) if "shape" in node.attributes else None
    )
    return Endpoint(node.name, Output(node.name), node.attributes["dtype"].type, shape)


def _named(graph: Graph, name: str) -> Output:
    try:
        found = output_of(name)
    except ValueError as error:
        raise RelayImportError(ErrorCode.F096, str(error)) from None
    if found.node not in graph.nodes:
        ends = ", ".join(_ends(graph))
        raise RelayImportError(
            ErrorCode.F096,
            f"the graph has no node '{name}', which was passed as an output",
            help=f"pass names of nodes of the graph as outputs; likely ones are {ends}",
        )
    return found


def _ends(graph: Graph) -> list[str]:
    """Return the nodes whose results no other node reads, and that no other node waits for."""
    read = {name for node in graph.nodes.values() for name in node.controls}
    read |= graph.users.keys()
    return [
        node.name
        for node in graph.nodes.values()
        if node.name not in read and node.op not in _WITHOUT_RESULT
    ]

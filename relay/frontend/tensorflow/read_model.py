"""Read untrusted TensorFlow files: frozen graphs and SavedModel folders."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from relay.frontend.read_files import read_bytes
from relay.frontend.tensorflow.decode_tensors import shape_of
from relay.frontend.tensorflow.model import (
    Endpoint,
    Graph,
    Library,
    Signature,
    TensorFlowModel,
    nodes_of,
    output_of,
)
from relay.frontend.tensorflow.schema import message_class
from relay.frontend.tensorflow.v1_tensor_arrays import with_flows
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Source, Span

SAVED_MODEL = "saved_model.pb"
"""The file of a SavedModel in its folder."""

_SERVE = "serve"
"""The tag of the graph that is for predictions, if there are several."""


def read_graph(data: bytes, name: str) -> TensorFlowModel:
    """Return the model in a serialised frozen graph; raises `F092` if it is not a graph."""
    message = _parsed("Graph", data, name)
    if not message.node:
        raise _not_a_model(name, "the graph has no nodes")
    if not all(each.op and each.name for each in message.node):
        raise _not_a_model(name, "a node of the graph has no name, or no operator")
    return _model(message, {}, {}, name)


def read_saved_model(folder: Path) -> TensorFlowModel:
    """Return the model in a folder; raises `F092` unless it contains exactly one."""
    path = folder / SAVED_MODEL
    if not path.exists():
        raise RelayImportError(
            ErrorCode.F092,
            f"the folder is not a TensorFlow model: it has no file {SAVED_MODEL}",
            span=Span(Source(str(folder))),
            help="pass the file of a model, or the folder of a SavedModel",
        )
    message = _parsed("SavedModel", read_bytes(path), str(path))
    if not message.meta_graphs:
        raise _not_a_model(str(path), "it contains no graphs")
    found = [each for each in message.meta_graphs if _SERVE in each.info.tags]
    if len(found) != 1:
        raise RelayImportError(
            ErrorCode.F092,
            f"exactly one graph of a SavedModel must have the tag '{_SERVE}', but {len(found)} of "
            f"{len(message.meta_graphs)} graphs have it",
            span=Span(Source(str(path))),
            help="save the model with tf.saved_model.save(model, folder)",
        )
    meta = found[0]
    operators = {each.name: each for each in meta.info.operators.op}
    model = _model(meta.graph, operators, meta.signatures, str(path))
    assets = {output_of(each.tensor_info.name).node: each.filename for each in meta.assets}
    objects = meta.objects if meta.HasField("objects") else None
    return replace(model, objects=objects, assets=assets)


def _parsed(kind: str, data: bytes, name: str) -> Any:
    message = message_class(kind)()
    try:
        message.ParseFromString(data)
    except (DecodeError, RuntimeError, ValueError):
        raise _not_a_model(name, "its bytes do not follow the file format") from None
    return message


def _model(
    graph: Any, operators: Mapping[str, Any], signatures: Mapping[str, Any], name: str
) -> TensorFlowModel:
    functions = {each.signature.name: each for each in graph.library.function}
    try:
        return TensorFlowModel(
            Graph("", with_flows(nodes_of(graph.node))),
            Library(functions, operators),
            {key: _signature(each) for key, each in sorted(signatures.items())},
        )
    except RelayError as error:
        raise error.at(Span(Source(name))) from None
    except ValueError as error:
        raise _not_a_model(name, str(error)) from None


def _signature(message: Any) -> Signature:
    """Return a signature; its inputs and outputs are sorted by name, as in TensorFlow."""
    inputs, outputs = (
        tuple(
            Endpoint(name, output_of(info.name), info.dtype, shape_of(info.shape))
            for name, info in sorted(each.items())
        )
        for each in (message.inputs, message.outputs)
    )
    return Signature(inputs, outputs)


def _not_a_model(
    name: str, reason: str, help: str = "check that the download is complete"
) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F092,
        f"the file is not a TensorFlow model, or it is damaged: {reason}",
        span=Span(Source(name)),
        help=help,
    )

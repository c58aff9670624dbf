"""Read and validate untrusted ONNX files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx.defs import onnx_ml_opset_version, onnx_opset_version
from onnx.external_data_helper import ExternalDataInfo, uses_external_data

from relay.frontend.onnx.detached_weights import DetachedWeights, detach_weights, is_plain
from relay.frontend.read_files import mapped
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_NEWEST: Mapping[str, int] = {
    "ai.onnx.ml": onnx_ml_opset_version(),
    "ai.onnx.preview.training": 1,
    "com.microsoft": 1,
    "com.microsoft.nchwc": 1,
}
"""The newest opset of each domain but the standard one; models may have operators of others."""


@dataclass(frozen=True)
class OnnxFile:
    """A model, and the weights of its main graph that are not in its message."""

    model: onnx.ModelProto
    weights: DetachedWeights = field(default_factory=DetachedWeights)

    def whole(self) -> onnx.ModelProto:
        """Return the model with all weights in its message, where other packages expect them."""
        for tensor in self.model.graph.initializer:
            if self.weights.has(tensor):
                tensor.raw_data = self.weights.places[tensor.name].tobytes()
        return self.model


def read_model(path: Path) -> OnnxFile:
    """Return the model in a file, with external data loaded from files in the same folder.

    Raises `F001` (file not found), `F002` (not a model, or damaged), `F003` to `F005` (external
    data outside of the folder, missing, too short), `F006` (opset too new), `F007` (no graph).
    """
    read = parse_model(mapped(path), str(path))
    return OnnxFile(read.model, _with_external_data(read, path))


def parse_model(data: bytes | Array, name: str) -> OnnxFile:
    """Return the model in serialised bytes; errors refer to it as `name`."""
    span = Span(Source(name))
    model = onnx.ModelProto()
    try:
        file = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        text, places = detach_weights(file)
        model.ParseFromString(text)
    except (DecodeError, RuntimeError, ValueError):
        raise _not_a_model(span) from None
    check_model(model, span)
    return OnnxFile(model, DetachedWeights(places))


def check_model(model: onnx.ModelProto, span: Span) -> None:
    """Raise an error if a `ModelProto` is not a usable model."""
    if not model.opset_import and not model.graph.node:
        raise _not_a_model(span)
    if not model.graph.output:
        raise RelayImportError(ErrorCode.F007, "the model's graph has no outputs", span=span)
    if not all(isinstance(name, str) for name in _names(model)):
        raise _not_a_model(span)  # Protobuf returns bytes for strings that are not UTF-8
    _check_opset(opset(model), onnx_opset_version(), span)
    for each in model.opset_import:
        if each.domain in _NEWEST:
            _check_opset(each.version, _NEWEST[each.domain], span, each.domain)


def _check_opset(version: int, newest: int, span: Span, domain: str = "") -> None:
    """Raise `F006` for a version of a domain's operators that does not exist."""
    if version < 1:
        message, help_ = f"the model's opset {version} does not exist", "export the model again"
        raise RelayImportError(ErrorCode.F006, message, span=span, help=help_)
    if version > newest:
        of_domain = f" of {domain}" if domain else ""
        raise RelayImportError(
            ErrorCode.F006,
            f"the model's opset {version}{of_domain} is newer than the newest supported opset, "
            f"{newest}",
            span=span,
            help="install a newer onnx package, or export the model for an older opset",
        )


def check_self_contained(model: onnx.ModelProto, span: Span) -> None:
    """Raise `F004` if a model that was not read from a file refers to external data."""
    for tensor in _all_tensors(model):
        if uses_external_data(tensor):
            raise RelayImportError(
                ErrorCode.F004,
                f"the data of the tensor '{tensor.name}' are stored in another file, which is "
                "not known here",
                span=span,
                help=("load the model by its path, or pass the result of onnx.load"),
            )


def opset(model: onnx.ModelProto) -> int:
    """Return the opset version of the standard operators in a model."""
    versions = [each.version for each in model.opset_import if each.domain in ("", "ai.onnx")]
    return versions[0] if versions else 1  # models of the first version import no opset


def _not_a_model(span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F002,
        "this is not an ONNX model, or it is damaged",
        span=span,
        help=(
            "check that the download is complete, and that the suffix of the file names its format"
        ),
    )


def _with_external_data(read: OnnxFile, path: Path) -> DetachedWeights:
    """Return the weights of a file with those of other files; load all other external data."""
    folder, span = path.resolve().parent, Span(Source(str(path)))
    places, files = dict(read.weights.places), cache(mapped)
    for tensor in filter(uses_external_data, read.model.graph.initializer):
        if is_plain(tensor.data_type):
            places[tensor.name] = _external(tensor, folder, span, files)
            tensor.data_location = onnx.TensorProto.DEFAULT
    for tensor in filter(uses_external_data, _all_tensors(read.model)):
        tensor.raw_data = _external(tensor, folder, span, files).tobytes()
        tensor.data_location = onnx.TensorProto.DEFAULT
    return DetachedWeights(places)


def _all_tensors(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Return the tensors of a model: initialisers and attributes, also those of subgraphs."""
    tensors: list[onnx.TensorProto] = []
    for graph in _all_graphs(model):
        tensors.extend(graph.initializer)
        tensors.extend(part for each in graph.sparse_initializer for part in _parts(each))
        for attribute in (each for node in graph.node for each in node.attribute):
            tensors.extend([attribute.t] if attribute.HasField("t") else [])
            tensors.extend(attribute.tensors)
            tensors.extend(_parts(attribute.sparse_tensor))
    return tensors


def _parts(tensor: onnx.SparseTensorProto) -> list[onnx.TensorProto]:
    """Return the tensors of which a sparse tensor consists, if it is present."""
    return [tensor.values, tensor.indices] if tensor.HasField("values") else []


def _all_graphs(model: onnx.ModelProto) -> Iterable[onnx.GraphProto]:
    """Yield the main graph of a model, and all subgraphs."""
    graphs = [model.graph]
    while graphs:
        graph = graphs.pop()
        yield graph
        for attribute in (each for node in graph.node for each in node.attribute):
            graphs.extend([attribute.g] if attribute.HasField("g") else [])
            graphs.extend(attribute.graphs)


def _names(model: onnx.ModelProto) -> Iterable[object]:
    """Yield the strings of a model that the importer requires to be valid, such as names."""
    yield from (each.domain for each in model.opset_import)
    for graph in _all_graphs(model):
        yield graph.name
        yield from (tensor.name for tensor in graph.initializer)
        yield from (tensor.values.name for tensor in graph.sparse_initializer)
        for info in (*graph.input, *graph.output):
            yield info.name
            yield from (dim.dim_param for dim in info.type.tensor_type.shape.dim)
        for node in graph.node:
            yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
            yield from (each.name for each in node.attribute)


def _external(
    tensor: onnx.TensorProto, folder: Path, span: Span, files: Callable[[Path], Array]
) -> Array:
    """Return the bytes of a tensor whose data are in another file; `files` maps each file once."""
    try:
        info = ExternalDataInfo(tensor)
        file = (folder / info.location).resolve()
    except (ValueError, TypeError, AttributeError) as error:
        message = f"the tensor '{tensor.name}' has an invalid reference to a data file: {error}"
        raise RelayImportError(ErrorCode.F005, message, span=span) from None
    if not file.is_relative_to(folder):
        raise RelayImportError(
            ErrorCode.F003,
            f"the tensor '{tensor.name}' refers to a file outside the model's folder: "
            f"{info.location}",
            span=span,
            help="move the file into the model's folder: a model may not read other files",
        )
    if not file.is_file():
        raise RelayImportError(
            ErrorCode.F004,
            f"the file {info.location}, with the data of the tensor '{tensor.name}', does not "
            "exist",
            span=span,
        )
    offset, length = info.offset or 0, info.length
    available = file.stat().st_size - offset
    wanted = available if length is None else length
    if offset < 0 or not 0 <= wanted <= available:
        raise RelayImportError(
            ErrorCode.F005,
            f"the file {info.location} has {max(0, available)} bytes from offset {offset} on, "
            f"but the tensor '{tensor.name}' needs {wanted}",
            span=span,
        )
    return files(file)[offset : offset + wanted]

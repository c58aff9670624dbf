"""Convert the sparse tensors of ONNX models, which list their nonzero elements, to dense ones."""

from collections.abc import Iterable
from math import prod

import numpy as np
import onnx
from onnx import numpy_helper

from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.local_functions import with_nested
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

MOST_BYTES = 2**31
"""The limit of the size of a dense tensor, which a model can store: checked before allocation."""


def with_dense_weights(model: onnx.ModelProto, source: Source) -> onnx.ModelProto:
    """Return the model with dense tensors instead of sparse ones.

    1. Sparse initialisers become initialisers.
    2. The attribute `sparse_value` of a `Constant` becomes `value`.

    Raises `F009` if a dense tensor would be too large, and `F015` for invalid indices.
    """
    if not _has_sparse(model):
        return model
    result = onnx.ModelProto()
    result.CopyFrom(model)
    nodes = _nodes(result)
    for graph in _graphs(result, nodes):
        graph.initializer.extend(_dense(each, source) for each in graph.sparse_initializer)
        del graph.sparse_initializer[:]
    for node in nodes:
        for each in node.attribute:
            if each.name == "sparse_value" and each.HasField("sparse_tensor"):
                dense = _dense(each.sparse_tensor, source)
                each.CopyFrom(onnx.helper.make_attribute("value", dense))
    return result


def _has_sparse(model: onnx.ModelProto) -> bool:
    nodes = _nodes(model)
    return any(graph.sparse_initializer for graph in _graphs(model, nodes)) or any(
        each.HasField("sparse_tensor") for node in nodes for each in node.attribute
    )


def _graphs(model: onnx.ModelProto, nodes: Iterable[onnx.NodeProto]) -> list[onnx.GraphProto]:
    """Return the main graph, and the subgraphs of `nodes`."""
    attributes = [each for node in nodes for each in node.attribute]
    return [model.graph, *(graph for each in attributes for graph in (each.g, *each.graphs))]


def _nodes(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """Return the nodes of a model, including those of subgraphs and functions."""
    bodies = (model.graph.node, *(function.node for function in model.functions))
    return [node for body in bodies for node in with_nested(body)]


def _dense(tensor: onnx.SparseTensorProto, source: Source) -> onnx.TensorProto:
    """Return a sparse tensor as a dense one; the elements that it does not list are zero."""
    name, span = tensor.values.name, Span(source)
    element = tensor_dtype(tensor.values.data_type, span)
    if min(tensor.dims, default=0) >= 0 and prod(tensor.dims) * element.numpy.itemsize > MOST_BYTES:
        message = f"the sparse tensor '{name}' of the shape {(*tensor.dims,)} has too many elements"
        raise RelayImportError(ErrorCode.F009, message, span=span)
    try:
        values = numpy_helper.to_array(tensor.values)
        dense = np.zeros(tuple(tensor.dims), values.dtype)
        places = _places(numpy_helper.to_array(tensor.indices), dense)
        if places.shape != values.shape:  # NumPy would repeat a single value
            raise ValueError(f"values of the shape {values.shape} for {places.size} indices")
        dense.reshape(-1)[places] = values
    except (IndexError, TypeError, ValueError) as error:
        message = f"the data of the sparse tensor '{name}' do not match its shape: {error}"
        raise RelayImportError(ErrorCode.F015, message, span=span) from None
    return numpy_helper.from_array(dense, name)


def _places(indices: Array, dense: Array) -> Array:
    """Return the places of elements in row-major order.

    Indices are places themselves, or one row with an index along each axis for each element.
    """
    if indices.size and indices.min() < 0:
        raise ValueError(f"the index {indices.min()} is negative")
    if indices.ndim == 1:
        return indices
    if indices.ndim != 2 or indices.shape[1] != dense.ndim:
        raise ValueError(f"indices of the shape {indices.shape} for {dense.ndim} axes")
    return np.asarray(np.ravel_multi_index(tuple(indices.T), dense.shape))

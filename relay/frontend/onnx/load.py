"""The entry point of the ONNX importer: `from_onnx`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import onnx

from relay.frontend.builders.unify_sizes import Attempt, with_equal_sizes
from relay.frontend.onnx.channel_blocks import with_block_sizes
from relay.frontend.onnx.function_expansion import expanded
from relay.frontend.onnx.graph import GraphImporter
from relay.frontend.onnx.rank_splits import attempt
from relay.frontend.onnx.read_model import (
    OnnxFile,
    check_model,
    check_self_contained,
    opset,
    parse_model,
    read_model,
)
from relay.frontend.onnx.sparse_weights import with_dense_weights
from relay.frontend.onnx.translate import activation as _activation
from relay.frontend.onnx.translate import arithmetic as _arithmetic
from relay.frontend.onnx.translate import attention as _attention
from relay.frontend.onnx.translate import casts as _conversions
from relay.frontend.onnx.translate import col2im as _columns
from relay.frontend.onnx.translate import control_flow as _control
from relay.frontend.onnx.translate import convolution as _convolution
from relay.frontend.onnx.translate import feature_preprocessing as _features
from relay.frontend.onnx.translate import gradient as _gradient
from relay.frontend.onnx.translate import images as _images
from relay.frontend.onnx.translate import indexing as _indexing
from relay.frontend.onnx.translate import linear_models as _linear_models
from relay.frontend.onnx.translate import loops as _loops
from relay.frontend.onnx.translate import losses as _losses
from relay.frontend.onnx.translate import matrix_products as _products
from relay.frontend.onnx.translate import max_pool_indices as _windows
from relay.frontend.onnx.translate import microsoft_attention as _microsoft_attention
from relay.frontend.onnx.translate import microsoft_blocked as _microsoft_blocked
from relay.frontend.onnx.translate import microsoft_embeddings as _microsoft
from relay.frontend.onnx.translate import microsoft_experts as _microsoft_experts
from relay.frontend.onnx.translate import microsoft_fused as _fused
from relay.frontend.onnx.translate import microsoft_generation as _microsoft_generation
from relay.frontend.onnx.translate import microsoft_image_layers as _microsoft_layers
from relay.frontend.onnx.translate import microsoft_packed_attention as _microsoft_packed
from relay.frontend.onnx.translate import microsoft_quantized as _microsoft_quantized
from relay.frontend.onnx.translate import ngrams as _ngrams
from relay.frontend.onnx.translate import normalization as _normalization
from relay.frontend.onnx.translate import padding as _padding
from relay.frontend.onnx.translate import quantized as _quantized
from relay.frontend.onnx.translate import random as _random
from relay.frontend.onnx.translate import recurrent as _recurrent
from relay.frontend.onnx.translate import reduction as _reduction
from relay.frontend.onnx.translate import region_pooling_and_deform_conv as _regions
from relay.frontend.onnx.translate import resizing as _resizing
from relay.frontend.onnx.translate import rotary_and_rms_norm as _rotary
from relay.frontend.onnx.translate import sequences as _sequences
from relay.frontend.onnx.translate import shapes as _shapes
from relay.frontend.onnx.translate import signals as _signals
from relay.frontend.onnx.translate import slicing as _slicing
from relay.frontend.onnx.translate import training_operators as _training
from relay.frontend.onnx.translate import tree_ensembles as _trees
from relay.frontend.onnx.translate import unique as _unique
from relay.ir.dims import Dim, DimVar
from relay.ir.module import Module
from relay.support.errors import RelayTypeError
from relay.support.misspelt_options import suggests_options
from relay.support.span import Source, Span

FAMILIES = (
    _activation,
    _arithmetic,
    _attention,
    _columns,
    _control,
    _conversions,
    _convolution,
    _features,
    _gradient,
    _images,
    _indexing,
    _linear_models,
    _microsoft,
    _microsoft_attention,
    _microsoft_blocked,
    _microsoft_experts,
    _microsoft_generation,
    _microsoft_layers,
    _microsoft_packed,
    _microsoft_quantized,
    _fused,
    _loops,
    _losses,
    _ngrams,
    _normalization,
    _padding,
    _products,
    _quantized,
    _random,
    _recurrent,
    _reduction,
    _regions,
    _resizing,
    _rotary,
    _sequences,
    _shapes,
    _signals,
    _slicing,
    _training,
    _trees,
    _unique,
    _windows,
)
"""The translation modules; importing them registers the translations."""


@suggests_options
def from_onnx(
    model: "str | Path | bytes | onnx.ModelProto",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
) -> Module:
    """Translate an ONNX model to a module whose `main` is the graph.

    Dimensions that the model does not specify become symbolic; `shapes` replaces the shapes of some
    inputs. Weights become constants. Raises `F…` errors for models that are damaged or not
    supported; the latter errors list all unsupported operators.
    """
    if isinstance(model, onnx.ModelProto):
        source, read = Source(model.graph.name or "model"), OnnxFile(model)
        check_model(model, Span(source))
        check_self_contained(model, Span(source))
    elif isinstance(model, bytes):
        source = Source("model")
        read = parse_model(model, source.name)
        check_self_contained(read.model, Span(source))
    else:
        source = Source(str(model))
        read = read_model(Path(model))
    model = with_dense_weights(read.model, source)
    version = opset(model)
    model = with_block_sizes(expanded(model, version, shapes or {}, Span(source)))
    return _imported(OnnxFile(model, read.weights), source, version, shapes or {})


def _imported(
    read: OnnxFile, source: Source, version: int, shapes: Mapping[str, Sequence[Dim]]
) -> Module:
    """Translate a model; repeat this with unified sizes if constraints require equal sizes."""

    def translate(same: Mapping[DimVar, Dim]) -> Attempt:
        importer = GraphImporter(source, version, same, read.weights)
        module = attempt(lambda: importer.module(read.model.graph, shapes))
        return Attempt(module, importer.constraints, importer.has_forks)

    try:
        return with_equal_sizes(translate)
    except RelayTypeError as error:
        error.notes = (*error.notes, *_replaced_sizes(read.model.graph, shapes))
        raise


def _replaced_sizes(graph: onnx.GraphProto, shapes: Mapping[str, Sequence[Dim]]) -> Iterator[str]:
    """Yield a sentence for each size of an input that differs from the one that the model fixes."""
    for info in graph.input:
        declared = info.type.tensor_type.shape.dim
        for axis, (dim, size) in enumerate(zip(declared, shapes.get(info.name, ()), strict=False)):
            if dim.HasField("dim_value") and dim.dim_value != size:
                yield (
                    f"the shape given for the input {info.name} has the size {size} on axis "
                    f"{axis}, but the model declares {dim.dim_value}"
                )

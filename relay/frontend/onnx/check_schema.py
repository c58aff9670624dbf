"""Check nodes against the ONNX standard, and that translations have read all attributes."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
from onnx.defs import OpSchema

from relay.frontend.onnx.node import OnnxNode, attribute_value
from relay.frontend.onnx.registry import Domain
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_WINDOWS = (
    *("AveragePool", "Conv", "ConvInteger", "ConvTranspose", "FusedConv", "LpPool", "MaxPool"),
    *("NhwcConv", "NhwcMaxPool", "QLinearAveragePool", "QLinearConv"),
)
_TREES = ("TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor")

WITHOUT_EFFECT: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        **dict.fromkeys(_WINDOWS, ("pads", "storage_order")),  # for auto_pad; for indices
        **dict.fromkeys(_TREES, ("nodes_hitrates", "nodes_hitrates_as_tensor")),
        "Attention": (
            "mask_filter_value",
            "past_present_share_buffer",
        ),  # used only with a mask; only with a past
        "BatchNormalization": ("momentum",),  # used only in training
        "Dropout": ("ratio", "seed"),  # used only in training
        "FeatureVectorizer": ("inputdimensions",),  # the inputs have these sizes
        "FusedGemm": ("beta",),  # used only with a bias
        "Gemm": ("beta",),  # used only with a bias
        "Gradient": ("zs",),  # inputs without a gradient
        "GroupNormalization": ("stash_type",),  # the precision of the mean
        "GroupQueryAttention": ("rotary_interleaved",),  # used only with rotations
        "Imputer": (
            *("imputed_value_floats", "imputed_value_int64s"),
            *("replaced_value_float", "replaced_value_int64"),
        ),  # for other element types
        "LabelEncoder": ("default_float", "default_int64", "default_string"),  # other types
        "LayerNormalization": ("stash_type",),  # the precision of the mean
        "LinearClassifier": ("multi_class",),  # scores do not depend on it
        "MatMulNBits": ("accuracy_level",),  # the minimum precision of sums
        "MultiHeadAttention": ("mask_filter_value",),  # used only with a mask
        "Pad": ("value",),  # for other modes
        "Range": ("stash_type",),  # the precision of sums
        "Resize": (
            *("antialias", "coordinate_transformation_mode", "mode"),  # if no size changes
            *("cubic_coeff_a", "exclude_outside", "extrapolation_value", "nearest_mode"),
            "keep_aspect_ratio_policy",
        ),  # for other modes
        "RMSNormalization": ("stash_type",),  # the precision of the mean
        "SequenceEmpty": ("dtype",),  # the elements have this type
        "TopK": ("sorted",),  # without it, any order is correct
    }
)
"""Attributes that a translation need not read, by operator: they do not change its results."""

_VARIADIC = 2**31 - 1


def check_node(node: onnx.NodeProto, opset: int, span: Span) -> None:
    """Check the attributes and the number of inputs of a node.

    Raises `F024` for an attribute of a wrong type, and `F025` for a wrong number of inputs.
    Operators that the standard does not define in that version are not checked.
    """
    schema = _schema(node.op_type, node.domain, opset)
    if schema is None:
        return
    for attribute in node.attribute:
        known: Any = schema.attributes.get(attribute.name)
        if known is not None and int(known.type) != attribute.type:
            raise RelayImportError(
                ErrorCode.F024,
                f"the attribute '{attribute.name}' of {node.op_type} must be of type "
                f"{_name(int(known.type))}, not {_name(attribute.type)}",
                span=span,
            )
    if not schema.min_input <= len(node.input) <= schema.max_input:
        raise RelayImportError(
            ErrorCode.F025,
            f"the operator {node.op_type} takes "
            f"{_counted(schema.min_input, schema.max_input, 'input')}, but the node has "
            f"{len(node.input)}",
            span=span,
        )
    if not node.output or len(node.output) > schema.max_output:
        raise RelayImportError(
            ErrorCode.F025,
            f"the operator {node.op_type} has {_counted(1, schema.max_output, 'output')}, but "
            f"the node has {len(node.output)}",
            span=span,
        )


def _counted(least: int, most: int, what: str) -> str:
    """Return a range of numbers in words; a variadic operator has the largest int32 as `most`."""
    if least == most:
        return f"{least} {what}{'' if least == 1 else 's'}"
    if most == _VARIADIC:
        return f"at least {least} {what}{'' if least == 1 else 's'}"
    return f"{least} to {most} {what}s"


def check_read(node: OnnxNode, key: tuple[Domain, str], opset: int) -> None:
    """Raise `F052` for an attribute that affects the result but that the translation ignored.

    Attributes with the default value of the standard, or without an effect on results, are
    accepted.
    """
    domain, name = key
    unread = node.unread()
    if not unread:
        return
    schema = _schema(name, domain, opset)
    for attribute, given in unread.items():
        has_effect = attribute not in WITHOUT_EFFECT.get(name, ())
        if has_effect and not _is_default(schema, attribute, given):
            raise node.error(
                ErrorCode.F052,
                f"the attribute '{attribute}' has the value {given!r}, which is not supported",
                help="remove the attribute, or set it to its default",
            )


def _is_default(schema: OpSchema | None, attribute: str, given: Any) -> bool:
    """Whether a value is the attribute's default; without a schema, zero counts as default."""
    if schema is None:
        return not np.any(given) or given == ""
    known: Any = schema.attributes.get(attribute)
    if known is None or known.default_value.name == "":
        return False
    return bool(np.all(attribute_value(known.default_value) == given))


@lru_cache(maxsize=1024)
def _schema(name: str, domain: str, opset: int) -> OpSchema | None:
    try:
        return onnx.defs.get_schema(name, opset, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None


def _name(kind: int) -> str:
    """Return the name of an attribute type number, which may be invalid in a damaged model."""
    names = {number: name for name, number in onnx.AttributeProto.AttributeType.items()}
    return names.get(kind, f"number {kind}")

"""The table of translation functions of TensorFlow operators, by name."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from relay.frontend.builders.tensorflow_operators import TENSORFLOW
from relay.frontend.builders.translation_registry import registering
from relay.frontend.tensorflow.model import Node
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import Value

Translation: TypeAlias = Callable[[TfNode], Value | Sequence[Value]]
"""Returns the result of a node, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {**TENSORFLOW}

OUTPUTS: Mapping[str, Sequence[str]] = {
    "BlockLSTM": ("i", "cs", "f", "o", "ci", "co", "h"),
    "BlockLSTMV2": ("i", "cs", "f", "o", "ci", "co", "h"),
    "BroadcastGradientArgs": ("r0", "r1"),
    "CTCBeamSearchDecoder": (
        "decoded_indices", "decoded_values", "decoded_shape", "log_probability",
    ),
    "CTCGreedyDecoder": ("decoded_indices", "decoded_values", "decoded_shape", "log_probability"),
    "CTCLoss": ("loss", "gradient"),
    "CTCLossV2": ("loss", "gradient"),
    "CombinedNonMaxSuppression": (
        "nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections",
    ),
    "FusedBatchNorm": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormGrad": (
        "x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4",
    ),
    "FusedBatchNormGradV2": (
        "x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4",
    ),
    "FusedBatchNormGradV3": (
        "x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4",
    ),
    "FusedBatchNormV2": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV3": (
        "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2",
        "reserve_space_3",
    ),
    "GRUBlockCell": ("r", "u", "c", "h"),
    "LSTMBlockCell": ("i", "cs", "f", "o", "ci", "co", "h"),
    "ListDiff": ("out", "idx"),
    "LogMatrixDeterminant": ("sign", "log_abs_determinant"),
    "Lu": ("lu", "p"),
    "MaxPoolWithArgmax": ("output", "argmax"),
    "Merge": ("output", "value_index"),
    "NonMaxSuppressionV4": ("selected_indices", "valid_outputs"),
    "NonMaxSuppressionV5": ("selected_indices", "selected_scores", "valid_outputs"),
    "Qr": ("q", "r"),
    "SelfAdjointEigV2": ("e", "v"),
    "SoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "SparseSoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "Svd": ("s", "u", "v"),
    "Switch": ("output_false", "output_true"),
    "TensorArrayV3": ("handle", "flow"),
    "TensorListPopBack": ("output_handle", "tensor"),
    "TopK": ("values", "indices"),
    "TopKV2": ("values", "indices"),
    "Unique": ("y", "idx"),
    "UniqueV2": ("y", "idx"),
    "UniqueWithCounts": ("y", "idx", "count"),
    "UniqueWithCountsV2": ("y", "idx", "count"),
    "RaggedGather": ("output_nested_splits", "output_dense_values"),
    "RaggedRange": ("rt_nested_splits", "rt_dense_values"),
    "RaggedTensorToSparse": ("sparse_indices", "sparse_values", "sparse_dense_shape"),
    "SparseFillEmptyRows": (
        "output_indices", "output_values", "empty_row_indicator", "reverse_index_map",
    ),
    "SparseConcat": ("output_indices", "output_values", "output_shape"),
    "SparseSlice": ("output_indices", "output_values", "output_shape"),
    "SparseReorder": ("output_indices", "output_values"),
    "SparseReshape": ("output_indices", "output_shape"),
}  # fmt: skip
"""The names of the results of operators that have several, by which functions refer to them."""

_LISTS: Mapping[tuple[str, str], str] = {
    ("CTCBeamSearchDecoder", "decoded_indices"): "top_paths",
    ("CTCBeamSearchDecoder", "decoded_values"): "top_paths",
    ("CTCBeamSearchDecoder", "decoded_shape"): "top_paths",
    ("RaggedGather", "output_nested_splits"): "OUTPUT_RAGGED_RANK",
}
"""Results that are lists, before other results: the attributes with their lengths."""


def result_count(node: Node, name: str) -> int:
    """Return how many results of a node have a name."""
    attribute = _LISTS.get((node.op, name))
    return 1 if attribute is None else node.attributes[attribute].i


def tf_operator(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of one or more operators."""
    return registering(TRANSLATIONS, *names)

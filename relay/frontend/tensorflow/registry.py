"""The table of translation functions of TensorFlow operators, by name."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from relay.frontend.builders.translation_registry import registering
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import Value

Translation: TypeAlias = Callable[[TfNode], Value | Sequence[Value]]
"""Returns the result of a node, or its results in order."""

TRANSLATIONS: dict[str, Translation] = {}

OUTPUTS: Mapping[str, Sequence[str]] = {
    "BlockLSTM": ("i", "cs", "f", "o", "ci", "co", "h"),
    "BlockLSTMV2": ("i", "cs", "f", "o", "ci", "co", "h"),
    "CombinedNonMaxSuppression": (
        "nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections",
    ),
    "FusedBatchNorm": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV2": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV3": (
        "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2",
        "reserve_space_3",
    ),
    "LSTMBlockCell": ("i", "cs", "f", "o", "ci", "co", "h"),
    "Merge": ("output", "value_index"),
    "NonMaxSuppressionV4": ("selected_indices", "valid_outputs"),
    "NonMaxSuppressionV5": ("selected_indices", "selected_scores", "valid_outputs"),
    "Switch": ("output_false", "output_true"),
    "TensorArrayV3": ("handle", "flow"),
    "TensorListPopBack": ("output_handle", "tensor"),
    "TopK": ("values", "indices"),
    "TopKV2": ("values", "indices"),
    "Unique": ("y", "idx"),
    "UniqueWithCounts": ("y", "idx", "count"),
    "LogMatrixDeterminant": ("sign", "log_abs_determinant"),
    "Lu": ("lu", "p"),
    "Qr": ("q", "r"),
    "SelfAdjointEigV2": ("e", "v"),
    "Svd": ("s", "u", "v"),
}  # fmt: skip
"""The names of the results of operators that have several, by which functions refer to them."""


def tf_operator(*names: str) -> Callable[[Translation], Translation]:
    """Return a decorator that registers the translation of one or more operators."""
    return registering(TRANSLATIONS, *names)

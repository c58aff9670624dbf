"""Execute ONNX's `ZipMap`: convert the scores of each row to a dictionary by class label."""

from typing import Any

import onnx

ZIP_MAP = "ZipMap"


def zipped(node: onnx.NodeProto, scores: Any) -> list[dict[int | str, float]]:
    """Return a dictionary for each row of scores; the keys are the class labels of a node.

    >>> node = onnx.helper.make_node("ZipMap", ["x"], ["y"], classlabels_int64s=[3, 7])
    >>> zipped(node, [[0.25, 0.75]])
    [{3: 0.25, 7: 0.75}]
    """
    labels: list[int | str] = []
    for attribute in node.attribute:
        labels += attribute.ints
        labels += [text.decode() for text in attribute.strings]
    return [
        {label: float(score) for label, score in zip(labels, row, strict=True)} for row in scores
    ]

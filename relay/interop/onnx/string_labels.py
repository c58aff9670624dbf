"""Rewrite ONNX classifiers and n-grams so that only small operators use strings.

1. A classifier with string labels returns integers, which a `LabelEncoder` maps to names.
2. N-grams of words become n-grams of the integers that a `LabelEncoder` maps the words to.
"""

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import helper

ML = "ai.onnx.ml"
_LABELS = {
    "TreeEnsembleClassifier": "classlabels_int64s",
    "LinearClassifier": "classlabels_ints",
    "SVMClassifier": "classlabels_ints",
}
_NO_WORD = -1
"""The integer for words that occur in no n-gram."""


def without_words(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with classifiers and n-grams rewritten; the same object if it has none."""
    nodes = [new for node in model.graph.node for new in _rewritten(node)]
    if len(nodes) == len(model.graph.node):
        return model
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.node[:]
    result.graph.node.extend(nodes)
    if not any(each.domain == ML for each in result.opset_import):
        result.opset_import.append(helper.make_opsetid(ML, 3))
    return result


def _rewritten(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    attributes = {each.name: each for each in node.attribute}
    if node.op_type in _LABELS and _texts(attributes, "classlabels_strings"):
        return _named_later(node, attributes)
    if node.op_type == "TfIdfVectorizer" and _texts(attributes, "pool_strings"):
        return _numbered_before(node, attributes)
    return [node]


def _texts(attributes: dict[str, onnx.AttributeProto], name: str) -> list[bytes]:
    return list(attributes[name].strings) if name in attributes else []


def _named_later(
    node: onnx.NodeProto, attributes: dict[str, onnx.AttributeProto]
) -> list[onnx.NodeProto]:
    """Return a classifier with integer labels, and the encoder node that maps these to names."""
    labels = _texts(attributes, "classlabels_strings")
    numbers = list(range(len(labels)))
    number = f"{node.output[0]}/number"
    classifier = _without(node, "classlabels_strings", **{_LABELS[node.op_type]: numbers})
    classifier.output[0] = number
    table = helper.make_node(
        "LabelEncoder", [number], [node.output[0]], domain=ML,
        keys_int64s=numbers, values_strings=labels, default_string="",
    )  # fmt: skip
    return [classifier, table]


def _numbered_before(
    node: onnx.NodeProto, attributes: dict[str, onnx.AttributeProto]
) -> list[onnx.NodeProto]:
    """Return an encoder node that maps words to integers, and an n-gram node on these integers."""
    pool = _texts(attributes, "pool_strings")
    words = sorted(set(pool))
    places = {word: place for place, word in enumerate(words)}
    number = f"{node.output[0]}/words"
    table = helper.make_node(
        "LabelEncoder", [node.input[0]], [number], domain=ML,
        keys_strings=words, values_int64s=list(range(len(words))), default_int64=_NO_WORD,
    )  # fmt: skip
    grams = _without(node, "pool_strings", pool_int64s=[places[word] for word in pool])
    grams.input[0] = number
    return [table, grams]


def _without(node: onnx.NodeProto, name: str, **others: Sequence[int]) -> onnx.NodeProto:
    """Return a copy of a node with the attribute `name` replaced by `others`."""
    result = onnx.NodeProto()
    result.CopyFrom(node)
    kept: Any = [each for each in node.attribute if each.name != name]
    del result.attribute[:]
    result.attribute.extend(kept)
    result.attribute.extend(helper.make_attribute(key, each) for key, each in others.items())
    return result

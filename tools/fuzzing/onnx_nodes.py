"""Random ONNX nodes: cases of the standard's suite with random changes, against ONNX Runtime."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tools.fuzzing.operators.attributes import changed
from tools.fuzzing.operators.sketch import SIZES
from tools.onnx_cases import case, case_names

Array = npt.NDArray[Any]

_RANDOM = ("Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomUniform")
_ELEMENTS = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool")
_MOST = 1 << 14  # elements of an input
_MOST_AXES = 5  # of another input, if an input may be its shape
_STORED = 16  # elements of an input that may be stored in the model


@dataclass(frozen=True)
class RandomNode:
    """A model of one node, and arrays for its inputs.

    Open sizes are `tied`, each size with one name, or each axis of each input has its own.
    """

    name: str
    model: onnx.ModelProto
    inputs: Mapping[str, Array]
    is_open: bool
    is_tied: bool

    def other_inputs(self, random: Random) -> Mapping[str, Array] | None:
        """Return inputs of other sizes; None if sizes of one name would not be equal."""
        inputs = self.inputs
        for _ in range(random.choice((1, 1, 2, 3))):
            inputs = _other_sizes(inputs, random, everywhere=self.is_tied)
        pairs = {
            pair
            for key, each in self.inputs.items()
            for pair in zip(each.shape, inputs[key].shape, strict=True)
        }
        return None if self.is_tied and len(dict(pairs)) < len(pairs) else inputs


@cache
def _names() -> tuple[str, ...]:
    """Return the cases of one node on numbers, without subgraphs, whose results are not random."""
    names = [each for each in case_names() if "/" not in each and not each.endswith("_expanded")]
    return tuple(filter(_is_plain, names))


def _is_plain(name: str) -> bool:
    found = case(name)
    nodes, (given, expected) = found.model.graph.node, found.data[0]
    arrays = [*given, *expected]
    return (
        len(nodes) == 1
        and nodes[0].domain == ""
        and not nodes[0].op_type.startswith(_RANDOM)
        and not any(each.HasField("g") for each in nodes[0].attribute)
        and all(isinstance(each, np.ndarray) and each.dtype.kind in "biuf" for each in arrays)
        and all(each.size <= _MOST for each in arrays)
    )


def random_node(random: Random, prefix: str, *, is_open: bool) -> RandomNode:
    """Return a case with up to three random changes; names of values begin with `prefix`."""
    name = random.choice(_names())
    model = case(name).model
    node = onnx.NodeProto.FromString(model.graph.node[0].SerializeToString())
    inputs = dict(
        zip((each.name for each in model.graph.input), case(name).data[0][0], strict=True)
    )
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        kind = random.random()
        if kind < 0.5:
            inputs = _other_sizes(inputs, random)
        elif kind < 0.7:
            inputs = _other_elements(inputs, random)
        else:
            _other_attribute(node, max((each.ndim for each in inputs.values()), default=1), random)
    inputs = {prefix + key: each for key, each in inputs.items()}
    for names in (node.input, node.output):
        names[:] = [prefix + each if each else "" for each in names]
    stored = {key for key, each in inputs.items() if each.size <= _STORED and random.random() < 0.4}
    is_tied = random.random() < 0.5
    infos = [
        helper.make_tensor_value_info(
            key,
            helper.np_dtype_to_tensor_dtype(each.dtype),
            _names_of_sizes(prefix, key, each, is_tied=is_tied) if is_open else each.shape,
        )
        for key, each in inputs.items()
        if key not in stored
    ]
    outputs = [helper.make_empty_tensor_value_info(each) for each in node.output if each]
    weights = [numpy_helper.from_array(inputs[key], key) for key in inputs if key in stored]
    graph = helper.make_graph([node], name, infos, outputs, weights)
    made = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    passed = {key: each for key, each in inputs.items() if key not in stored}
    return RandomNode(name, made, passed, is_open, is_tied)


def _names_of_sizes(prefix: str, name: str, array: Array, *, is_tied: bool) -> Sequence[str]:
    """Return names of open sizes: equal ones have one name, or each its own."""
    if is_tied:
        return [f"{prefix}n{size}" for size in array.shape]
    return [f"{name}{axis}" for axis in range(array.ndim)]


def _other_sizes(
    inputs: Mapping[str, Array], random: Random, *, everywhere: bool = False
) -> dict[str, Array]:
    """Replace one size, at one axis or wherever it occurs."""
    sizes = sorted({size for each in inputs.values() for size in each.shape})
    if not sizes:
        return dict(inputs)
    old, new = random.choice(sizes), random.choice(SIZES)
    only = random.choice([*inputs]) if not everywhere and random.random() < 0.25 else None

    def resized(name: str, array: Array) -> Array:
        if only not in (None, name) or not array.size or _is_shape(array):
            return array
        shape = tuple(new if size == old else size for size in array.shape)
        return np.resize(array, shape) if int(np.prod(shape)) <= _MOST else array

    return {name: resized(name, array) for name, array in inputs.items()}


def _is_shape(array: Array) -> bool:
    """Whether an input may have an element for each axis of another."""
    return array.dtype == np.int64 and array.ndim == 1 and array.size <= _MOST_AXES


def _other_elements(inputs: Mapping[str, Array], random: Random) -> dict[str, Array]:
    """Replace one element type."""
    kinds = sorted({each.dtype.name for each in inputs.values()})
    if not kinds:
        return dict(inputs)
    old, new = random.choice(kinds), random.choice(_ELEMENTS)
    with np.errstate(all="ignore"):
        return {
            name: each.astype(new) if each.dtype.name == old else each
            for name, each in inputs.items()
        }


def _other_attribute(node: onnx.NodeProto, rank: int, random: Random) -> None:
    """Replace one attribute, or leave it out."""
    if not node.attribute:
        return
    chosen = random.randrange(len(node.attribute))
    old = node.attribute[chosen]
    value: Any = helper.get_attribute_value(old)
    del node.attribute[chosen]
    if random.random() < 0.7 and not isinstance(value, bytes | onnx.TensorProto):
        new = changed(value, rank, random)
        node.attribute.append(helper.make_attribute(old.name, new, attr_type=old.type))

"""The test-suite of the ONNX standard: a small model for each feature of each operator."""

from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from relay.frontend.onnx import from_onnx
from relay.frontend.onnx.registry import TRANSLATIONS
from relay.ir.dims import ANY
from relay.ir.module import Module
from relay.ir.types import TensorType, Type, TypeCall
from relay.prelude.standard_library import library
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data
from relay.semantics.infer import infer
from relay.support.errors import RelayImportError
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.unroll import UnrollLoops
from relay.transform.run_passes import run_passes
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.specialize_sizes import Specialize
from relay.transform.to_graph_form import ToGraphForm
from tools.onnx_cases import node_cases


@cache
def cases() -> dict[str, Any]:
    """Return the cases whose operators Relay has."""
    return {name: case for name, case in node_cases().items() if _has_operators(case)}


def names() -> list[str]:
    """List the names of the cases in scope, in an order that does not change."""
    return sorted(cases())


def _has_operators(case: Any) -> bool:
    return all((node.domain, node.op_type) in TRANSLATIONS for node in case.model.graph.node)


def run(model: onnx.ModelProto, inputs: list[Any]) -> list[Any]:
    """Import a model and evaluate it by the operators' references, after the passes that fold."""
    values = [
        each if each is None or isinstance(each, list) else np.asarray(each) for each in inputs
    ]
    model, values = with_parameters_as_constants(model, values)
    module = infer(folded(from_onnx(model, shapes_inside(model, values)), values))
    pairs = zip(values, module.main.params, strict=True)
    found = evaluate(module, *(to_value(each, param.type) for each, param in pairs))
    results = found if isinstance(found, tuple) else (found,)
    return [from_value(each) for each in results]


def shapes_inside(model: onnx.ModelProto, values: list[Any]) -> dict[str, Any]:
    """Return the shapes of what is in sequences, where the model does not declare them."""
    fixed = {each.name for each in model.graph.initializer}
    fed = [info for info in model.graph.input if info.name not in fixed]
    pairs = zip(fed, values, strict=True)
    return {
        info.name: (ANY,) * np.ndim(given[0])
        for info, given in pairs
        if isinstance(given, list)
        and given
        and not info.type.sequence_type.elem_type.tensor_type.HasField("shape")
        and info.type.HasField("sequence_type")
    }


def to_value(given: Any, ty: Type) -> Any:
    """Return a list or an optional value as the program takes it; arrays as they are."""
    constructors = library("prelude.rly").constructors()
    if not isinstance(ty, TypeCall):
        return given
    (content,) = ty.args
    if ty.head.name == "Option":
        if given is None:
            return Data(constructors["None"], ())
        return Data(constructors["Some"], (to_value(given, content),))
    made = Data(constructors["Nil"], ())
    for each in reversed(given):
        made = Data(constructors["Cons"], (np.asarray(each), made))
    return made


def from_value(value: Any) -> Any:
    """Return a list for a sequence, and None or what it holds for an option."""
    name = getattr(getattr(value, "constructor", None), "name", getattr(value, "name", None))
    if name == "None":
        return None
    if name == "Some":
        return from_value(value.fields[0])
    if name not in ("Cons", "Nil"):
        return value
    items: list[Any] = []
    while value.fields:
        items.append(value.fields[0])
        value = value.fields[1]
    return items


def with_parameters_as_constants(
    model: onnx.ModelProto, arrays: list[Any]
) -> tuple[onnx.ModelProto, list[Any]]:
    """Turn inputs that say how to compute, as axes and shapes do, into initialisers.

    The suite feeds them at run time; models that are used have them as constants.
    """
    try:
        from_onnx(model, shapes_inside(model, arrays))
    except RelayImportError as error:
        if error.code not in ("F022", "F032"):
            raise
    else:
        return model, arrays
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    fixed = [i for i, each in enumerate(arrays) if _is_parameter(i, each, len(arrays))]
    for i in fixed:
        tensor = numpy_helper.from_array(arrays[i], model.graph.input[i].name)
        changed.graph.initializer.append(tensor)
    return changed, [each for i, each in enumerate(arrays) if i not in fixed]


def _is_parameter(index: int, array: Any, count: int) -> bool:
    if array is None or isinstance(array, list):
        return False
    is_short = array.ndim <= 1 and array.size < 20
    return array.ndim == 0 or count == 1 or (is_short and index > 0)


def folded(module: Module, arrays: list[Any]) -> Module:
    """Give symbolic dimensions their sizes and fold what then is constant."""
    sizes: dict[str, int] = {}
    for param, array in zip(module.main.params, arrays, strict=True):
        if not isinstance(param.type, TensorType):
            continue
        for dim, size in zip(param.tensor_type.shape, array.shape, strict=True):
            sizes[str(dim)] = size
    static = Specialize(tuple(sizes.items()))(module)
    passes = [ToGraphForm(), FoldConstants(), UnrollLoops(), FlattenConcatenate()]
    return run_passes(static, passes)[0]


def as_array(value: Any) -> Any:
    """Return what a case stores, as an array; sequences are lists."""
    if value is None or isinstance(value, list):
        return value
    is_tensor = isinstance(value, onnx.TensorProto)
    return numpy_helper.to_array(value) if is_tensor else np.asarray(value)

"""The test-suite of the ONNX standard: a small model for each feature of each operator."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from relay.frontend.onnx import from_onnx
from relay.frontend.onnx.registry import TRANSLATIONS
from relay.ir.module import Module
from relay.support.errors import ImportError_, RelayError
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.unroll import UnrollLoops
from relay.transform.pipeline import run_passes
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.specialize import Specialize
from relay.transform.to_graph_form import ToGraphForm
from tests.frontend import evaluate


@cache
def all_cases() -> dict[str, Any]:
    """Return the cases by name; data that do not depend on the case are drawn from a fixed seed."""
    state = np.random.get_state()  # noqa: NPY002 - the suite draws from this generator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    np.random.set_state(state)  # noqa: NPY002
    return {case.name: case for case in found}


@cache
def cases() -> dict[str, Any]:
    """Return the cases whose operators and element types Relay has."""
    return {name: case for name, case in all_cases().items() if _is_in_scope(case)}


def names() -> list[str]:
    """List the names of the cases in scope, in an order that does not change."""
    return sorted(cases())


def _is_in_scope(case: Any) -> bool:
    nodes = case.model.graph.node
    if any((node.domain, node.op_type) not in TRANSLATIONS for node in nodes):
        return False
    try:
        from_onnx(case.model)
    except RelayError as error:
        return error.code != "F017"
    return True


def run(model: onnx.ModelProto, inputs: list[Any]) -> list[Any]:
    """Import a model and evaluate it by the operators' references, after the passes that fold."""
    arrays = [np.asarray(each) for each in inputs]
    model, arrays = with_parameters_as_constants(model, arrays)
    return evaluate.run(folded(from_onnx(model), arrays), arrays)


def with_parameters_as_constants(
    model: onnx.ModelProto, arrays: list[Any]
) -> tuple[onnx.ModelProto, list[Any]]:
    """Turn inputs that say how to compute, as axes and shapes do, into initialisers.

    The suite feeds them at run time; models that are used have them as constants.
    """
    try:
        from_onnx(model)
    except ImportError_ as error:
        if error.code != "F022":
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
    is_short = array.ndim <= 1 and array.size < 20
    return array.ndim == 0 or count == 1 or (is_short and index > 0)


def folded(module: Module, arrays: list[Any]) -> Module:
    """Give symbolic dimensions their sizes and fold what then is constant."""
    sizes: dict[str, int] = {}
    for param, array in zip(module.main.params, arrays, strict=True):
        for dim, size in zip(param.tensor_type.shape, array.shape, strict=True):
            sizes[str(dim)] = size
    static = Specialize(tuple(sizes.items()))(module)
    passes = [ToGraphForm(), FoldConstants(), UnrollLoops(), FlattenConcatenate()]
    return run_passes(static, passes)[0]


def as_array(value: Any) -> Any:
    """Return what a case stores, as an array."""
    is_tensor = isinstance(value, onnx.TensorProto)
    return numpy_helper.to_array(value) if is_tensor else np.asarray(value)

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
from relay.support.errors import ImportError_
from relay.transform.fold_constants import FoldConstants
from relay.transform.pipeline import run_passes
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.specialize import Specialize
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.unroll_loops import UnrollLoops
from tests.frontend import evaluate


@cache
def cases() -> dict[str, Any]:
    """Return the cases whose operators Relay translates, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    return {case.name: case for case in found if _is_translated(case.model)}


def _is_translated(model: onnx.ModelProto) -> bool:
    return all((node.domain, node.op_type) in TRANSLATIONS for node in model.graph.node)


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
        changed = onnx.ModelProto()
        changed.CopyFrom(model)
        fixed = [i for i, each in enumerate(arrays) if each.ndim <= 1 and each.size < 20 and i > 0 or len(arrays) == 1 or each.ndim == 0]
        for i in fixed:
            tensor = numpy_helper.from_array(arrays[i], model.graph.input[i].name)
            changed.graph.initializer.append(tensor)
        return changed, [each for i, each in enumerate(arrays) if i not in fixed]
    return model, arrays


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
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)

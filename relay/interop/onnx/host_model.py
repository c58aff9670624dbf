"""Compile ONNX models with strings: string operators run on the host, in Python.

The host uses the reference implementation of the `onnx` package, except for operators that ONNX
Runtime computes differently; all other operators are compiled.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import onnx

from relay.build.compile import compile_module
from relay.frontend.onnx.load import from_onnx
from relay.frontend.onnx.read_model import check_model, read_model
from relay.frontend.onnx.sparse_weights import with_dense_weights
from relay.frontend.onnx.topological_order import uses
from relay.interop.onnx.stages import Stage, has_host_part, stages
from relay.interop.onnx.string_labels import without_words
from relay.interop.onnx.string_operators import attributes_of, host_operator
from relay.interop.onnx.zip_map import ZIP_MAP, zipped
from relay.ir.expr import Array
from relay.runtime.code.interface_types import Data
from relay.runtime.executable import Executable
from relay.runtime.input_order import in_order
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.span import Source, Span

Compile: TypeAlias = Callable[[Any], Executable]
Values: TypeAlias = dict[str, Any]


class HostedModel:
    """A callable model: compiled programs, and operators that the host executes between them.

    Arguments are positional in the order of the model's inputs, or named; strings are object
    arrays. The result is one value, or a tuple with one item for each output.
    """

    def __init__(self, model: onnx.ModelProto, source: Source, compiled: Compile) -> None:
        stored = {each.name for each in model.graph.initializer}
        self.input_names = [info.name for info in model.graph.input if info.name not in stored]
        self.output_names = [info.name for info in model.graph.output]
        self.stages = stages(model, source)
        self._runs = [_run_of(stage, compiled) for stage in self.stages]

    def __repr__(self) -> str:
        parts = ", ".join("host" if stage.on_host else "compiled" for stage in self.stages)
        return f"HostedModel({', '.join(self.input_names)} -> {parts})"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the model; raises `R001` or `R002` for wrong arguments."""
        found = tuple(self.run(*args, **named).values())
        return found[0] if len(found) == 1 else found

    def run(self, *args: Any, **named: Any) -> Values:
        """Run the model, and return its results by output name."""
        listed = ", ".join(self.input_names)
        given = in_order(self.input_names, args, named, f"pass these inputs: {listed}")
        values: Values = dict(zip(self.input_names, given, strict=True))
        for run in self._runs:
            values.update(run(values))
        return {name: values[name] for name in self.output_names}


def compile_onnx(
    model: "str | Path | onnx.ModelProto", **options: Any
) -> "Executable | HostedModel":
    """Compile an ONNX model or file; the host executes string operators.

    A model without strings becomes an executable, as by `relay.compile(relay.load(model))`; any
    other becomes a `HostedModel`. `options` are those of `relay.compile`. Raises the importer's
    `F…` errors.
    """
    if isinstance(model, onnx.ModelProto):
        source = Source(model.graph.name or "model")
        check_model(model, Span(source))
        read = model
    else:
        source, read = Source(str(model)), read_model(Path(model)).whole()
    split = without_words(with_dense_weights(read, source))
    compiled = partial(compile_module, **options)
    return (
        HostedModel(split, source, compiled) if has_host_part(split) else compiled(from_onnx(model))
    )


def _run_of(stage: Stage, compiled: Compile) -> Callable[[Values], Values]:
    return _on_host(stage) if stage.on_host else _in_program(stage, compiled)


def _in_program(stage: Stage, compiled: Compile) -> Callable[[Values], Values]:
    program: Any = compiled(from_onnx(stage.model))

    def run(values: Values) -> Values:
        found = program(*(values[name] for name in stage.inputs))
        results: Sequence[Any] = found if len(stage.outputs) > 1 else (found,)
        plain = (each.plain() if isinstance(each, Data) else each for each in results)
        return dict(zip(stage.outputs, plain, strict=True))

    return run


def _on_host(stage: Stage) -> Callable[[Values], Values]:
    """Return a function that executes a stage with ONNX's reference evaluator, node by node."""
    nodes = [(node, _evaluator(node, stage.model)) for node in stage.model.graph.node]
    stored = {t.name: onnx.numpy_helper.to_array(t) for t in stage.model.graph.initializer}

    def run(values: Values) -> Values:
        known: Values = {**stored, **values}
        for node, evaluate in nodes:
            try:
                results = evaluate(known)
            except Exception as error:  # the evaluator raises arbitrary exceptions
                name = node.name or node.output[0]
                message = (
                    f"the operator {node.op_type} '{name}', which runs in Python, failed: {error}"
                )
                raise RunError(
                    ErrorCode.R058, message, help="check the values of the model's inputs"
                ) from error
            known.update(zip(node.output, results, strict=False))
        return {name: known[name] for name in stage.outputs}

    return run


def _evaluator(node: onnx.NodeProto, model: onnx.ModelProto) -> Callable[[Values], Sequence[Any]]:
    """Return a function from known values by name to the results of a node."""
    if node.op_type == ZIP_MAP:
        return lambda known: [zipped(node, known[node.input[0]])]
    if (own := host_operator(node)) is not None:
        attributes = attributes_of(node)
        return lambda known: own(attributes, np.asarray(_text(known[node.input[0]])))
    names = sorted(uses(node))
    inputs, outputs = (
        [onnx.ValueInfoProto(name=name) for name in each if name] for each in (names, node.output)
    )
    graph = onnx.helper.make_graph([node], "node", inputs, outputs)
    single = onnx.helper.make_model(graph, opset_imports=list(model.opset_import))
    single.functions.extend(model.functions)
    reference: Any = import_module("onnx.reference")  # imported here because it loads slowly
    evaluator = reference.ReferenceEvaluator(single)

    def evaluate(known: Values) -> Sequence[Any]:
        found = evaluator.run(None, {name: _text(known[name]) for name in names})
        return [_text(each) for each in found]

    return evaluate


def _text(value: Any) -> Any:
    """Return an array of strings as an object array; other values unchanged."""
    if not hasattr(value, "dtype"):
        return value
    array = cast("Array", value)
    return array.astype(object) if array.dtype.kind in "UST" else array

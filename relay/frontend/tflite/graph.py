"""Translate a TensorFlow Lite graph to a Relay expression."""

from collections.abc import Mapping, Sequence

import numpy as np

from relay.frontend.builders.constant_folding import computed, with_static_sizes
from relay.frontend.builders.expansion_limits import Expansion
from relay.frontend.node_errors import located
from relay.frontend.tflite.model import LiteGraph, LiteModel, LiteOperator, LiteTensor
from relay.frontend.tflite.node import LiteNode, Operand
from relay.frontend.tflite.registry import TRANSLATIONS, Translation
from relay.frontend.tflite.values import Handle, Value
from relay.frontend.tflite.variables import Variables
from relay.ir.expr import Array, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef.complex_rules import is_complex
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, RelayTypeError
from relay.support.span import Source, Span

LARGEST_KNOWN = 1024  # the limit of elements for constants that are folded at import

_ONCE = "CALL_ONCE"
_OTHERS: Mapping[type, str] = {Handle: "RESOURCE"}
"""The element types of values that are not expressions."""


class GraphImporter:
    """A translator of a model's graphs; `custom` has the user's translations by operator name."""

    def __init__(self, model: LiteModel, source: Source, custom: Mapping[str, Translation]) -> None:
        self._model = model
        self._source = source
        self._custom = custom
        self._expansion = Expansion()
        self.variables = Variables()

    def run(self, number: int, inputs: Sequence[Value]) -> list[Value]:
        """Return the results of graph `number` for the values of its inputs."""
        return self.run_with_state(number, inputs, {})[0]

    def run_with_state(
        self, number: int, inputs: Sequence[Value], variables: Mapping[int, Expr]
    ) -> tuple[list[Value], list[Value]]:
        """Return the results of a graph, and the values of its variable tensors afterwards.

        `variables` are the values before, by tensor index; other variable tensors are zero.
        """
        self._expansion.check_not_inside(number)
        graph = self._model.graphs[number]
        values: dict[int, Value] = {**variables}
        values.update(zip(graph.inputs, inputs, strict=True))
        with self._expansion.inside(number):
            for node in graph.operators:
                values.update(self._node(node, graph, values))
        results = [self._value(graph, index, values).value for index in graph.outputs]
        return results, [values[index] for index in variables]

    def initial_values(self) -> Mapping[str, Array]:
        """Return the initial values of variables, which the graphs of `CALL_ONCE` assign.

        Raises `F022` if a value is not a constant.
        """
        graph = self._model.graphs[0]
        for node in graph.operators:
            if node.key == _ONCE:
                self._node(node, graph, {})
        found = self.variables.snapshot()
        for name, value in found.items():
            if not isinstance(value, Constant):
                message = f"the initial value of the variable '{name}' is not a constant"
                raise RelayImportError(ErrorCode.F022, message, span=Span(self._source))
        return {name: each.array for name, each in found.items() if isinstance(each, Constant)}

    def _value(self, graph: LiteGraph, index: int, values: Mapping[int, Value]) -> Operand:
        """Return a value of the graph; raises `F018` if neither a node nor the file defines it."""
        tensor = graph.tensors[index]
        if index in values:
            return Operand(values[index], tensor)
        span = Span(Source(f"{self._source.name}, tensor {tensor.name}"))
        is_empty = tensor.shape is not None and 0 in tensor.shape
        if tensor.data is None and (tensor.is_variable or is_empty):
            return Operand(zeros_of(tensor, span), tensor)
        if tensor.data is None:
            message = f"the tensor '{tensor.name}' is used before an operator computes it"
            raise RelayImportError(ErrorCode.F018, message, span=span)
        return Operand(Constant(tensor.data, span=span), tensor)

    def _node(
        self, node: LiteOperator, graph: LiteGraph, values: Mapping[int, Value]
    ) -> dict[int, Value]:
        """Translate a node; return its results and new values of variables, by tensor index."""
        self._expansion.count_node()
        results = [graph.tensors[index] for index in node.outputs]
        name = results[0].name if results else ""
        span = Span(Source(f"{self._source.name}, node {node.name} '{name}'"))
        with located(span, f"{node.name} has invalid inputs or options"):
            inputs = [None if i < 0 else self._value(graph, i, values) for i in node.inputs]
            inner = [graph.tensors[index] for index in node.intermediates]
            call = LiteNode(node, inputs, results, inner, span, self.run, self.variables)
            found = dict(zip(node.outputs, self._translated(call), strict=True))
            return found | {node.inputs[index]: each for index, each in call.written.items()}

    def _translated(self, node: LiteNode) -> Sequence[Value]:
        own = self._custom.get(node.op)
        found = own(node) if own else _called(TRANSLATIONS[node.operator.key], node)
        results: list[Value] = [found] if isinstance(found, Value) else list(found)
        if own is None:
            node.check_all_read()
        given = [each.value for each in node.inputs if each is not None]
        if given and all(_is_small(each) for each in given):
            results = [computed(x, LARGEST_KNOWN) if isinstance(x, Expr) else x for x in results]
        results = [with_static_sizes(x) if isinstance(x, Expr) else x for x in results]
        for value, tensor in zip(results, node.results, strict=True):
            _check(node, value, tensor)
        return results


def _called(translate: Translation, node: LiteNode) -> Value | Sequence[Value]:
    """Return the results of a translation; `F017` for operators without complex numbers."""
    try:
        return translate(node)
    except RelayTypeError as error:
        values = [each.value for each in node.inputs if each is not None]
        if not any(isinstance(each, Expr) and is_complex(each.ty) for each in values):
            raise
        problem = "the operator does not support complex numbers"
        raise node.error(ErrorCode.F017, problem) from error


def zeros_of(tensor: LiteTensor, span: Span) -> Constant:
    """Return the stored form of zeros of a tensor's type: the initial value of a variable."""
    if tensor.dtype is None or tensor.shape is None or -1 in tensor.shape:
        raise RelayImportError(
            ErrorCode.F017,
            (f"the model has a variable of type {tensor.element}, which Relay does not support"),
            span=span,
        )
    value = tensor.zero if tensor.is_quantized else 0
    return Constant(np.full(tensor.shape, value, tensor.dtype.numpy), span=span)


def _is_small(value: Value) -> bool:
    return isinstance(value, Constant) and value.array.size <= LARGEST_KNOWN


def _check(node: LiteNode, value: Value, tensor: LiteTensor) -> None:
    """Raise `F053` if a result's element type or rank differs from the file's."""
    if tensor.element == _OTHERS.get(type(value)):
        return
    ty = value.ty if isinstance(value, Expr) else None
    rank = None if tensor.shape is None else len(tensor.shape)
    same = isinstance(ty, TensorType) and ty.dtype is tensor.dtype and rank in (None, ty.rank)
    if not same:
        wanted = f"{tensor.element} of shape {tensor.shape}"
        raise node.error(
            ErrorCode.F053,
            f"Relay's translation of the operator has a result of type {ty!r}, but the model "
            f"declares {wanted}",
        )

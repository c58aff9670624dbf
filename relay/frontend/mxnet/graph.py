"""Translate an MXNet network to a Relay function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from relay.frontend.custom_translations import called
from relay.frontend.input_checks import check_known
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import Translation
from relay.frontend.mxnet.symbol_file import Entry, Format, Node, Symbol, broken
from relay.frontend.node_errors import located
from relay.frontend.unsupported_operators import Door, not_supported
from relay.ir.dims import Dim
from relay.ir.expr import Array, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span


@dataclass(frozen=True)
class Given:
    """The user's input to an import: shapes and types of inputs, weights, and translations.

    Translations in `custom` take precedence over those in `operators`.
    """

    shapes: Mapping[str, Sequence[Dim]]
    dtypes: Mapping[str, str]
    weights: Mapping[str, Array]
    custom: Mapping[str, Translation]
    operators: Mapping[str, Translation]
    door: Door
    format: Format


_Variable: TypeAlias = Callable[[Node, Span], Expr | None]
"""Returns the value of a variable node, or None if it has none."""


@dataclass(frozen=True, eq=False)
class _Graph:
    """A graph with the results of the nodes that have been translated."""

    symbol: Symbol
    results: list[Sequence[Expr]]


class Importer:
    """A translator of the nodes of a network, in topological order."""

    def __init__(self, symbol: Symbol, given: Given, span: Span) -> None:
        self._symbol = symbol
        self._given = given
        self._span = span
        self._params: list[Var] = []

    def module(self) -> Module:
        """Return a module whose `main` takes the inputs of known shape, in order."""
        self._check_supported()
        self._check_shapes()
        outputs = self._outputs(self._symbol, self._variable)
        names = tuple(self._symbol.nodes[each.node].name for each in self._symbol.heads)
        body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
        return Module.of(Function(tuple(self._params), body, attrs={"outputs": names}))

    def _outputs(self, symbol: Symbol, variable: _Variable) -> list[Expr]:
        """Translate a graph; return its results. `variable` gives the values of its variables."""
        graph = _Graph(symbol, [])
        for node in symbol.nodes:
            span = Span(Source(f"{self._span.source.name}, node {node.name}"))
            if node.op == "null":
                found = variable(node, span)
                graph.results.append(() if found is None else (found,))
            else:
                graph.results.append(self._translated(graph, node, span))
        return [self._value(graph, each) for each in symbol.heads]

    def _translated(self, graph: _Graph, node: Node, span: Span) -> Sequence[Expr]:
        # An input without a shape, such as a label, is an error only if it is used.
        inputs = [self._value(graph, each) for each in node.inputs if self._is_there(graph, each)]
        inner = [partial(self._inner, each) for each in node.subgraphs]
        call = MxNode(node.op, inputs, node.attributes, span, inner)
        own = self._given.operators.get(node.op)
        translate = self._given.custom.get(node.op) or own
        assert translate is not None, f"{node.op} was found to be supported"
        with located(span, f"the operator {node.op} has invalid attributes or inputs"):
            results = translate(call)
            if translate is own:
                call.check_all_read()
            return [results] if isinstance(results, Expr) else results

    def _inner(self, symbol: Symbol, values: Sequence[Expr]) -> list[Expr]:
        """Translate a graph inside of a node, given the values of its variables in order."""
        given = dict(zip(symbol.given, values, strict=True))
        return self._outputs(symbol, lambda node, _: given[node.name])

    def _variable(self, node: Node, span: Span) -> Expr | None:
        """Return a weight or an input; None for a variable without a shape or without elements."""
        weight = self._given.weights.get(node.name)
        if weight is not None:
            return Constant(weight, span=span)
        shape = self._given.shapes.get(node.name)
        if shape is None:
            return None
        element = dtype(self._given.dtypes.get(node.name, "float32"))
        var = Var(node.name, TensorType(tuple(shape), element), span=span)
        self._params.append(var)
        return var

    def _is_there(self, graph: _Graph, entry: Entry) -> bool:
        """Whether an input of a node has a value.

        Raises `F013` for data whose shape is unknown.
        """
        node = graph.symbol.nodes[entry.node]
        if graph.results[entry.node] or node.name.endswith("label"):
            return bool(graph.results[entry.node])
        help_ = f"specify a shape, shapes={{'{node.name}': (1, 3, 224, 224)}}, or the weights"
        if self._given.shapes and not self._given.weights:
            help_ = "load the weights, too: keep their file beside the network, or pass the arrays"
        problem = f"the input '{node.name}' has neither a shape nor weights"
        raise RelayImportError(ErrorCode.F013, problem, span=self._span, help=help_)

    def _value(self, graph: _Graph, entry: Entry) -> Expr:
        results = graph.results[entry.node]
        if entry.index >= len(results):
            name = graph.symbol.nodes[entry.node].name
            problem = f"the model uses more results of the node '{name}' than it has"
            raise broken(self._span, problem, self._given.format)
        return results[entry.index]

    def _check_shapes(self) -> None:
        free = [each for each in self._symbol.given if each not in self._given.weights]
        check_known(self._given.shapes, free, self._span)

    def _check_supported(self) -> None:
        """Raise `F010` if operators have no translation; it lists them with counts and nodes."""
        known = {"null", *self._given.operators, *self._given.custom}
        missing: dict[str, list[str]] = {}
        for node in self._symbol.all_nodes:
            if node.op not in known:
                missing.setdefault(node.op, []).append(node.name)
        if missing:
            raise not_supported(missing, self._given.door.help(missing), self._span)


def custom(function: Any) -> Translation:
    """Wrap a user's translation function, `f(inputs, attributes)`, for the importer."""

    def translate(node: MxNode) -> Expr | Sequence[Expr]:
        return called(function, node.inputs, node.attributes)

    return translate

"""Translate an ONNX graph to a Relay function."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import onnx

from relay.frontend.builders.constant_folding import computed
from relay.frontend.builders.lists_and_options import as_type
from relay.frontend.builders.unify_sizes import constraints_in
from relay.frontend.input_checks import check_distinct, check_known, check_shape
from relay.frontend.node_errors import SENSELESS, located
from relay.frontend.onnx.check_schema import check_node, check_read
from relay.frontend.onnx.check_supported import check_supported, key
from relay.frontend.onnx.declared_types import (
    check_element_types,
    declared_type,
    open_shape,
)
from relay.frontend.onnx.detached_weights import DetachedWeights
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.local_functions import opset_of
from relay.frontend.onnx.node import KNOWN_CONDITION, OnnxNode
from relay.frontend.onnx.node_failures import Failures
from relay.frontend.onnx.old_opsets import modern
from relay.frontend.onnx.rank_splits import Fork, Results, on_each
from relay.frontend.onnx.registry import TRANSLATIONS
from relay.frontend.onnx.shape_arithmetic import follow
from relay.frontend.onnx.symbolic_sizes import Symbols
from relay.frontend.onnx.topological_order import captured, sorted_nodes, title
from relay.frontend.onnx.value import (
    LARGEST_KNOWN,
    Known,
    OnnxValue,
    as_constant,
    is_static,
    of_array,
)
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import (
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Tuple,
    Var,
)
from relay.ir.module import Module
from relay.ir.types import TensorType, is_dynamic
from relay.ir.walk import post_order
from relay.opdef.dim_constraints import Constraint
from relay.prelude.standard_library import import_from_std
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError, RelayTypeError
from relay.support.span import Source, Span
from relay.transform.effects import Unspeculatable

Scope = Mapping[str, OnnxValue | None]

MOST_FORKS = 64
"""The limit of rank splits: each may double the program after it."""

GIVE_SHAPES = (
    "specify the input shapes, load(path, shapes={…}), from which Relay can compute the sizes"
)


class GraphImporter:
    """A translator of a model's graphs; subgraphs can use the values of enclosing graphs."""

    def __init__(
        self,
        source: Source,
        opset: int,
        same: Mapping[DimVar, Dim] = MappingProxyType({}),
        weights: DetachedWeights | None = None,
    ) -> None:
        self.source = source
        self.opset = opset
        self._symbols = Symbols(same)
        self._weights = weights or DetachedWeights()
        self._forks = 0
        self._translated: list[Expr] = []
        self._ranks: dict[str, int] = {}
        self._uncertain = Unspeculatable()

    @property
    def has_forks(self) -> bool:
        """Whether the model has an `If` with results of different ranks, or without a value."""
        return self._forks > 0

    def constraints(self) -> list[Constraint]:
        """Return the size constraints of all translated calls, even if the translation failed."""
        return constraints_in(self._translated)

    def module(self, graph: onnx.GraphProto, shapes: Mapping[str, Sequence[Dim]]) -> Module:
        """Return a module whose `main` takes the graph's inputs and returns its outputs.

        The errors of nodes that do not depend on each other are reported together.
        """
        check_supported(graph, self.source, self.opset)
        self._check_names(graph, shapes)
        self._symbols.fix(graph, shapes)
        constants = {each.name for each in graph.initializer}
        params = [
            self._param(info, shapes.get(info.name))
            for info in graph.input
            if info.name not in constants
        ]
        scope = {var.name: OnnxValue(var) for var in params}
        results = self._values_of(self.graph(graph, scope, is_main=True))
        outputs = [self._given(*each) for each in zip(results, graph.output, strict=True)]
        body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
        names = tuple(info.name for info in graph.output)
        return _with_library(Module.of(Function(tuple(params), body, attrs={"outputs": names})))

    def _values_of(self, results: Results) -> Sequence[OnnxValue]:
        """Return the outputs of a model; raises `F041` if an output has several possible types."""
        if isinstance(results, RelayTypeError):
            raise results
        if isinstance(results, Fork):
            raise RelayImportError(
                ErrorCode.F041, str(results), span=results.span, help=KNOWN_CONDITION
            )
        return results

    def _given(self, value: OnnxValue, info: onnx.ValueInfoProto) -> Expr:
        """Return the expression of an output value.

        An empty sequence or option gets its declared type.
        """
        if value.expr.ty is not None:
            return value.expr
        ty = declared_type(info.type, Span(self.source), lambda t: open_shape(t) or ())
        return value.expr if ty is None else as_type(value.expr, ty)

    def graph(self, graph: onnx.GraphProto, outer: Scope, *, is_main: bool = False) -> Results:
        """Translate the nodes of a graph in a scope; return the values of its outputs.

        Raises `F027` for values with another element type than the graph declares.
        """
        scope: dict[str, OnnxValue | None] = {**outer, "": None}
        weights = self._weights if is_main else DetachedWeights()
        for tensor in graph.initializer:
            scope[tensor.name] = self._constant(tensor, weights)
        self._check_results(graph)
        self._ranks.update(_declared_ranks(graph))
        check_element_types(
            [scope.get(e.name) for e in graph.input], graph.input, Span(self.source)
        )
        nodes = sorted_nodes(graph, scope, self.source)
        return self._nodes(nodes, graph, scope, Failures(collects=is_main))

    def _nodes(
        self,
        nodes: Sequence[onnx.NodeProto],
        graph: onnx.GraphProto,
        outer: Scope,
        failures: Failures,
    ) -> Results:
        """Translate `nodes`, the remaining nodes of a graph; after a fork, once for each branch."""
        scope = dict(outer)
        declared = {info.name: info for info in (*graph.value_info, *graph.output)}
        for index, proto in enumerate(nodes):
            if failures.reach(proto):
                continue
            try:
                results = self._node(proto, scope)
                if not isinstance(results, Fork):
                    infos = [declared.get(name) for name in proto.output]
                    check_element_types(results, infos, self._span(proto))
            except RelayError as error:
                failures.add(error, proto)
                continue
            if isinstance(results, Fork):
                failures.check()
                self._count_fork(results)
                return on_each(results, self._behind(proto, nodes[index + 1 :], graph, scope))
            scope.update(zip(proto.output, results, strict=False))
        failures.check()
        outputs = [self._output(info.name, scope) for info in graph.output]
        check_element_types(outputs, graph.output, Span(self.source))
        return outputs

    def _behind(
        self,
        fork: onnx.NodeProto,
        rest: Sequence[onnx.NodeProto],
        graph: onnx.GraphProto,
        scope: Scope,
    ) -> Callable[[Sequence[OnnxValue]], Results]:
        """Return a function that translates the nodes `rest` after a fork, given its results.

        A fork is a node whose results have one of several ranks, such as `If` and `Squeeze`.
        """

        def go_on(values: Sequence[OnnxValue]) -> Results:
            given = dict(zip(fork.output, values, strict=False))
            return self._nodes(rest, graph, {**scope, **given}, Failures(collects=False))

        return go_on

    def _check_results(self, graph: onnx.GraphProto) -> None:
        """Raise `F012` if two nodes define the same value, or a node redefines an input."""
        seen = {each.name for each in (*graph.initializer, *graph.input)}
        for proto in graph.node:
            for name in proto.output:
                if name and name in seen:
                    raise self._error(
                        ErrorCode.F012, f"two nodes compute the value '{name}'", proto
                    )
                seen.add(name)

    def _count_fork(self, fork: Fork) -> None:
        """Count a fork; raises `F041` if a model has too many, since they duplicate nodes."""
        self._forks += 1
        if self._forks > MOST_FORKS:
            message = (
                f"the model has more than {MOST_FORKS} nodes, such as If and Squeeze, whose "
                "results may have different ranks"
            )
            raise RelayImportError(ErrorCode.F041, message, span=fork.span, help=KNOWN_CONDITION)

    def _node(self, proto: onnx.NodeProto, scope: Scope) -> Sequence[OnnxValue] | Fork:
        span = self._span(proto)
        opset = opset_of(proto, self.opset)
        check_node(proto, opset, span)
        inputs = [scope[name] if name else None for name in proto.input]

        def subgraph(graph: onnx.GraphProto, values: Mapping[str, OnnxValue]) -> Results:
            return self.graph(graph, {**scope, **values})

        with located(span, f"the operator {proto.op_type} has invalid inputs or attributes"):
            try:
                node = OnnxNode(
                    proto, inputs, opset, span, subgraph, self._ranks,
                    around=_captured_values(proto, scope), uncertain=self._uncertain,
                )  # fmt: skip
                node = modern(node)
                known = follow(node)
                if known is not None and is_static(known) and len(proto.output) == 1:
                    return [OnnxValue(as_constant(known, self._dtype(node)), known)]
                results = TRANSLATIONS[key(proto)](node)
                check_read(node, key(proto), opset)
                return results if isinstance(results, Fork) else self._values(results, known, node)
            except SENSELESS as error:
                if not any(value is not None and _is_open(value.expr) for value in inputs):
                    raise
                problem = f"the operator {proto.op_type} needs sizes that are known at compile time"
                raise RelayImportError(ErrorCode.F032, problem, help=GIVE_SHAPES) from error

    def _span(self, proto: onnx.NodeProto) -> Span:
        return Span(Source(f"{self.source.name}, node {title(proto)}"))

    def _values(
        self,
        results: Expr | Sequence[Expr] | Sequence[OnnxValue],
        known: Known | None,
        node: OnnxNode,
    ) -> Sequence[OnnxValue]:
        listed = [results] if isinstance(results, Expr) else results
        given = [each for each in listed if isinstance(each, Expr)]
        if not given:
            return [each for each in listed if isinstance(each, OnnxValue)]
        self._translated += given
        if len(given) == 1 and known is not None:
            return [OnnxValue(given[0], known)]
        if node.is_constant:
            given = [computed(each, LARGEST_KNOWN) for each in given]
        return [
            of_array(each.array, each) if isinstance(each, Constant) else OnnxValue(each)
            for each in given[: len(node.outputs)]
        ]

    def _dtype(self, node: OnnxNode) -> DType:
        """Return the element type of the integers that a shape computation returns."""
        if node.op == "Equal":
            return dtype("bool")
        if node.op == "Cast":
            return tensor_dtype(node.attribute("to"), node.span)
        return (
            dtype("int64") if node.op in ("Shape", "Size") else node.type(node.op == "Where").dtype
        )

    def _param(self, info: onnx.ValueInfoProto, shape: Sequence[Dim] | None) -> Var:
        span = Span(Source(f"{self.source.name}, input {info.name}"))
        if not info.type.HasField("tensor_type"):
            return self._data_param(info, shape, span)
        tensor = info.type.tensor_type
        declared = tuple(
            self._symbols.dim(each, info.name, i) for i, each in enumerate(tensor.shape.dim)
        )
        chosen = declared if shape is None else tuple(shape)
        check_shape(info.name, declared if tensor.HasField("shape") else None, chosen, span)
        element = tensor_dtype(tensor.elem_type, span)
        try:
            return Var(info.name, TensorType(chosen, element), span=span)
        except RelayError as error:
            error.at(span)
            raise

    def _data_param(
        self, info: onnx.ValueInfoProto, shape: Sequence[Dim] | None, span: Span
    ) -> Var:
        """Return a parameter that is a sequence or an option; element sizes may be unknown."""

        def dims(tensor: onnx.TypeProto.Tensor) -> Sequence[Dim] | None:
            return open_shape(tensor) if shape is None else shape

        ty = declared_type(info.type, span, dims)
        if ty is None:
            message = (
                f"the input '{info.name}' contains tensors whose shape the model does not declare"
            )
            help_ = (
                f"specify the shape, with relay.ANY for open sizes: shapes={{'{info.name}': (…)}}"
            )
            raise RelayImportError(ErrorCode.F013, message, span=span, help=help_)
        return Var(info.name, ty, span=span)

    def _check_names(self, graph: onnx.GraphProto, shapes: Mapping[str, object]) -> None:
        """Raise `F012` for duplicate names, `F019` for shapes of unknown inputs."""
        span = Span(self.source)
        inputs = [each.name for each in graph.input]
        stored = [each.name for each in graph.initializer]
        check_distinct(inputs, span)
        check_distinct(stored, span, "initialisers")
        check_known(shapes, inputs, span)

    def _constant(self, tensor: onnx.TensorProto, weights: DetachedWeights) -> OnnxValue:
        span = Span(Source(f"{self.source.name}, tensor {tensor.name}"))
        tensor_dtype(tensor.data_type, span)
        try:
            if min(tensor.dims, default=0) < 0:
                raise ValueError(f"it contains the negative size {min(tensor.dims)}")
            array = weights.array(tensor)
        except SENSELESS as error:
            message = f"the data of the tensor '{tensor.name}' do not match its shape: {error}"
            raise RelayImportError(ErrorCode.F015, message, span=span) from None
        return of_array(array, Constant(array, span=span))

    def _output(self, name: str, scope: Scope) -> OnnxValue:
        value = scope.get(name)
        if value is None:
            raise RelayImportError(
                ErrorCode.F016,
                f"the model declares the output '{name}', but no node computes it",
                span=Span(self.source),
            )
        return value

    def _error(self, code: ErrorCode, message: str, proto: onnx.NodeProto) -> RelayImportError:
        return RelayImportError(
            code, message, span=Span(Source(f"{self.source.name}, {proto.name}"))
        )


def _captured_values(proto: onnx.NodeProto, scope: Scope) -> dict[str, OnnxValue]:
    """Return the values that a node's subgraphs capture from `scope`, by name."""
    values = {name: scope.get(name) for name in captured(proto)}
    return {name: value for name, value in values.items() if value is not None}


def _declared_ranks(graph: onnx.GraphProto) -> dict[str, int]:
    """Return the declared ranks of a graph's values, by name."""
    tensors = {info.name: info.type.tensor_type for info in (*graph.value_info, *graph.output)}
    return {
        name: len(tensor.shape.dim) for name, tensor in tensors.items() if tensor.HasField("shape")
    }


def _is_open(expr: Expr) -> bool:
    """Whether the type of an expression has sizes that are unknown until run time."""
    return expr.ty is not None and is_dynamic(expr.ty)


def _with_library(module: Module) -> Module:
    """Return the module with the standard library imported, if its `main` uses data types."""
    takes_data = any(not isinstance(param.ty, TensorType) for param in module.main.params)
    makes_data = any(isinstance(e, Constructor | GlobalVar) for e in post_order(module.main))
    return import_from_std(module, "prelude.rly") if takes_data or makes_data else module

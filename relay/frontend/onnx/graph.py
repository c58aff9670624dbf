"""From an ONNX graph to a Relay function."""

from collections import Counter
from collections.abc import Mapping, Sequence

import onnx
from onnx import numpy_helper

from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import TRANSLATIONS
from relay.frontend.onnx.schema import check_node
from relay.frontend.onnx.symbolic import follow
from relay.frontend.onnx.symbols import Symbols
from relay.frontend.onnx.value import (
    LARGEST_KNOWN,
    Known,
    OnnxValue,
    as_constant,
    is_static,
    of_array,
)
from relay.ir.dims import Dim, product
from relay.ir.expr import Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import rewrite
from relay.support.dtype import DType, dtype
from relay.support.errors import ImportError_, RelayError
from relay.support.span import Source, Span
from relay.transform.fold_constants import FoldConstants

_STANDARD = ("", "ai.onnx")

Scope = Mapping[str, OnnxValue | None]

_SENSELESS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
)
"""What Python and NumPy raise for attributes and shapes that are wrong in a way nobody foresaw."""


class GraphImporter:
    """Translates graphs of one model; subgraphs see the values of the graphs around them."""

    def __init__(self, source: Source, opset: int, *, shared_sizes: bool = False) -> None:
        self.source = source
        self.opset = opset
        self._symbols = Symbols(shared=shared_sizes)

    def module(self, graph: onnx.GraphProto, shapes: Mapping[str, Sequence[Dim]]) -> Module:
        """Return a module whose `main` takes the graph's inputs and gives its outputs."""
        check_supported(graph, self.source)
        self._check_names(graph, shapes)
        constants = {each.name for each in graph.initializer}
        params = [
            self._param(info, shapes.get(info.name))
            for info in graph.input
            if info.name not in constants
        ]
        scope = {var.name: OnnxValue(var) for var in params}
        outputs = [value.expr for value in self.graph(graph, scope)]
        body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
        names = tuple(info.name for info in graph.output)
        return Module.of(Function(tuple(params), body, attrs={"outputs": names}))

    def graph(self, graph: onnx.GraphProto, outer: Scope) -> list[OnnxValue]:
        """Translate the nodes of a graph in a scope; return the values of its outputs."""
        scope: dict[str, OnnxValue | None] = {**outer, "": None}
        for tensor in graph.initializer:
            scope[tensor.name] = self._constant(tensor)
        own = {each.name for each in graph.initializer}
        for proto in sorted_nodes(graph, scope, self.source):
            for name, value in zip(proto.output, self._node(proto, scope), strict=False):
                if name and name in own:
                    raise self._error("F012", f"two nodes give the value '{name}'", proto)
                own.add(name)
                scope[name] = value
        return [self._output(info.name, scope) for info in graph.output]

    def _node(self, proto: onnx.NodeProto, scope: Scope) -> list[OnnxValue]:
        span = Span(Source(f"{self.source.name}, node {proto.name or ', '.join(proto.output)}"))
        check_node(proto, self.opset, span)
        inputs = [scope[name] if name else None for name in proto.input]

        def subgraph(graph: onnx.GraphProto, values: Mapping[str, OnnxValue]) -> list[OnnxValue]:
            return self.graph(graph, {**scope, **values})

        try:
            node = OnnxNode(proto, inputs, self.opset, span, subgraph)
            known = follow(node)
            if known is not None and is_static(known) and len(proto.output) == 1:
                return [OnnxValue(as_constant(known, self._dtype(node)), known)]
            return self._values(TRANSLATIONS[_key(proto)](node), known, node)
        except RelayError as error:
            raise error.at(span) from None
        except _SENSELESS as error:
            problem = f"{proto.op_type} has inputs or attributes that make no sense: {error!r}"
            raise ImportError_("F026", problem, span=span) from error

    def _values(
        self, results: Expr | Sequence[Expr], known: Known | None, node: OnnxNode
    ) -> list[OnnxValue]:
        given = [results] if isinstance(results, Expr) else results
        if len(given) == 1 and known is not None:
            return [OnnxValue(given[0], known)]
        if node.is_constant:
            given = [_computed(each) for each in given]
        return [
            of_array(each.data, each) if isinstance(each, Constant) else OnnxValue(each)
            for each in given[: len(node.outputs)]
        ]

    def _dtype(self, node: OnnxNode) -> DType:
        """Return the element type of integers that shape arithmetic gave."""
        if node.op == "Equal":
            return dtype("bool")
        if node.op == "Cast":
            return tensor_dtype(node.attribute("to"), node.span)
        return dtype("int64") if node.op == "Shape" else node.type(node.op == "Where").dtype

    def _param(self, info: onnx.ValueInfoProto, shape: Sequence[Dim] | None) -> Var:
        span = Span(Source(f"{self.source.name}, input {info.name}"))
        if not info.type.HasField("tensor_type"):
            raise ImportError_("F013", f"input '{info.name}' is not a tensor", span=span)
        tensor = info.type.tensor_type
        declared = tuple(
            self._symbols.dim(each, info.name, i) for i, each in enumerate(tensor.shape.dim)
        )
        chosen = declared if shape is None else tuple(shape)
        if len(chosen) != len(declared) and tensor.HasField("shape"):
            message = f"input '{info.name}' has rank {len(declared)}, not {len(chosen)}"
            raise ImportError_("F014", message, span=span)
        element = tensor_dtype(tensor.elem_type, span)
        try:
            return Var(info.name, TensorType(chosen, element), span=span)
        except RelayError as error:
            raise error.at(span) from None

    def _check_names(self, graph: onnx.GraphProto, shapes: Mapping[str, object]) -> None:
        """Raise `F012` for inputs or initialisers of one name, `F019` for shapes of no input."""
        span = Span(self.source)
        inputs = [each.name for each in graph.input]
        for kind, names in ("inputs", inputs), ("initialisers", [e.name for e in graph.initializer]):
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise ImportError_("F012", f"two {kind} have the name '{twice[0]}'", span=span)
        for name in shapes:
            if name not in inputs:
                known = ", ".join(inputs)
                message = f"a shape is given for '{name}', but the inputs are {known}"
                raise ImportError_("F019", message, span=span)

    def _constant(self, tensor: onnx.TensorProto) -> OnnxValue:
        span = Span(Source(f"{self.source.name}, tensor {tensor.name}"))
        tensor_dtype(tensor.data_type, span)
        try:
            array = numpy_helper.to_array(tensor)
        except _SENSELESS as error:
            message = f"the data of tensor '{tensor.name}' do not fit its shape: {error}"
            raise ImportError_("F015", message, span=span) from None
        return of_array(array, Constant(array, span=span))

    def _output(self, name: str, scope: Scope) -> OnnxValue:
        value = scope.get(name)
        if value is None:
            raise ImportError_("F016", f"no node gives the output '{name}'", span=Span(self.source))
        return value

    def _error(self, code: str, message: str, proto: onnx.NodeProto) -> ImportError_:
        return ImportError_(code, message, span=Span(Source(f"{self.source.name}, {proto.name}")))


def _computed(expr: Expr) -> Expr:
    """Return the value of what depends on constants only, if it is small: shapes and indices are."""
    ty = expr.ty
    is_small = isinstance(ty, TensorType) and product(ty.shape) in range(LARGEST_KNOWN + 1)
    return rewrite(expr, FoldConstants().folded) if is_small else expr


def _key(proto: onnx.NodeProto) -> tuple[str, str]:
    return ("" if proto.domain in _STANDARD else proto.domain, proto.op_type)


def check_supported(graph: onnx.GraphProto, source: Source) -> None:
    """Raise one error that lists every operator without a translation, with counts and nodes."""
    missing: dict[str, list[str]] = {}
    graphs = [graph]
    while graphs:
        for node in graphs.pop().node:
            if _key(node) not in TRANSLATIONS:
                title = f"{node.domain}.{node.op_type}" if _key(node)[0] else node.op_type
                missing.setdefault(title, []).append(node.name or node.output[0])
            graphs.extend(each.g for each in node.attribute if each.HasField("g"))
    if missing:
        notes = [_usage(title, nodes) for title, nodes in sorted(missing.items())]
        raise ImportError_(
            "F010",
            f"{len(missing)} operators of this model are not supported: {', '.join(sorted(missing))}",
            span=Span(source),
            notes=notes,
            help="`relay ops --onnx` lists what is; add a translation as docs/how-to shows",
        )


def _usage(title: str, nodes: list[str]) -> str:
    shown = ", ".join(nodes[:5]) + (", …" if len(nodes) > 5 else "")
    return f"{title}: {len(nodes)} × ({shown})"


def sorted_nodes(graph: onnx.GraphProto, scope: Scope, source: Source) -> list[onnx.NodeProto]:
    """List the nodes so that each comes after those whose values it uses (`F011` for a cycle)."""
    producers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    waiting: list[int] = []
    users: dict[int, list[int]] = {}
    for index, node in enumerate(graph.node):
        sources = {producers[name] for name in uses(node) if name in producers}
        waiting.append(len(sources))
        for producer in sources:
            users.setdefault(producer, []).append(index)
        _check_known(node, producers, scope, source)
    ready = [i for i, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        order.extend(sorted(ready))
        following = Counter(user for index in ready for user in users.get(index, ()))
        ready = []
        for user, count in following.items():
            waiting[user] -= count
            ready += [user] if waiting[user] == 0 else []
    if len(order) < len(graph.node):
        stuck = [n.name or n.output[0] for i, n in enumerate(graph.node) if waiting[i]]
        raise ImportError_(
            "F011", f"the graph has a cycle through {', '.join(stuck[:5])}", span=Span(source)
        )
    return [graph.node[index] for index in order]


def uses(node: onnx.NodeProto) -> set[str]:
    """Return the names that a node reads, those that its subgraphs take from outside included."""
    names = set(node.input)
    for attribute in node.attribute:
        if attribute.HasField("g"):
            inner = attribute.g
            made = {name for each in inner.node for name in each.output}
            made |= {each.name for each in (*inner.input, *inner.initializer)}
            wanted = {name for each in inner.node for name in uses(each)}
            names |= (wanted | {info.name for info in inner.output}) - made
    return names - {""}


def _check_known(
    node: onnx.NodeProto, producers: Mapping[str, int], scope: Scope, source: Source
) -> None:
    for name in node.input:
        if name and name not in producers and name not in scope:
            raise ImportError_(
                "F018",
                f"node '{node.name or node.output[0]}' reads '{name}', which nothing gives",
                span=Span(source),
            )

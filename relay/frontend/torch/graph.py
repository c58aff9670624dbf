"""Translate a PyTorch graph to a Relay function."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import torch
from torch.fx import GraphModule, Node

from relay.frontend.builders.size_expressions import size_number
from relay.frontend.node_errors import located
from relay.frontend.torch.assertions import Assertion, asserted
from relay.frontend.torch.check_supported import operator_name
from relay.frontend.torch.dtypes import relay_dtype, shared_array
from relay.frontend.torch.node import NOTHING, Argument, Memory, Place, TorchNode
from relay.frontend.torch.python_scalars import SCALAR_FUNCTIONS
from relay.frontend.torch.registry import Translation, translation
from relay.frontend.torch.source_locations import span_of
from relay.frontend.torch.subgraph import Subgraph
from relay.frontend.torch.symbolic_sizes import Symbols
from relay.frontend.torch.translate.complex_numbers import checked_complex
from relay.frontend.torch.translate.quantized_functions import called
from relay.frontend.torch.unaliased_writes import owner_of, writes
from relay.ir.dims import ANY
from relay.ir.expr import Constant, Expr
from relay.ir.types import TensorType
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


class GraphImporter:
    """A translator of a model's graphs; `custom` has the user's translations by operator name.

    `span` is the location of all nodes if it is not None; otherwise each node records its own.
    """

    def __init__(
        self, symbols: Symbols, custom: Mapping[str, Translation], span: Span | None = None
    ) -> None:
        self.symbols = symbols
        self._custom = custom
        self._span = span
        self._assertions: list[Assertion] = []

    def run(self, module: GraphModule, inputs: Sequence[object]) -> Sequence[object]:
        """Return the results of a graph for its inputs, in order, if its assertions hold."""
        outer, self._assertions = self._assertions, []
        results = asserted(self._results(module, inputs), self._assertions)
        self._assertions = outer
        return results

    def _results(self, module: GraphModule, inputs: Sequence[object]) -> Sequence[object]:
        values: dict[Node, object] = {}
        given = iter(inputs)
        results: object = ()
        for node in module.graph.nodes:
            match node.op:
                case "placeholder":
                    values[node] = next(given)
                case "get_attr":
                    values[node] = self._attribute(module, node)
                case "call_function":
                    values[node] = self._call(node, values)
                    if writes(node):
                        values[owner_of(node)] = values[node]
                case _:
                    (results,) = _translated(node.args, values)
        listed = cast("Sequence[object]", results)
        return listed if isinstance(listed, list | tuple) else (listed,)

    def _attribute(self, module: GraphModule, node: Node) -> object:
        """Return the value of an attribute node: a subgraph or a tensor."""
        found: Any = module
        for name in str(node.target).split("."):
            found = getattr(found, name)
        if isinstance(found, GraphModule):
            return Subgraph(partial(self.run, found))
        assert isinstance(found, torch.Tensor), f"a graph contains a {type(found).__name__}"
        return Constant(shared_array(found), span=self._span_of(node))

    def _call(self, node: Node, values: Mapping[Node, object]) -> object:
        span = self._span_of(node)
        expected = node.meta.get("val")
        args: list[object] = _translated(node.args, values)
        named: dict[str, object] = {
            name: _translated([value], values)[0] for name, value in node.kwargs.items()
        }
        if isinstance(expected, torch.SymInt):
            size = self.symbols.dim(expected)
            if size is not ANY:
                return size
        with located(
            span, f"the operator {operator_name(node)} has arguments that are not supported"
        ):
            if node.target in SCALAR_FUNCTIONS:
                return SCALAR_FUNCTIONS[node.target](*args, **named)
            return self._operator(node, args, named, span)

    def _operator(
        self, node: Node, args: list[object], named: Mapping[str, object], span: Span
    ) -> object:
        name = operator_name(node) or ""
        arguments = _arguments_by_name(node.target, args, named)
        expected = node.meta.get("val")
        memory = partial(self._memory, node)
        call = TorchNode(
            name, arguments, Place(span, size_number), expected, memory, self._assertions
        )
        own = translation(name, self._custom)
        translate = own or translation(name)
        assert translate is not None, f"{name} was found to be supported"
        result = checked_complex(partial(called, translate), call)
        if own is None:
            call.check_all_read()
        self._check(call, result, expected, is_own=own is not None)
        return result

    def _memory(self, node: Node) -> Memory | None:
        """Return the memory layout of a node's first argument in PyTorch, or None if unknown."""
        first = node.args[0] if node.args else None
        example = first.meta.get("val") if isinstance(first, Node) else None
        if not isinstance(example, torch.Tensor):
            return None
        strides = tuple(map(self.symbols.dim, example.stride()))
        return Memory(strides, self.symbols.dim(example.storage_offset()))

    def _span_of(self, node: Node) -> Span:
        return self._span or span_of(node.meta.get("stack_trace"), node.name)

    def _check(self, call: TorchNode, result: object, expected: object, *, is_own: bool) -> None:
        """Require that a result has PyTorch's type.

        Otherwise raises `F057` if the user's own translation made it, and the internal error `F053`
        if Relay's did.
        """
        if isinstance(result, list | tuple) and isinstance(expected, list | tuple):
            pairs = zip(cast("Sequence[object]", result), cast("Sequence[object]", expected),
                        strict=False)  # fmt: skip
            for each, theirs in pairs:
                self._check(call, each, theirs, is_own=is_own)
            return
        if not isinstance(expected, torch.Tensor) or not isinstance(result, Expr):
            return
        wanted = TensorType(self.symbols.shape(expected), relay_dtype(expected.dtype, call.span))
        if _is_compatible(result.type, wanted):
            return
        what = f"returns type {result.type!r}, but the model declares {wanted!r}"
        if is_own:
            help_ = "convert the result, with relay.cast(…) or relay.reshape(…)"
            raise call.error(ErrorCode.F057, f"your translation of the operator {what}", help=help_)
        raise call.error(ErrorCode.F053, f"Relay's translation of the operator {what}")


def _is_compatible(found: object, wanted: TensorType) -> bool:
    """Whether a type is compatible with the expected one; only integer sizes are compared."""
    if not isinstance(found, TensorType) or found.rank != wanted.rank:
        return False
    pairs = zip(found.shape, wanted.shape, strict=True)
    same = all(a == b for a, b in pairs if isinstance(a, int) and isinstance(b, int))
    return same and found.dtype is wanted.dtype


def _arguments_by_name(
    target: Any, args: Sequence[object], named: Mapping[str, object]
) -> dict[str, Argument]:
    """Return the arguments of a call by name, as the operator's schema names them."""
    if not hasattr(target, "_schema"):  # a higher-order operator has no schema
        numbered = {str(index): value for index, value in enumerate(args)}
        return {key: Argument(value, NOTHING) for key, value in {**numbered, **named}.items()}
    found: dict[str, Argument] = {}
    rest = iter(args)
    for argument in target._schema.arguments:  # noqa: SLF001 - the only way to it
        default = argument.default_value if argument.has_default_value() else NOTHING
        value = named[argument.name] if argument.name in named else next(rest, default)
        found[argument.name] = Argument(value, default)
    return found


def _translated(given: Sequence[Any], values: Mapping[Node, object]) -> list[object]:
    """Return arguments with nodes replaced by their values, also in nested lists."""
    result: list[object] = []
    for each in given:
        if isinstance(each, Node):
            result.append(values[owner_of(each)])
        elif isinstance(each, list | tuple):
            result.append(_translated(cast("Sequence[Any]", each), values))
        else:
            result.append(each)
    return result

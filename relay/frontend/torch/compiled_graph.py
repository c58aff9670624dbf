"""Translate functional ATen graphs, which `torch.compile` passes to its backend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch import _decomp
from torch.fx import GraphModule, Node

from relay.frontend.torch import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.torch.check_supported import check_supported, operator_name, qualified
from relay.frontend.torch.dtypes import relay_dtype
from relay.frontend.torch.graph import GraphImporter
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.quantised_tensor import QuantisedTensor, scalar
from relay.frontend.torch.random_inputs import DRAWS, Draw, draws_of
from relay.frontend.torch.registry import packet, translation
from relay.frontend.torch.result_expressions import result_of
from relay.frontend.torch.source_locations import span_of
from relay.frontend.torch.symbolic_sizes import Symbols
from relay.ir.dims import ANY
from relay.ir.expr import Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType, scalar_type
from relay.support.dtype import float64, int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_RANDOM: Sequence[Any] = (
    torch.ops.aten.native_dropout.default,
    torch.ops.aten.bernoulli.default,
)
"""Operators with a decomposition that draws random numbers."""


class Result(Enum):
    """The kind of a result of a graph; `NOTHING` is that of a gradient that is not needed."""

    NOTHING = "nothing"
    TENSOR = "a tensor"
    QUANTISED = "a quantised tensor, as three results: integers, scale and zero point"
    SIZE = "an integer"


@dataclass(frozen=True)
class CompiledGraph:
    """A module, and how a call of the graph calls it.

    `inputs` are the numbers of the graph's inputs that the program takes; the random numbers that
    `draws` return follow them. `results` are the kinds of the graph's results; the module omits
    those of kind NOTHING. `orders` has for each result the order of its axes in memory, from the
    outermost; None is the usual one.
    """

    module: Module
    inputs: tuple[int, ...]
    draws: tuple[Draw, ...]
    results: tuple[Result, ...]
    orders: tuple[tuple[int, ...] | None, ...]


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return PyTorch's decompositions of operators that have no translation.

    Dropout in training is decomposed, too: into random numbers, and what is done with them.
    """
    tables: Any = _decomp
    known: dict[Any, Callable[..., Any]] = {
        **{op: rule for op, rule in tables.decomposition_table.items() if _is_aten(op)},
        **tables.core_aten_decompositions(),
    }
    found = {op: rule for op, rule in known.items() if not _is_known(qualified(op))}
    return {**found, **{op: tables.decomposition_table[op] for op in _RANDOM}, **_OWN}


def _is_known(name: str) -> bool:
    """Whether Relay translates an operator, or PyTorch draws its results."""
    return translation(name) is not None or packet(name) in DRAWS


def _is_aten(op: Any) -> bool:
    return hasattr(op, "_schema") and qualified(op).startswith("aten::")


def _multinomial(
    self: torch.Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Any:
    """Draw indices by their weights, as PyTorch does: by exponentially distributed numbers."""
    if generator is not None or (replacement and num_samples != 1):
        return NotImplemented
    weighted = self / torch.ops.aten.exponential(torch.empty_like(self))
    if num_samples == 1:
        return weighted.argmax(-1, keepdim=True)
    return weighted.topk(num_samples).indices


_OWN: Mapping[Any, Callable[..., Any]] = {torch.ops.aten.multinomial.default: _multinomial}
"""Decompositions that PyTorch does not have."""


def module_of_graph(graph: GraphModule) -> CompiledGraph:
    """Translate a graph; symbolic sizes among its inputs are taken from its tensor inputs."""
    draws = draws_of(graph)
    check_supported(graph, {packet(operator_name(node) or "") for node in draws})
    symbols, drawn = Symbols(), list[Var]()

    def draw(node: TorchNode) -> Var:
        example = node.expected
        assert isinstance(example, torch.Tensor), "random numbers are a tensor"
        dtype = relay_dtype(example.dtype, node.span)
        drawn.append(Var(f"random_{len(drawn)}", TensorType(symbols.shape(example), dtype)))
        return drawn[-1]

    nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
    for node in nodes:
        example = node.meta.get("val")
        if isinstance(example, torch.Tensor):
            symbols.shape(example, node.name)
    tokens = _tokens(graph)
    examples = [None if node in tokens else node.meta.get("val") for node in nodes]
    inputs = [_input(symbols, node.name, e) for node, e in zip(nodes, examples, strict=True)]
    results = GraphImporter(symbols, dict.fromkeys(DRAWS, draw)).run(graph, inputs)
    expected = [None if each in tokens else each for each in _results_of(graph)]
    _check_present(results, expected)
    outputs = tuple(part for each in results if each is not None for part in _parts(each))
    body = outputs[0] if len(outputs) == 1 else Tuple(outputs)
    params = {index: each for index, each in enumerate(inputs) if isinstance(each, Var)}
    main = Function((*params.values(), *drawn), body)
    kinds, orders = tuple(map(_kind, expected, results)), tuple(map(_order, expected))
    return CompiledGraph(Module.of(main), tuple(params), tuple(draws.values()), kinds, orders)


def _parts(result: object) -> Sequence[Expr]:
    """Return the results of the program for one of the graph."""
    if isinstance(result, QuantisedTensor):
        return result.data, scalar(result.scale, float64), scalar(result.zero, int64)
    return (result_of(result),)


def _results_of(graph: GraphModule) -> Sequence[Any]:
    found: Any = graph.graph.output_node().args[0]
    return found


def _tokens(graph: GraphModule) -> set[Node]:
    """Return the tokens of a graph, which order its effects; PyTorch passes None for them."""
    found = set[Node]()
    for node in graph.graph.nodes:
        if operator_name(node) == "higher_order::with_effects":
            found.add(node.args[0])
            found.update(user for user in node.users if user.args[1:] == (0,))
    return found


def _check_present(results: Sequence[object], expected: Sequence[object]) -> None:
    """Raise `F030` if a translation omits a result that PyTorch needs."""
    for result, node in zip(results, expected, strict=True):
        if result is None and isinstance(node, Node):
            place = span_of(node.meta.get("stack_trace"), node.name)
            message = f"the model uses {node.name}, an operator result that Relay does not compute"
            raise RelayImportError(ErrorCode.F030, message, span=place)


def _order(result: object) -> tuple[int, ...] | None:
    """Return the order of a result's axes in memory; None if it is the usual one.

    A tensor whose elements overlap or have gaps between them gets the usual order.
    """
    example = result.meta.get("val") if isinstance(result, Node) else None
    if not isinstance(example, torch.Tensor) or example.is_contiguous():
        return None
    strides = example.stride()
    order = sorted(range(example.ndim), key=lambda axis: strides[axis], reverse=True)
    return tuple(order) if example.permute(order).is_contiguous() else None


def _kind(result: object, value: object) -> Result:
    """Return the kind of a result, from its node in the graph and its value in the program.

    PyTorch's description of a node does not say that its value is quantised.
    """
    if result is None:
        return Result.NOTHING
    if isinstance(value, QuantisedTensor):
        return Result.QUANTISED
    example = result.meta.get("val") if isinstance(result, Node) else result
    return Result.SIZE if isinstance(example, torch.SymInt | int) else Result.TENSOR


def _input(symbols: Symbols, name: str, example: object) -> object:
    """Return an input as a variable; an integer that is the size of a tensor as a dimension."""
    span = Span(Source(f"input {name}"))
    if isinstance(example, torch.SymInt | int):
        size = symbols.dim(example)
        return Var(name, scalar_type(int64), span=span) if size is ANY else size
    if not isinstance(example, torch.Tensor):
        return example
    ty = TensorType(symbols.shape(example), relay_dtype(example.dtype, span))
    return Var(name, ty, span=span)

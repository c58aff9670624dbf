"""Access to one ONNX node for its translation: inputs, attributes and opset version."""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any

import onnx
from onnx import numpy_helper

from relay.frontend.node_errors import static_size
from relay.frontend.onnx.declared_types import declared_type
from relay.frontend.onnx.rank_splits import Fork, Results
from relay.frontend.onnx.value import LARGEST_KNOWN, Known, OnnxValue, as_dims, is_certain, of_array
from relay.ir.dims import Dim
from relay.ir.expr import Array, Constant, Expr
from relay.ir.types import TensorType, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, RelayTypeError
from relay.support.span import Span

Subgraph = Callable[[onnx.GraphProto, Mapping[str, OnnxValue]], Results]
"""Translates a subgraph in the node's scope, given values for its inputs."""

KNOWN_CONDITION = (
    "specify the input shapes, shapes={…}, if they determine the condition; else let both "
    "branches, or all iterations, return values of one rank and type"
)


class OnnxNode:
    """A node with translated inputs, as a translation function receives it.

    Absent optional inputs are None. Attributes are Python values: integers, floats, strings, lists
    of them, arrays for tensors, `GraphProto` for subgraphs. `around` has the values that the
    subgraphs capture; `uncertain` contains the expressions that may trap.
    """

    def __init__(
        self,
        proto: onnx.NodeProto,
        inputs: Sequence[OnnxValue | None],
        opset: int,
        span: Span,
        subgraph: Subgraph,
        ranks: Mapping[str, int] = MappingProxyType({}),
        *,
        around: Mapping[str, OnnxValue] = MappingProxyType({}),
        uncertain: Container[Expr] = (),
    ) -> None:
        self.op: str = proto.op_type
        self.name: str = proto.name
        self.outputs: list[str] = list(proto.output)
        self.inputs = list(inputs)
        self.opset = opset
        self.span = span
        self.uncertain = uncertain
        self.around = around
        self._subgraph = subgraph
        self._ranks = ranks
        self.given_attributes = {each.name: attribute_value(each) for each in proto.attribute}
        self._read: set[str] = set()

    def alternatives(self, graph: onnx.GraphProto) -> Results:
        """Translate a subgraph without inputs; each result may have one of several types."""
        return self._subgraph(graph, {})

    def subgraph(
        self, graph: onnx.GraphProto, values: Mapping[str, OnnxValue]
    ) -> Sequence[OnnxValue]:
        """Translate a subgraph, given its inputs; raises `F041` if results lack a common type."""
        results = self._subgraph(graph, {**self.around, **values})
        if isinstance(results, RelayTypeError):
            raise results
        if isinstance(results, Fork):
            raise self.error(ErrorCode.F041, str(results), help=KNOWN_CONDITION)
        return results

    def with_inputs(self, given: Mapping[int, Expr]) -> "OnnxNode":
        """Return a copy of the node with some inputs replaced, by index."""
        node = copy(self)
        node.inputs = [
            _value(given[index]) if index in given else value
            for index, value in enumerate(self.inputs)
        ]
        return node

    def with_attributes(self, given: Mapping[str, Any]) -> "OnnxNode":
        """Return a copy of the node with some attributes replaced, or removed if they are None."""
        node = copy(self)
        merged = {**self.given_attributes, **given}
        node.given_attributes = {name: each for name, each in merged.items() if each is not None}
        return node

    def in_order(self, *places: int) -> "OnnxNode":
        """Return a copy of the node with its inputs reordered; absent inputs stay absent."""
        node = copy(self)
        node.inputs = [self.inputs[each] if self.has(each) else None for each in places]
        return node

    @property
    def exprs_read(self) -> list[Expr]:
        """Return the inputs that are present, and the values that subgraphs capture."""
        values = [*self.inputs, *self.around.values()]
        return [each.expr for each in values if each is not None]

    def reading(self, given: Mapping[Expr, Expr]) -> "OnnxNode":
        """Return a copy of the node that reads other expressions, as `given` maps them.

        Both inputs and values that subgraphs capture are replaced.
        """
        node = copy(self)
        node.inputs = [value and value.with_expr(given) for value in self.inputs]
        node.around = {name: value.with_expr(given) for name, value in self.around.items()}
        return node

    def has(self, index: int) -> bool:
        """Whether an optional input is present."""
        return index < len(self.inputs) and self.inputs[index] is not None

    @property
    def is_constant(self) -> bool:
        """Whether all inputs are small constants, so that the result can be folded."""
        exprs = [each.expr for each in self.inputs if each is not None]
        return all(isinstance(e, Constant) and e.array.size <= LARGEST_KNOWN for e in exprs)

    def expr(self, index: int) -> Expr:
        """Return an input; raises `F020` if it is absent."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise self.error(ErrorCode.F020, f"the input number {index} is missing")
        return value.expr

    def optional(self, index: int) -> Expr | None:
        """Return an optional input, or None if it is absent."""
        return self.expr(index) if self.has(index) else None

    def exprs(self) -> list[Expr]:
        """Return all inputs; raises `F020` if one is absent."""
        return [self.expr(index) for index in range(len(self.inputs))]

    def type(self, index: int) -> TensorType:
        """Return the type of an input; raises `F021` if it is not a tensor."""
        ty = self.expr(index).ty
        if not isinstance(ty, TensorType):
            raise self.error(
                ErrorCode.F021, f"the input number {index} must be a tensor, not {ty!r}"
            )
        return ty

    def rank(self, index: int) -> int:
        """Return the rank of an input."""
        return self.type(index).rank

    def declared_rank(self, index: int) -> int | None:
        """Return the rank that the model declares for an output, or None."""
        return self._ranks.get(self.outputs[index])

    def known(self, index: int) -> Known | None:
        """Return the elements of an input as dimensions if they are known at import, else None."""
        value = self.inputs[index] if self.has(index) else None
        return None if value is None else value.known

    def is_known(self, index: int) -> bool:
        """Whether all elements of an input are known at import, so that `dims` returns them."""
        known = self.known(index)
        return known is not None and is_certain(known)

    def dims(self, index: int, what: str) -> tuple[Dim, ...]:
        """Return the elements of an integer input as dimensions; raises `F022` if unknown."""
        known = self.known(index)
        if known is None or not is_certain(known):
            raise self.not_constant(index, what)
        return as_dims(known)

    def ints(self, index: int, what: str) -> tuple[int, ...]:
        """Return the elements of an input as integers; raises `F022` if they are not constant."""
        dims = self.dims(index, what)
        if not all(isinstance(dim, int) for dim in dims):
            raise self.not_constant(index, what)
        return tuple(static_size(dim) for dim in dims)

    def constant(self, index: int, what: str) -> Array:
        """Return the array of a constant input; raises `F022` if it is not constant."""
        expr = self.expr(index)
        if not isinstance(expr, Constant):
            raise self.not_constant(index, what)
        return expr.array

    def __contains__(self, name: str) -> bool:
        """Whether the node has an attribute of this name."""
        self._read.add(name)
        return name in self.given_attributes

    def unread(self) -> dict[str, Any]:
        """Return the attributes that the translation has not read."""
        return {
            name: each for name, each in self.given_attributes.items() if name not in self._read
        }

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute, or `default` if it is absent."""
        self._read.add(name)
        return self.given_attributes.get(name, default)

    def integer(self, name: str, default: int) -> int:
        """Return an integer attribute, or `default` if it is absent."""
        return int(self.attribute(name, default))

    def choice(
        self,
        name: str,
        allowed: Collection[str],
        default: str | None = None,
        code: ErrorCode = ErrorCode.F026,
    ) -> str:
        """Return an attribute that is one of the words `allowed`; raises `code` for others.

        Raises `F023` if it is absent and has no default.
        """
        given = self.required(name) if default is None else self.attribute(name, default)
        return self.one_of(name, given, allowed, code)

    def one_of(
        self, name: str, word: str, allowed: Collection[str], code: ErrorCode = ErrorCode.F026
    ) -> str:
        """Return a word of the attribute `name`; raises `code` if it is not one of `allowed`."""
        if word not in allowed:
            *first, last = filter(None, allowed)
            words = f"{', '.join(first)} or {last}" if first else last
            problem = f"the attribute {name} cannot be '{word}'"
            raise self.error(code, problem, help=f"set {name} to {words}")
        return word

    def required(self, name: str) -> Any:
        """Return an attribute; raises `F023` if it is absent."""
        if name not in self:
            raise self.error(ErrorCode.F023, f"the attribute '{name}' is missing")
        return self.given_attributes[name]

    def declared_type(self, name: str) -> Type | None:
        """Return the type that an attribute contains; None if its shape is unknown."""
        return declared_type(self.required(name), self.span)

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        where = f"{self.op} '{self.name or ', '.join(self.outputs)}'"
        return RelayImportError(code, f"{where}: {problem}", span=self.span, help=help)

    def not_constant(self, index: int, what: str) -> RelayImportError:
        """Return the error `F022` for an input that must be known at import."""
        return self.error(
            ErrorCode.F022,
            f"{what} (input number {index}) must be a constant, but is computed from data",
            help=(
                "specify the input shapes, shapes={…}, which may make it a constant, or change "
                "the model"
            ),
        )


def _value(expr: Expr) -> OnnxValue:
    return of_array(expr.array, expr) if isinstance(expr, Constant) else OnnxValue(expr)


def attribute_value(proto: onnx.AttributeProto) -> Any:
    """Return an attribute as a Python value, an array, or a `GraphProto`."""
    value: Any = onnx.helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if proto.type == onnx.AttributeProto.STRINGS:
        return [item.decode() for item in value]
    if proto.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS):
        return list(value)
    return value

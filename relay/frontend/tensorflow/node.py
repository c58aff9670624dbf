"""Access to one TensorFlow node for its translation: inputs and attributes."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from relay.frontend.builders.tensorflow_node import InputReader
from relay.frontend.tensorflow.attributes import (
    WITHOUT_MEANING,
    attribute_value,
    is_off,
    is_type,
)
from relay.frontend.tensorflow.decode_tensors import element_dtype
from relay.frontend.tensorflow.model import Graph, Node
from relay.frontend.tensorflow.non_tensor_values import Value, described
from relay.frontend.tensorflow.table_values import Table
from relay.frontend.unsupported_operators import custom_help
from relay.ir.expr import Constant, Expr
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


@dataclass(frozen=True)
class Surroundings:
    """The parts of the surrounding model that a node may use.

    `call` translates a call of a function of the model, `function` returns the graph of one,
    `defaults` the attributes of an operator that nodes may omit, `weight` the value of a variable,
    and `table` the contents of a lookup table. `uncertain` contains the expressions that may trap,
    and `open_loops` has an item for each loop whose step is being translated.
    """

    call: Callable[[str, Sequence[Value]], Sequence[Value]]
    function: Callable[[str], Graph]
    defaults: Callable[[str], Mapping[str, Any]]
    weight: Callable[[str], Constant]
    table: Callable[[str], Table]
    uncertain: Container[Expr]
    open_loops: list[None] = field(default_factory=list[None])


@dataclass(eq=False)
class TfNode(InputReader):
    """A node with translated inputs, as a translation function receives it."""

    constant_help = "specify the shapes of the inputs, shapes={…}, which may make it a constant"

    node: Node
    inputs: Sequence[Value]
    span: Span
    around: Surroundings
    _read: set[str] = field(default_factory=set[str])

    @property
    def op(self) -> str:
        """Return the name of the operator."""
        return self.node.op

    def value(self, index: int) -> Value:
        """Return an input, which may be a handle or a list; raises `F020` if it is missing."""
        if index >= len(self.inputs):
            raise self.error(ErrorCode.F020, f"the input number {index} is missing")
        return self.inputs[index]

    def expr(self, index: int) -> Expr:
        """Return an input as an expression; raises `F021` if it is not a tensor."""
        found = self.value(index)
        if not isinstance(found, Expr):
            raise self.error(
                ErrorCode.F021, f"the input number {index} must be a tensor, not {described(found)}"
            )
        return found

    def __contains__(self, name: str) -> bool:
        """Whether the node has an attribute."""
        return name in self.node.attributes

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute, or its default; raises `F023` if it is missing without default.

        The default is that of the model's file, or else `default`.
        """
        self._read.add(name)
        found = self.node.attributes.get(name) or self.around.defaults(self.op).get(name)
        if found is not None:
            return attribute_value(found, self.node.name)
        if default is None:
            raise self.error(ErrorCode.F023, f"the attribute '{name}' is missing")
        return default

    def flag(self, name: str) -> bool:
        """Return an attribute that is a boolean; false if it is missing."""
        return self._typed(name, self.attribute(name, default=False), bool)

    def integer_of(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer."""
        return self._typed(name, self.attribute(name, default), int)

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a real number."""
        return self._typed(name, self.attribute(name, default), float)

    def text(self, name: str, default: str | None = None) -> str:
        """Return an attribute that is a string."""
        found = self.attribute(name, None if default is None else default.encode())
        return self._typed(name, found, bytes).decode(errors="replace")

    def ints_of(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return an attribute that is a list of integers."""
        return tuple(map(int, self._typed(name, self.attribute(name, default), Sequence)))

    def dtype(self, name: str) -> DType:
        """Return an attribute that is an element type; raises `F017` if it is not supported."""
        return element_dtype(self._typed(name, self.attribute(name), int))

    def function(self, name: str) -> str:
        """Return an attribute that is the name of a function."""
        return self._typed(name, self.attribute(name), str)

    def _typed(self, name: str, found: Any, kind: Any) -> Any:
        is_flag = isinstance(found, bool) is (kind is bool)
        if not isinstance(found, kind) or not is_flag:
            raise self.error(
                ErrorCode.F024, f"the attribute '{name}' has the wrong type: {found!r}"
            )
        return found

    def attributes(self) -> Mapping[str, Any]:
        """Return all attributes by name, with the defaults of those that the node omits."""
        found = {**self.around.defaults(self.op), **self.node.attributes}
        return {name: attribute_value(each, self.node.name) for name, each in found.items()}

    def ignore(self, *names: str) -> None:
        """Mark attributes as read that the translation ignores, because they have no effect."""
        self._read.update(names)

    def check_all_read(self) -> None:
        """Raise `F052` for attributes that affect the result but were not read."""
        for name, message in self.node.attributes.items():
            if name in self._read or name in WITHOUT_MEANING or name.startswith("_"):
                continue
            if not (is_off(message) or is_type(message)):
                problem = (
                    f"the attribute {name}={attribute_value(message, self.node.name)!r} is not "
                    "supported"
                )
                raise self.error(ErrorCode.F052, problem, custom_help(self.op))

    def wrong(self, name: str) -> RelayImportError:
        """Return the error for an unsupported value of an attribute."""
        given = attribute_value(self.node.attributes[name], self.node.name)
        problem = f"the attribute {name}={given!r} is not supported"
        return self.error(ErrorCode.F052, problem, custom_help(self.op))

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        message = f"{self.op} '{self.node.name}': {problem}"
        return RelayImportError(code, message, span=self.span, help=help)

"""Access to one TensorFlow Lite node for its translation: inputs and options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from relay.frontend.builders.tensorflow_node import InputReader
from relay.frontend.tflite.model import LiteOperator, LiteTensor
from relay.frontend.tflite.schema import default_of, fields
from relay.frontend.tflite.values import Handle, Value
from relay.frontend.tflite.variables import Variables
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

Subgraph = Callable[[int, Sequence[Value]], Sequence[Value]]
"""Translates the graph of an index for the values of its inputs."""


_MOST_NUMBERS = 1024  # the limit of numbers in an option


class Activation(IntEnum):
    """The activation function that is fused into an operator, by its number in the schema."""

    NONE = 0
    RELU = 1
    RELU_N1_TO_1 = 2
    RELU6 = 3
    TANH = 4
    SIGN_BIT = 5


@dataclass(frozen=True)
class Operand:
    """An input of a node: its value, and its tensor in the file."""

    value: Value
    tensor: LiteTensor

    @property
    def expr(self) -> Expr:
        """Return the expression of a tensor; raises `F021` for a variable."""
        if isinstance(self.value, Handle):
            message = f"the operator needs a tensor, but '{self.tensor.name}' is a variable"
            raise RelayImportError(ErrorCode.F021, message)
        return self.value


@dataclass(eq=False)
class LiteNode(InputReader):
    """A node with translated inputs, as a translation function receives it.

    Omitted optional inputs are None.
    """

    constant_help = "convert the model with fixed input sizes, which may make it a constant"

    operator: LiteOperator
    inputs: Sequence[Operand | None]
    results: Sequence[LiteTensor]
    intermediates: Sequence[LiteTensor]
    span: Span
    subgraph: Subgraph
    variables: Variables
    written: dict[int, Expr] = field(default_factory=dict[int, Expr])
    """The new values of inputs that are variables, by their indices."""
    _read: set[str] = field(default_factory=set[str])

    @property
    def op(self) -> str:
        """Return the name of the operator."""
        return self.operator.name

    @property
    def result(self) -> LiteTensor:
        """Return the tensor of the first result."""
        if not self.results:
            raise self.error(ErrorCode.F025, "the operator has no output in the file")
        return self.results[0]

    def has(self, index: int) -> bool:
        """Whether an optional input is present."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def operand(self, index: int) -> Operand:
        """Return an input; raises `F020` if it is omitted."""
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise self.error(ErrorCode.F020, f"the input number {index} is missing")
        return found

    def expr(self, index: int) -> Expr:
        """Return the expression of an input; raises `F020` if it is omitted."""
        return self.operand(index).expr

    def values(self) -> list[Value]:
        """Return the values of all inputs; raises `F020` if one is omitted."""
        return [self.operand(index).value for index in range(len(self.inputs))]

    def handle(self, index: int) -> Handle:
        """Return an input that refers to a variable; raises `F021` for a tensor."""
        found = self.operand(index).value
        if not isinstance(found, Handle):
            raise self.error(ErrorCode.F021, f"input {index} must be a variable, not a tensor")
        return found

    def optional(self, index: int) -> Expr | None:
        """Return the expression of an input, or None if it is omitted."""
        return self.expr(index) if self.has(index) else None

    def tensor(self, index: int) -> LiteTensor:
        """Return an input as a tensor of the file; raises `F020` if the input is omitted."""
        return self.operand(index).tensor

    def write(self, index: int, value: Expr) -> None:
        """Set the value that an input, a variable, has after this node."""
        self.written[index] = value

    def option(self, name: str) -> Any:
        """Return an option by its name in the schema, or the schema's default if it is omitted.

        Raises `F023` for a node whose options have another table.
        """
        self._read.add(name)
        options = self.operator.options
        if options is None or not hasattr(options, name):
            raise self.error(ErrorCode.F023, f"the option {name} of the operator is missing")
        return getattr(options, name)()

    def option_or(self, name: str, default: Any) -> Any:
        """Return an option, or `default` if the options of the node do not have it."""
        return self.option(name) if hasattr(self.operator.options, name) else default

    def flag(self, name: str) -> bool:
        """Return an option by TensorFlow's name, such as `keep_dims` for `KeepDims`."""
        return self.option(_option_name(name))

    def integer_of(self, name: str, default: int | None = None) -> int:
        """Return an option that is an integer by TensorFlow's name."""
        del default  # the schema has a default for each option
        return self.option(_option_name(name))

    def ints_of(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return an option that is a list of integers by TensorFlow's name."""
        del default
        return self.vector(_option_name(name))

    def vector(self, name: str) -> tuple[int, ...]:
        """Return an option that is a vector of integers; empty if it is omitted."""
        return tuple(map(int, self.numbers(name)))

    def numbers(self, name: str) -> tuple[float, ...]:
        """Return an option that is a vector of numbers; empty if it is omitted."""
        options = self.operator.options
        count = 0 if options is None else getattr(options, f"{name}Length")()
        if not 0 <= count <= _MOST_NUMBERS:
            raise self.error(
                ErrorCode.F026, f"the option {name} has an invalid number of elements, {count}"
            )
        return tuple(getattr(options, name)(index) for index in range(count))

    def activation(self) -> Activation:
        """Return the activation function that is applied to the result."""
        number = self.option_or("FusedActivationFunction", 0)
        if number not in iter(Activation):
            raise self.error(ErrorCode.F026, f"there is no activation with the number {number}")
        return Activation(number)

    def check_all_read(self) -> None:
        """Raise `F052` for options that were not read and differ from their defaults."""
        options = self.operator.options
        for name in [] if options is None else fields(options):
            if name not in self._read and getattr(options, name)() != default_of(options, name):
                problem = f"the option {name}={getattr(options, name)()} is not supported"
                raise self.error(ErrorCode.F052, problem)

    def check_not_quantised(self) -> None:
        """Raise `F030` for quantised results, which the translation would compute as integers."""
        if self.result.is_quantized:
            problem = "the operator is not supported for quantised tensors"
            raise self.error(ErrorCode.F030, problem)

    def ignore(self, *names: str) -> None:
        """Mark options as read that the translation ignores, because they have no effect."""
        self._read.update(map(_option_name, names))

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        name = self.results[0].name if self.results else ""
        return RelayImportError(code, f"{self.op} '{name}': {problem}", span=self.span, help=help)


def _option_name(name: str) -> str:
    """Return the name of an option in the schema for the name of TensorFlow's attribute.

    >>> _option_name("keep_dims"), _option_name("KeepDims")
    ('KeepDims', 'KeepDims')
    """
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))

"""Access to one TensorFlow Lite node for its translation: inputs and options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from relay.frontend.tflite.model import LiteOperator, LiteTensor
from relay.frontend.tflite.schema import default_of, fields
from relay.frontend.tflite.values import Handle, Value
from relay.frontend.tflite.variables import Variables
from relay.ir.dims import Dim
from relay.ir.expr import Array, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.shape_arithmetic import sizes_of
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
class LiteNode:
    """A node with translated inputs, as a translation function receives it.

    Omitted optional inputs are None.
    """

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

    def exprs(self) -> list[Expr]:
        """Return the expressions of all inputs; raises `F020` if one is omitted."""
        return [self.expr(index) for index in range(len(self.inputs))]

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

    def type(self, index: int) -> TensorType:
        """Return the type of an input."""
        return self.expr(index).tensor_type

    def write(self, index: int, value: Expr) -> None:
        """Set the value that an input, a variable, has after this node."""
        self.written[index] = value

    def constant(self, index: int, what: str) -> Array:
        """Return the array of a constant input; raises `F022` if it is not constant."""
        expr = self.expr(index)
        if not isinstance(expr, Constant):
            help_ = "convert the model with fixed input sizes, which may make it a constant"
            raise self.error(
                ErrorCode.F022,
                f"{what} (input number {index}) must be a constant, but is computed at run time",
                help_,
            )
        return expr.data

    def ints(self, index: int, what: str) -> tuple[int, ...]:
        """Return the elements of an input as integers; raises `F022` if they are not constant."""
        return tuple(int(each) for each in self.constant(index, what).reshape(-1))

    def sizes(self, index: int) -> tuple[Dim, ...] | None:
        """Return the integers in an input as dimensions; None if they are unknown at import."""
        found = sizes_of(self.expr(index))
        return None if found is None else tuple(found.reshape(-1).tolist())

    def integer(self, index: int, what: str) -> int:
        """Return the single constant integer in an input; raises `F022` or `F026`."""
        found = self.ints(index, what)
        if len(found) != 1:
            raise self.error(
                ErrorCode.F026, f"{what} (input number {index}) must be one number, not {found}"
            )
        return found[0]

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
        self._read.update(names)

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        name = self.results[0].name if self.results else ""
        return RelayImportError(code, f"{self.op} '{name}': {problem}", span=self.span, help=help)

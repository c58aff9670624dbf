"""TensorFlow and TensorFlow Lite share the translations of their common operators."""

from collections.abc import Sequence

import pytest

from relay.frontend.builders.tensorflow_node import InputReader
from relay.frontend.builders.tensorflow_operators import LITE, TENSORFLOW
from relay.ir.expr import Call, Expr, Var
from relay.ir.types import TensorType
from relay.ops.tensor.dynamic_shapes import DynamicFull, DynamicTile
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span


class Node(InputReader):
    """A node without attributes."""

    constant_help = "make it a constant"
    span = Span(Source("test"), 0, 0)

    def __init__(self, op: str, inputs: Sequence[Expr]) -> None:
        self._op, self.inputs = op, inputs

    @property
    def op(self) -> str:
        return self._op

    def expr(self, index: int) -> Expr:
        return self.inputs[index]

    def flag(self, name: str) -> bool:
        return False

    def integer_of(self, name: str, default: int | None = None) -> int:
        return default or 0

    def ints_of(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        return tuple(default or ())

    def ignore(self, *names: str) -> None:
        pass

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        return RelayImportError(code, problem, span=self.span, help=help)


X = Var("x", TensorType((2, 3), "float32"))
COUNTS = Var("counts", TensorType((2,), "int32"))
NUMBER = Var("number", TensorType((), "float32"))


@pytest.mark.parametrize(
    ("tensorflow", "lite", "inputs", "op"),
    [("Tile", "TILE", (X, COUNTS), DynamicTile), ("Fill", "FILL", (COUNTS, NUMBER), DynamicFull)],
)
def test_sizes_may_be_computed_at_run_time(
    tensorflow: str, lite: str, inputs: Sequence[Expr], op: type
):
    for table, name in ((TENSORFLOW, tensorflow), (LITE, lite)):
        found = table[name](Node(name, inputs))
        assert isinstance(found, Call)
        assert isinstance(found.op, op)


def test_an_axis_that_is_not_constant_is_an_error():
    with pytest.raises(RelayImportError, match=r"the axis .* must be a constant") as raised:
        LITE["EXPAND_DIMS"](Node("EXPAND_DIMS", (X, NUMBER)))
    assert raised.value.code is ErrorCode.F022

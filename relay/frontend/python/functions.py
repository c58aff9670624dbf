"""Functions of the module: those that are decorated, and the methods of data classes."""

import ast
from types import FunctionType

from relay.frontend.python.analysis import makes_new
from relay.frontend.python.annotations import Annotations, with_variables
from relay.frontend.python.errors import mistake
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.signatures import Signature
from relay.frontend.python.source import namespace, read
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.unit import Unit
from relay.frontend.python.values import Value
from relay.ir.expr import Expr, Function
from relay.support.span import Span


class Definition:
    """A function of the module: its signature at once, its body when it is asked for."""

    def __init__(self, statements: Sequencer, unit: Unit, function: FunctionType) -> None:
        at, code = read(function)
        outside = with_variables(namespace(function))
        self._statements = statements
        self._scope = Scope(code, outside, {}, Flow(None, _nowhere), unit.memory)
        self._scope.python = function
        # A name that only an annotation uses is not in the closure, so Python's value counts.
        self._signature = Signature(
            at,
            self._scope,
            Annotations(outside, unit.data),
            {**function.__annotations__, **_receiver(function, at, unit)},
            generic=True,
        )
        if self._signature.unannotated:
            arg = self._signature.unannotated[0]
            raise mistake(
                "F102",
                f"the parameter {arg.arg} has no type",
                code.span(arg),
                f'annotate it: {arg.arg}: float32, or {arg.arg}: Tensor["n", 128, float32]',
            )
        self.name = function.__name__
        self.params = self._signature.names
        self.makes_new = makes_new(at)
        self.makes_new_fields = makes_new(at, fields=True)
        self.type = self._signature.type

    def translate(self) -> Function:
        """Return the function with its body."""
        return self._signature.translate(self._statements, self._scope)


def _receiver(function: FunctionType, at: ast.FunctionDef, unit: Unit) -> dict[str, object]:
    """Return the type of a method's first parameter, which has no annotation."""
    first = next(iter(at.args.args), None)
    known = function in unit.receivers and first is not None and first.annotation is None
    return {first.arg: unit.receivers[function]} if known and first is not None else {}


def _nowhere(_value: Value, _span: Span) -> Expr:
    raise AssertionError("no statement stands outside of a function's body")

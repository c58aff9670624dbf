"""Functions of the module: those that are decorated, and the methods of data classes."""

import ast
from copy import copy
from types import FunctionType

from relay.frontend.python.analysis import makes_new
from relay.frontend.python.annotations import Annotations, with_variables
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.signatures import Signature
from relay.frontend.python.source import namespace, read
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.unit import Unit
from relay.frontend.python.values import Static, Value
from relay.ir.expr import Expr, Function
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


class Definition:
    """A function of the module: its signature at once, its body when it is asked for."""

    def __init__(self, statements: Sequencer, unit: Unit, function: FunctionType) -> None:
        at, code = read(function)
        owner = _Owner(unit, function, at)
        at = owner.without_class(at)
        outside = {**with_variables(namespace(function)), **owner.variables}
        self._statements = statements
        self._scope = Scope(code, outside, owner.known, Flow(None, _nowhere), unit.memory)
        self._scope.python = function
        # A name that only an annotation uses is not in the closure, so Python's value counts.
        self._signature = Signature(
            at,
            self._scope,
            Annotations(outside, unit.data),
            {**function.__annotations__, **owner.types},
            generic=True,
        )
        if self._signature.unannotated:
            arg = self._signature.unannotated[0]
            raise mistake(
                ErrorCode.F102,
                f"the parameter {arg.arg} has no type",
                code.span(arg),
                f'annotate it: {arg.arg}: float32, or {arg.arg}: Tensor["n", 128, float32]',
            )
        self.name = function.__name__
        self.params = self._signature.names
        self.placed = tuple(each.arg for each in (*at.args.posonlyargs, *at.args.args))
        self.makes_new = makes_new(at)
        self.makes_new_fields = makes_new(at, fields=True)
        self.type = self._signature.type

    def translate(self) -> Function:
        """Return the function with its body."""
        return self._signature.translate(self._statements, self._scope)


class _Owner:
    """What the first parameter of a method is, and the type variables of its class."""

    def __init__(self, unit: Unit, function: FunctionType, at: ast.FunctionDef) -> None:
        self.types: dict[str, object] = {}
        self.known: dict[str, Value] = {}
        self.variables: dict[str, object] = {}
        first = next(iter((*at.args.posonlyargs, *at.args.args)), None)
        if function not in unit.owners or first is None:
            return
        cls, found = unit.owners[function]
        ty, variables = unit.data.own_type(cls, None)
        self.variables = {**variables}
        if isinstance(found, classmethod):
            self.known = {first.arg: Static(cls)}
        elif isinstance(found, FunctionType):
            self.types = {first.arg: ty}

    def without_class(self, at: ast.FunctionDef) -> ast.FunctionDef:
        """Return a definition without the parameter of a class method that is the class."""
        if not self.known:
            return at
        made = copy(at)
        made.args = copy(at.args)
        if made.args.posonlyargs:
            made.args.posonlyargs = made.args.posonlyargs[1:]
        else:
            made.args.args = made.args.args[1:]
        return made


def _nowhere(_value: Value, _span: Span) -> Expr:
    raise AssertionError("no statement stands outside of a function's body")

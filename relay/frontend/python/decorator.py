"""`function`: a Python function that is also a Relay program."""

from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any

from relay.frontend.python.conversion import Conversion
from relay.frontend.python.errors import mistake
from relay.frontend.python.expressions import Expressions
from relay.frontend.python.functions import Definition
from relay.frontend.python.interop import Interop
from relay.frontend.python.statements import Statements
from relay.frontend.python.unit import Decorated, Unit
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer


class PythonFunction(Decorated):
    """A decorated function: `.module` is the program, `.python` the original, calls evaluate it.

    It is translated when it is first used, so that functions may call others that come later.
    """

    def __init__(self, python: FunctionType) -> None:
        super().__init__(python)
        update_wrapper(self, python)

    @cached_property
    def module(self) -> Module:
        """Return the function as `main`, with every function and data type that it reaches.

        Raises `F…` and `T…` errors at the line and column of what cannot be expressed.
        """
        return infer(self._unit.build())

    @cached_property
    def _unit(self) -> Unit:
        return Unit(_declare, self.python)

    def __call__(self, *args: object) -> Any:
        """Return the result for NumPy arrays, numbers, tuples and objects of data classes."""
        main = self.module.main
        if len(args) != len(main.params):
            names = ", ".join(param.name for param in main.params)
            what = f"{self.python.__name__} takes {len(main.params)} arguments, not {len(args)}"
            raise mistake("F118", what, None, f"call it as {self.python.__name__}({names})")
        interop = Interop(self._unit.data)
        pairs = zip(args, main.params, strict=True)
        values = [interop.to_value(arg, param.type, param.name) for arg, param in pairs]
        return interop.to_python(evaluate(self.module, *values))


def function(python: FunctionType) -> PythonFunction:
    """Make a Python function a Relay program; every parameter has an annotation.

    Its source must be in a file. `Tensor["n", 128, float32]`, `float32`, `int32`, `bool`, tuples,
    `Callable[[A], B]` and `@data` classes are types.
    """
    return PythonFunction(python)


def _declare(unit: Unit, python: FunctionType) -> Definition:
    statements = Statements(Expressions(Conversion(unit)))
    return Definition(statements, unit, python)

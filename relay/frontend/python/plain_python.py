"""Copies of decorated functions that run in plain Python and call each other without Relay."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from relay.frontend.builders.traceable_functions import is_builder
from relay.frontend.python.module_builder import Decorated
from relay.frontend.python.tensors.function_lookup import path_of
from relay.frontend.python.values.traced_values import is_tuple
from relay.ir.expr import Constant, Expr
from relay.semantics.evaluate import evaluate_expr


def plain(function: FunctionType) -> FunctionType:
    """Return a copy of the function in which decorated functions are replaced by undecorated ones.

    Global names have the values that they have at this moment.
    """
    return _Copies().function(function)


class _Copies:
    """Copies of functions and of their namespaces, so that each function is copied once."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, FunctionType] = {}
        self._names: dict[int, dict[str, object]] = {}

    def function(self, original: FunctionType) -> FunctionType:
        """Return the copy; recursion follows references between modules and enclosing functions."""
        if original not in self._functions:
            names, cells = self._namespace(original), original.__closure__ or ()
            copies = [CellType() for _ in cells]
            made = FunctionType(
                original.__code__, names, None, original.__defaults__, tuple(copies)
            )
            made.__kwdefaults__ = original.__kwdefaults__
            self._functions[original] = made
            for cell, copy in zip(cells, copies, strict=True):
                self._fill(cell, copy)
        return self._functions[original]

    def _namespace(self, original: FunctionType) -> dict[str, object]:
        names: Mapping[str, object] = original.__globals__
        if id(names) not in self._names:
            copy = self._names[id(names)] = dict(names)
            copy |= {name: self._object(each) for name, each in names.items()}
        return self._names[id(names)]

    def _fill(self, cell: CellType, copy: CellType) -> None:
        try:
            copy.cell_contents = self._object(cast("object", cell.cell_contents))
        except ValueError:  # assigned later, so it stays empty
            return

    def _object(self, content: object) -> object:
        if isinstance(content, Decorated):
            return self.function(content.original)
        return _computing(content)


class _Operators:
    """A stand-in for a module of Relay's operators whose functions compute arrays immediately."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        return _computing(getattr(self._module, name))


def _computing(content: object) -> object:
    """Return an operator as a function of arrays, or a module of operators as `_Operators`."""
    if isinstance(content, ModuleType) and content.__name__.partition(".")[0] == "relay":
        return _Operators(content)
    path = path_of(content) if callable(content) else None
    is_operator = (path is not None and path.is_relay) or is_builder(content)
    return partial(_computed, content) if is_operator else content


def _computed(operator: Any, *args: Any, **named: Any) -> Any:
    """Return the result of an operator of Relay on arrays."""
    made = operator(
        *map(_constant, args), **{name: _constant(each) for name, each in named.items()}
    )
    made = made.astuple() if hasattr(made, "astuple") else made
    return _plain(evaluate_expr(made)) if isinstance(made, Expr) else made


def _constant(given: Any) -> Any:
    """Return arrays as constants; recursion follows nested lists."""
    if isinstance(given, list | tuple):
        items = map(_constant, cast("Sequence[Any]", given))
        return list(items) if isinstance(given, list) else tuple(items)
    if isinstance(given, np.ndarray | np.generic):
        return Constant(np.asarray(cast("Any", given)))
    return given


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if is_tuple(value) else value[()]

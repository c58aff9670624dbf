"""The call graph of a module's global functions."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import chain

from relay.ir.custom_derivatives import derivative_names
from relay.ir.expr import Function, GlobalVar
from relay.ir.field_validation import Mark
from relay.ir.module import HasModule, Module
from relay.ir.walk import children, post_order
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.strong_components import strong_components


def reached(module: Module, entry: str = "main") -> Module:
    """Return a module with only the functions that `entry` reaches through calls.

    Raises `U001` if there is no function `entry`.
    """
    kept = {entry, *CallGraph(module).reachable(entry)}
    functions = {name: each for name, each in module.functions.items() if name in kept}
    return module.with_functions(functions)


def named_functions(function: Function) -> Iterator[str]:
    """Yield the names of functions in a function's attributes, such as its custom derivatives."""
    yield from derivative_names(function)
    for each in function.attrs.values():
        if isinstance(each, Mark):
            yield from each.functions


class CallGraph:
    """The call graph of a module: how often each global function refers to each other one.

    Functions that are named in a function's attributes count as references, too.

    >>> from relay.ir.expr import Call, Function
    >>> f = Function((), Call(GlobalVar("g"), ()))
    >>> graph = CallGraph(Module({"f": f, "g": Function((), Call(GlobalVar("f"), ()))}))
    >>> graph["f"], graph.is_recursive("f"), graph.ref_count("f")
    ({'g': 1}, True, 1)
    """

    def __init__(self, module: HasModule) -> None:
        self._calls: dict[str, Counter[str]] = {}
        for name, function in module.module.functions.items():
            parts = (part for expr in post_order(function) for part in children(expr))
            found = (part.name for part in parts if isinstance(part, GlobalVar))
            self._calls[name] = Counter(chain(found, named_functions(function)))
        self._reached: dict[str, frozenset[str]] = {}

    @cached_property
    def components(self) -> list[tuple[str, ...]]:
        """Return the strongly connected components, callees first."""
        return strong_components(self._calls)

    @cached_property
    def _recursive(self) -> frozenset[str]:
        circles = (group for group in self.components if len(group) > 1)
        own = (name for name, calls in self._calls.items() if name in calls)
        return frozenset(chain(own, *circles))

    def callees_first(self) -> list[str]:
        """Return all functions, callees first; the order within a cycle is arbitrary."""
        return [name for group in self.components for name in group]

    def __getitem__(self, name: str | GlobalVar) -> dict[str, int]:
        """Return how often a function refers to each other function; `U001` if it is unknown."""
        return dict(self._calls[self._known(name)])

    def ref_count(self, name: str | GlobalVar) -> int:
        """Return how often a function is referred to in the whole module."""
        known = self._known(name)
        return sum(calls[known] for calls in self._calls.values())

    def global_call_count(self, name: str | GlobalVar) -> int:
        """Return how often the function `name` refers to global functions."""
        return self._calls[self._known(name)].total()

    def is_recursive(self, name: str | GlobalVar) -> bool:
        """Whether a function calls itself, directly or through others."""
        return self._known(name) in self._recursive

    def reachable(self, name: str | GlobalVar) -> list[str]:
        """Return the functions that are reachable from a function, in the order of the module."""
        found = self._reachable(self._known(name))
        return [each for each in self._calls if each in found]

    def print_var(self, name: str | GlobalVar) -> str:
        """Return a text that lists the functions which the function `name` calls."""
        known = self._known(name)
        lines = [f"  calls @{callee} {count}×" for callee, count in self._calls[known].items()]
        return "\n".join([f"@{known}, used {self.ref_count(known)}×", *lines])

    def __str__(self) -> str:
        return "\n".join(map(self.print_var, self._calls))

    def _known(self, name: str | GlobalVar) -> str:
        found = name.name if isinstance(name, GlobalVar) else name
        if found not in self._calls:
            message = f"the module has no function @{found}"
            known = ", ".join(f"@{each}" for each in self._calls) or "none"
            raise UsageError(ErrorCode.U001, message, help=f"use one of its functions: {known}")
        return found

    def _reachable(self, name: str) -> frozenset[str]:
        if name not in self._reached:
            seen = set[str]()
            stack = list(self._calls[name])
            while stack:
                top = stack.pop()
                if top not in seen:
                    seen.add(top)
                    stack.extend(self._calls.get(top, ()))
            self._reached[name] = frozenset(seen)
        return self._reached[name]

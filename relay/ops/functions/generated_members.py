"""Generation of the members of function modules, when they are first used."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from inspect import isfunction
from types import MappingProxyType
from typing import Any

from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.ops.functions.call_builders import builder

NOTHING: Mapping[str, Any] = MappingProxyType({})
Lookup = Callable[[str], Any]
Listing = Callable[[], list[str]]


def namespace(
    prefix: str, scope: dict[str, Any], more: Mapping[str, Any] = NOTHING
) -> tuple[Lookup, Listing]:
    """Return `__getattr__` and `__dir__` of a module with functions for all operators of a prefix.

    `scope` is the module's `globals()`. Its own definitions take precedence, then the functions in
    `more`; generated functions are stored in it.
    """
    own = [*public(scope), *public(more)]

    def lookup(name: str) -> Any:
        cls = OPERATORS.get(prefix + name)
        if name in own:
            scope[name] = more[name]
        elif cls is None or not issubclass(cls, OperatorDef):
            raise _missing(scope["__name__"], name, [*own, *generated(prefix)])
        else:
            scope[name] = builder(cls)
        return scope[name]

    def listing() -> list[str]:
        return sorted({*own, *generated(prefix)})

    return lookup, listing


def _missing(module: str, name: str, known: Sequence[str]) -> AttributeError:
    near = get_close_matches(name, known, n=3)
    advice = f"; did you mean {' or '.join(near)}?" if near else ""
    return AttributeError(f"module '{module}' has no attribute '{name}'{advice}")


def public(scope: Mapping[str, Any]) -> list[str]:
    """Return the names of a module's public functions, including generated ones."""
    functions = {name: each for name, each in scope.items() if isfunction(each) and name[0] != "_"}
    home = scope.get("__name__")
    return [
        name
        for name, each in functions.items()
        if each.__module__ == home or "__signature__" in vars(each)
    ]


def generated(prefix: str) -> list[str]:
    """Return the names of the operators with a prefix, without the prefix: `relu` for `nn.`."""
    tails = (name.removeprefix(prefix) for name in OPERATORS if name.startswith(prefix))
    return [tail for tail in tails if "." not in tail]

"""Programs without type parameters: the first step towards native code."""

from typing import ClassVar

from relay.ir.module import Module
from relay.support.node import replace, value
from relay.transform.contract import Properties
from relay.transform.monomorphization.data_types import DataTypes
from relay.transform.monomorphization.functions import reachable
from relay.transform.monomorphization.uses import DataTypeUses
from relay.transform.pipeline import Pass
from relay.transform.properties import Property


@value
class Monomorphize(Pass):
    """Write generic functions and data types once for each choice of their type parameters.

    1. A global function that the entry reaches is written for each choice with which it is used:
       called, or passed as a value. The first one keeps its name, others are `map_1`, `map_2` …
    2. A local function gets a `let` for each choice, in the place of its own.
    3. A data type gets a name and constructors for each choice; patterns use those of the type that
       they look into. Where choices differ in sizes that are not all known, they are one.
    4. A generic function that is passed on, or computed, becomes a tuple of the instances that
       are needed of values of its type.
    5. What is not generic stays the same object; what the entry does not reach is left out.

    Raises `C111` where there is no end of choices (more than `limit` for one function or type), and
    `C112` for a value that stays generic: an entry with type parameters, or with a parameter that
    is itself generic, a local function that needs itself at several types in a circle.
    """

    ensures: ClassVar[Properties] = frozenset({Property.MONOMORPHIC})

    entry: str = "main"
    limit: int = 1000

    def transform(self, module: Module) -> Module:
        """Return the part of the module that the entry needs."""
        functions, values = reachable(module, self.entry, self.limit)
        uses = DataTypeUses(module, functions.values(), values, self.limit)
        types = DataTypes(module, uses, values)
        new = {name: types.function(function) for name, function in functions.items()}
        same = types.definitions == dict(module.types)  # definitions are nodes: equal is identical
        with_types = module if same else replace(module, types=types.definitions)
        return with_types.with_functions(new)

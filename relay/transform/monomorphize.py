"""The pass that copies generic functions and data types for each choice of type arguments."""

from typing import ClassVar

from relay.ir.module import Module
from relay.support.node import replace, value
from relay.transform.module_properties import Property
from relay.transform.monomorphization.data_type_uses import DataTypeUses
from relay.transform.monomorphization.data_types import DataTypes
from relay.transform.monomorphization.instantiate_functions import instantiated
from relay.transform.pass_contract import Properties
from relay.transform.pipeline import Pass


@value
class Monomorphize(Pass):
    """Copy generic functions and data types for each choice of their type parameters.

    1. A global function that the entry reaches is copied for each choice with which it is called or
       used as a value. The first copy keeps its name, others are `map_1`, `map_2` …
    2. A local function gets one `let` for each choice, which replaces its original `let`.
    3. A data type gets a name and constructors for each choice; patterns use the constructors of
       the type that they match. Choices that differ in sizes which are not all known share one
       instance.
    4. A generic function that is used as a value, or computed, becomes a tuple of the instances
       that values of its type need.
    5. Objects without generic parts are kept; functions that the entry does not reach are dropped.

    Raises `C111` for unbounded recursion over choices (more than `limit` for one function or type),
    and `C112` for a value that stays generic: an entry that has type parameters or a generic
    parameter, or a local function that depends on itself at several types.
    """

    ensures: ClassVar[Properties] = frozenset({Property.MONOMORPHIC})

    entry: str = "main"
    limit: int = 1000

    def transform(self, module: Module) -> Module:
        """Return the monomorphic functions and data types that the entry reaches."""
        functions, values = instantiated(module, self.entry, self.limit)
        uses = DataTypeUses(module, functions.values(), values, self.limit)
        types = DataTypes(module, uses, values)
        new = {name: types.function(function) for name, function in functions.items()}
        same = types.definitions == dict(module.types)  # definitions compare by identity
        with_types = module if same else replace(module, types=types.definitions)
        return with_types.with_functions(new)

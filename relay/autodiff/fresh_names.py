"""Fresh names for the functions and data types that a transformation adds to a module."""

from relay.ir.fresh_names import free_name
from relay.ir.module import Module


class Names:
    """A generator of names that none of some modules uses yet.

    >>> names = Names(Module({}))
    >>> names.fresh("f"), names.fresh("f")
    ('f', 'f_1')
    """

    def __init__(self, *modules: Module) -> None:
        self._taken = {
            name
            for module in modules
            for name in (*module.functions, *module.types, *module.constructors())
        }

    def fresh(self, hint: str) -> str:
        """Return an unused name: the hint, with a number appended if it is taken."""
        found = free_name(hint, self._taken)
        self._taken.add(found)
        return found

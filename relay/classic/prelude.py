"""The classic `Prelude`, with a module that can be changed."""

from relay.classic.ir_module import IRModule
from relay.ir.module import ModuleLike
from relay.prelude.prelude import Prelude as Library


class Prelude(Library):
    """The library in a module of its own, `mod`, or added to a given module.

    >>> from relay.ir.expr import Function, Var
    >>> p = Prelude()
    >>> xs = Var("xs", p.list(p.rose.belongs_to()))
    >>> p.mod["main"] = Function([xs], xs)
    """

    def __init__(self, mod: ModuleLike | None = None) -> None:
        super().__init__(IRModule() if mod is None else mod)

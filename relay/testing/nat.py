"""`relay.testing.nat`: convert natural numbers of the standard library to and from Python."""

from typing import Any

from relay.ir.expr import Call, Expr
from relay.prelude import Prelude
from relay.prelude.standard_library import import_from_std
from relay.runtime.code.interface_types import Data


def make_nat_expr(p: Prelude, n: int) -> Expr:
    """Return the expression for a natural number, `succ` applied n times to `zero`.

    `nat.rly` is imported into the module.
    """
    zero, succ = _constructors(p)
    number: Expr = Call(zero, ())
    for _ in range(n):
        number = Call(succ, (number,))
    return number


def make_nat_value(p: Prelude, n: int) -> Data:
    """Return a natural number as an argument for a compiled function.

    >>> count(p := Prelude(), make_nat_value(p, 3))
    3
    """
    _constructors(p)
    number = Data("zero", ())
    for _ in range(n):
        number = Data("succ", (number,))
    return number


def count(p: Prelude, n: Any) -> int:
    """Return a natural number in a result as an int: the number of `succ`.

    >>> count(Prelude(), Data("succ", (Data("succ", (Data("zero", ()),)),)))
    2
    """
    del p  # constructors of results are known by their names
    found = 0
    while n.fields:
        (n,) = n.fields
        found += 1
    return found


def _constructors(p: Prelude) -> tuple[Expr, Expr]:
    p.mod = p.mod.updated(import_from_std(p.mod.module, "nat.rly"))
    return p.mod.get_constructor("nat", "zero"), p.mod.get_constructor("nat", "succ")

"""The candidates that edits of the minimiser yield, and functions that build smaller programs."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.expr import Expr, Function, Var
from relay.ir.module import ENTRY, Module
from relay.ir.walk import children, rewrite
from relay.transform.remove_unused_functions import RemoveUnusedFunctions

Candidate: TypeAlias = tuple[int, Callable[[], Module]]
"""A position in the program, and a function that builds the smaller program."""

Edit: TypeAlias = Callable[[Module], Iterator[Candidate]]


def with_main(module: Module, params: Sequence[Var], body: Expr) -> Module:
    """Return the module with another `main`, and without functions that it does not reach."""
    main = with_fresh_variables(Function(tuple(params), body))
    return RemoveUnusedFunctions().transform(module.with_function(ENTRY, main))


def replaced(module: Module, name: str, old: Expr, new: Expr) -> Module:
    """Return the module in which `new` replaces `old` in one function."""
    return module.with_function(name, cast("Function", replaced_in(module[name], old, new)))


def replaced_in(whole: Expr, old: Expr, new: Expr) -> Expr:
    """Return the expression `whole` in which `new` replaces `old`."""
    return rewrite(whole, lambda e: new if e is old else e, edges=children)

"""Analysis of function literals: the variables they capture, and the dimensions they bind."""

from collections import defaultdict

from relay.ir.analysis.dims_in_scope import enclosing_dims
from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Function, Var
from relay.ir.types import dim_variables, tensor_dim_vars
from relay.ir.walk import binders, outside_kernels, post_order
from relay.semantics.captures import Captures
from relay.support.node import node


@node
class SizeNames:
    """The dimensions of a function: those that its parameters bind (`own`), and the others.

    Lets, patterns, local functions and the result may have dimensions that no parameter binds.
    """

    own: frozenset[DimVar]
    inside: frozenset[DimVar]


_NO_NAMES = SizeNames(frozenset(), frozenset())


class Literals:
    """The function literals of a program, including nested ones, with their captures.

    >>> from relay.ir.expr import Tuple
    >>> from relay.ir.types import UNIT
    >>> x, y = Var("x", UNIT), Var("y", UNIT)
    >>> inner = Function((y,), Tuple((x, y)))
    >>> literals = Literals()
    >>> nodes = literals.add(Function((x,), inner))
    >>> literals.captured(inner) == (x,), literals.size_names(inner).own
    (True, frozenset())
    """

    def __init__(self) -> None:
        self._roots: dict[Function, Function] = {}
        self._captures: dict[Function, Captures] = {}
        self._captured: dict[Function, tuple[Var, ...]] = {}
        self._around = defaultdict[Expr, frozenset[DimVar]](frozenset)
        self._names: dict[Function, SizeNames] = {}

    def add(self, root: Function) -> int:
        """Record the literals in a function; return the number of its nodes."""
        order = post_order(root, edges=outside_kernels)
        literals = [each for each in order if isinstance(each, Function)]
        self._roots.update(dict.fromkeys(literals, root))
        if _names(order) or dim_variables(root.type):
            self._around.update(enclosing_dims(order))
        else:
            self._names.update(dict.fromkeys(literals, _NO_NAMES))
        return len(order)

    def captured(self, literal: Function) -> tuple[Var, ...]:
        """Return the variables from enclosing scopes that a literal uses."""
        root = self._roots[literal]
        if literal is root:
            return ()
        if literal not in self._captured:
            if root not in self._captures:
                self._captures[root] = Captures(root)
            used = self._captures[root].of(literal)
            self._captured[literal] = tuple(each for each in used if isinstance(each, Var))
        return self._captured[literal]

    def size_names(self, literal: Function) -> SizeNames:
        """Return the dimensions that a literal binds."""
        if literal not in self._names:
            around = self._around[literal]
            of_params = (tensor_dim_vars(param.type) for param in literal.params)
            own = frozenset[DimVar]().union(*of_params) - around
            order = post_order(literal, edges=outside_kernels)
            inside = (_names(order) | dim_variables(literal.type)) - own - around
            self._names[literal] = SizeNames(own, inside)
        return self._names[literal]


def _names(order: list[Expr]) -> frozenset[DimVar]:
    types = {var.type for expr in order for var in binders(expr)}
    return frozenset[DimVar]().union(*map(dim_variables, types))

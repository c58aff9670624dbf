"""Dimension variables that functions are quantified over, and their instantiation.

`def @double(%x: Tensor[(n)]) -> Tensor[(2 * n)]` is quantified over `n`, which each call
instantiates. If the function is used as a value, the expected type instantiates it; dimensions that
the expected type does not determine become `?`. A function literal is not quantified over
dimensions that an enclosing scope binds. A constructor is quantified over the dimensions in its
definition.
"""

from relay.ir.analysis.dims_in_scope import enclosing_dims
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Constructor, Expr, Function, GlobalVar, Let
from relay.ir.match_dims import match_dims
from relay.ir.module import Module
from relay.ir.types import FuncType, Type, dim_variables, substitute_dims, without_dims
from relay.ir.walk import post_order

_Names = frozenset[DimVar]
_NONE: _Names = frozenset()


def instantiated(function: FuncType, quantified: _Names, expected: Type) -> FuncType:
    """Return a function's type with its own dimensions replaced, to fit the type `expected`.

    `quantified` are these dimensions; those that `expected` does not determine become `?`.

    >>> from relay.ir.dims import ANY
    >>> from relay.ir.types import TensorType, TupleType
    >>> n = DimVar("n")
    >>> double = FuncType((TensorType((n,)),), TensorType((2 * n,)))
    >>> instantiated(double, frozenset((n,)), FuncType((TensorType((3,)),), TensorType((ANY,))))
    fn (Tensor[(3,), float32]) -> Tensor[(6,), float32]
    >>> instantiated(double, frozenset((n,)), TupleType(()))
    fn (Tensor[(?,), float32]) -> Tensor[(?,), float32]
    """
    sizes: dict[DimVar, Dim] = {}
    if isinstance(expected, FuncType) and len(expected.params) == len(function.params):
        found = (*function.params, function.result)
        matched = match_dims(found, (*expected.params, expected.result))
        sizes = {name: size for name, size in matched.items() if name in quantified}
    known = substitute_dims(without_dims(function, quantified - sizes.keys()), sizes)
    assert isinstance(known, FuncType), "a function stays one"
    return known


class QuantifiedDims:
    """The dimension variables that the functions of a module are quantified over.

    Each call may choose their sizes anew. They are known for global functions, constructors,
    function literals, and aliases of these.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._same: dict[Expr, Expr] = {}
        self._literals: dict[Function, _Names] = {}

    def enter(self, root: Function) -> None:
        """Start a global function: record which of its variables are aliases of functions."""
        self._root = root
        self._around: dict[Expr, _Names] | None = None
        for expr in post_order(root):
            if isinstance(expr, Let) and not expr.var.annotation:
                self._same[expr.var] = expr.value

    def of(self, expr: Expr) -> _Names:
        """Return the dimension variables whose sizes each call of a function may choose."""
        match self._same.get(expr, expr):
            case GlobalVar(name):
                return self._module.functions[name].dim_params
            case Constructor(inputs=fields):
                return dim_variables(*fields)
            case Function() as literal:
                if literal not in self._literals:
                    self._literals[literal] = self._own(literal)
                return self._literals[literal]
            case _:
                return _NONE

    def _own(self, literal: Function) -> _Names:
        if not literal.dim_params:
            return _NONE
        if self._around is None:
            self._around = enclosing_dims(post_order(self._root), lambda var: var.annotation)
        return literal.dim_params - self._around[literal]

"""Residuals: the values that the forward part stores for the backward part.

A *residual* is a value of a data type of its own, with one constructor for each exit of the forward
part: the constructor records the path taken, and its fields are the values that the backward part
reads.
"""

from collections.abc import Collection, Sequence

from relay.autodiff.fresh_names import Names
from relay.ir.alpha_rename import fresh_var
from relay.ir.attribute_dims import attribute_dims
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import determined_dims, in_order
from relay.ir.expr import Call, Constructor, Expr, Operator, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import TypeData
from relay.ir.types import GlobalTypeVar, Type, TypeCall, tensor_dim_vars, tensor_dims
from relay.ir.walk import binders, free_vars, post_order, substitute


class Residual:
    """A data type of stored values under construction, with the clauses that read them.

    Its constructors are those of a residual, i.e. of what the forward part stores at each exit; the
    backward part matches on them.
    """

    def __init__(self, names: Names, hint: str) -> None:
        hint = hint[0].upper() + hint[1:]
        self._names = names
        self._hint = hint
        self._constructors: list[Constructor] = []
        self.type = TypeCall(GlobalTypeVar(names.fresh(f"{hint}Residual")), ())
        self.clauses: list[Clause] = []
        self._bound: set[Var] = set()

    @property
    def definition(self) -> TypeData:
        """Return the definition of the data type, once all exits of the forward part are known."""
        return TypeData(self.type.head, (), tuple(self._constructors))

    def constructor(self, hint: str, types: Sequence[Type]) -> Constructor:
        """Return a new constructor with fields of these types, in which sizes become unknown.

        Its name is derived from `hint`.
        """
        name = self._names.fresh(f"{self._hint}{hint}")
        inputs = tuple(map(with_unknown_dims, types))
        found = Constructor(name, inputs, self.type.head, (), len(self._constructors))
        self._constructors.append(found)
        return found

    def end(
        self, hint: str, backward: Expr, kept: Collection[Var], params: Sequence[Var] = ()
    ) -> Expr:
        """Return what an exit stores, and record the clause that runs `backward` on it.

        Stored are the variables among `kept` that `backward` reads, and those of `kept` and
        `params` that determine dimensions which `backward` needs. The constructor's name is derived
        from `hint`.
        """
        read = [var for var in free_vars(backward) if var in kept]
        read += _with_dims(backward, read, [*kept], params)
        constructor = self.constructor(hint, [var.type for var in read])
        again = self._bound_anew(backward)
        inner: list[PatternVar] = []
        for var in read:
            copy = Var(var.name, var.ty, span=var.span, ty=var.ty)
            again[var] = copy
            inner.append(PatternVar(copy))
        pattern = PatternConstructor(constructor, tuple(inner))
        self.clauses.append(Clause(pattern, substitute(backward, again)))
        return Call(constructor, tuple(read))

    def _bound_anew(self, backward: Expr) -> dict[Var, Expr]:
        """Return fresh variables for those that both `backward` and another clause bind.

        Steps that two exits share are reversed in the clauses of both.
        """
        bound = {var for expr in post_order(backward) for var in binders(expr)}
        again = bound & self._bound
        self._bound |= bound
        return {var: fresh_var(var) for var in again}


def _with_dims(
    backward: Expr, read: Sequence[Var], kept: Sequence[Var], params: Sequence[Var]
) -> list[Var]:
    """Return the variables that are needed only for dimensions in attributes of operators.

    `read` are the variables that `backward` reads. A dimension that their sizes do not determine,
    as `n * m` determines neither, is known from a parameter, or from the variable that binds it
    (the first of `kept` whose type has it), if it is a whole size there. The same holds for
    dimensions that no parameter has and that occur in composed sizes of variables that are read.
    """
    order = post_order(backward)
    in_attributes = {
        name for each in order if isinstance(each, Operator) for name in attribute_dims(each)
    }
    bound = [var for each in order if isinstance(each, Match) for var in binders(each)]
    in_types = {name for var in (*read, *bound) for name in tensor_dim_vars(var.type)}
    known = determined_dims((size for var in (*read, *bound) for size in tensor_dims(var.type)), ())
    found: list[Var] = []
    for name in in_order((in_attributes | in_types) - known):
        sources = [var for var in params if name in tensor_dim_vars(var.type)]
        binder = next((var for var in kept if name in tensor_dim_vars(var.type)), None)
        if sources and name not in in_attributes:
            continue
        if not sources and binder is not None and name in tensor_dims(binder.type):
            sources = [binder]
        found += [var for var in sources[:1] if var not in found]
    return found

"""Solving of type relations, which are constraints in function types, at each call.

A function type may carry relations: `fn [A, B](A, A) -> B` with `B` related to `A` and `A` by
`relay.add` accepts the arguments of that operator and returns its result. An operator is a relation
between the types of its arguments and of its result; users may write other relations.
"""

from collections.abc import Sequence
from typing import cast

from relay.ir.types import IncompleteType, Type, TypeRelation
from relay.opdef.definition import OperatorDef
from relay.semantics.unify import Unifier


def constrain(constraint: TypeRelation, unifier: Unifier) -> list[IncompleteType]:
    """Fill the unknown types in a constraint as far as its relation implies; return the others.

    Raises the errors of the relation, and `Mismatch` if implied types differ from known ones.
    """
    types = [unifier.resolve(ty) for ty in constraint.types]
    known = [ty if unifier.is_complete(ty) else None for ty in types]
    for ty, derived in zip(types, _related(constraint, known), strict=True):
        if derived is not None:
            unifier.unify(derived, ty)
    return [hole for ty in types for hole in unifier.holes(ty)]


def _related(constraint: TypeRelation, known: Sequence[Type | None]) -> Sequence[Type | None]:
    relation = constraint.relation
    if not isinstance(relation, OperatorDef):
        return relation.relate(known)
    inputs = relation.relate(known[: constraint.num_inputs])
    if any(ty is None for ty in inputs):
        return [*inputs, *known[constraint.num_inputs :]]
    return [*inputs, relation.result_type(cast("Sequence[Type]", inputs))]

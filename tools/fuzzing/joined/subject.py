"""Functions with arguments and their right results, and the program that joins many of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from relay.ir.expr import Array, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TupleType
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.node import node
from tools.fuzzing.programs.outcomes import Trapped

Results: TypeAlias = "tuple[Array, ...] | Trapped"

Invariants: TypeAlias = Callable[[Sequence[Array]], Sequence[Array]]
"""Maps results, in float64, to what all right results have in common."""

NO_VALUE = ErrorCode.R042
"""The code of arguments for which the reference has no value: compiled code may have one."""


@node
class Round:
    """Arguments of a function, and its results for them by a reference."""

    arrays: tuple[Array, ...]
    wanted: Results

    @property
    def has_value(self) -> bool:
        """Whether the function has results rather than a trap."""
        return not isinstance(self.wanted, Trapped)


@node
class Subject:
    """A typed program to compile, with the rounds in which it is called.

    Rounding errors of results may be `tolerance` times the largest element, for float32.
    """

    name: str
    text: str
    module: Module
    rounds: tuple[Round, ...]
    tolerance: float
    has_shapes_only: bool = False
    truncates: bool = False
    """Whether its integers are truncated floats, so that a rounding error may change them by 1."""

    invariants: Invariants | None = None
    """What all right results have in common; None if only one result is right."""

    @property
    def can_join(self) -> bool:
        """Whether the program is one function, and some round is without a trap."""
        return len(self.module.functions) == 1 and any(each.has_value for each in self.rounds)


def joined(subjects: Sequence[Subject]) -> Module:
    """Return a program that takes the arguments of all functions and returns all their results."""
    if len(subjects) == 1:
        return subjects[0].module
    params, results = list[Var](), list[Expr]()
    for subject in subjects:
        params += subject.module.main.params
        results += _results(subject.module.main)
    return infer(Module.of(Function(tuple(params), Tuple(tuple(results)))))


def _results(function: Function) -> Iterator[Expr]:
    body = function.body
    match body, body.type:
        case Tuple(fields), _:
            yield from fields
        case _, TupleType(types):
            yield from (TupleGetItem(body, place) for place in range(len(types)))
        case _:
            yield body


def result_count(subject: Subject) -> int:
    """Return the number of arrays that the function of a subject returns."""
    ty = subject.module.main.body.type
    return len(ty.fields) if isinstance(ty, TupleType) else 1

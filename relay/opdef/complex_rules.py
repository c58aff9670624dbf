"""The rules that replace an operator on complex numbers by operators on their parts.

An operator takes and returns complex numbers if there is a rule for its class. The pass
`LowerComplex` applies the rules, so that all later passes and kernels see real tensors only.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

from relay.ir.expr import Expr, Operator
from relay.ir.types import TensorType, TupleType, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


@dataclass(frozen=True, eq=False)
class ComplexTensor:
    """A tensor of complex numbers, as a tensor of real parts and a tensor of imaginary parts."""

    real: Expr
    imaginary: Expr

    @property
    def parts(self) -> tuple[Expr, Expr]:
        """Return both parts."""
        return self.real, self.imaginary

    @property
    def tensor_type(self) -> TensorType:
        """Return the type of each part."""
        return self.real.tensor_type


Operand: TypeAlias = "Expr | ComplexTensor | tuple[Expr | ComplexTensor, ...]"
"""An argument or a result of a call: real, complex, or a tuple of such tensors."""

Rule: TypeAlias = Callable[..., Operand]
"""A function of an operator and its operands that returns the result of the call.

An element type among the attributes of the operator may be complex.
"""

_Rule = TypeVar("_Rule", bound=Rule)

_RULES: dict[type[Operator], Rule] = {}


def complex_rule(*classes: type[Operator]) -> Callable[[_Rule], _Rule]:
    """Declare the rule of operator classes for calls whose arguments or result are complex."""

    def declare(rule: _Rule) -> _Rule:
        _RULES.update((cls, rule) for cls in classes)
        return rule

    return declare


def find_complex_rule(op: Operator) -> Rule | None:
    """Return the rule of an operator as a function of its operands; None if it has none."""
    rule = _RULES.get(type(op))
    return None if rule is None else partial(rule, op)


def is_complex(ty: Type | None) -> bool:
    """Whether a type is a tensor of complex numbers, or a tuple that contains one."""
    return any(each.dtype.is_complex for each in _tensors(ty))


def check_complex(op: Operator, types: Sequence[Type | None]) -> None:
    """Raise `T102` if one of these types is complex, but the operator takes only real numbers."""
    if type(op) not in _RULES and any(map(is_complex, types)):
        found = next(t.dtype for ty in types for t in _tensors(ty) if t.dtype.is_complex)
        raise RelayTypeError(
            ErrorCode.T102,
            f"{op.name} takes and returns real numbers, but an element type is {found}",
            help="write it with operators on complex numbers: `relay ops --types` lists them",
        )


def _tensors(ty: Type | None) -> Iterator[TensorType]:
    if isinstance(ty, TensorType):
        yield ty
    elif isinstance(ty, TupleType):
        yield from (field for field in ty.fields if isinstance(field, TensorType))

"""Properties of modules that passes require or ensure, and a test for each property."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from relay.ir.analysis.scope_placement import used_outside
from relay.ir.analysis.scopes import body_scopes, is_atom
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Let, Operator
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.transform.batched_region_records import region_of


class Property(Enum):
    """A property that a module has if it holds for each of the module's functions.

    Every module between two passes is also well-formed; contracts need not state this.
    """

    TYPED = "types on all expressions"
    MONOMORPHIC = "functions without type parameters"
    A_NORMAL_FORM = "A-normal form"
    BASIC_BLOCKS = "basic-block normal form"
    NORMAL_REGIONS = "batched regions in A-normal form"
    FUSED = "operators in kernels only"

    @property
    def remedy(self) -> str:
        """Return advice for users on how to establish the property."""
        return f"run {_ENSURED_BY[self]}"

    def violation(self, module: Module) -> Expr | None:
        """Return an expression that violates the property, or None if the module has it."""
        test = _VIOLATIONS[self]
        found = (expr for function in module.functions.values() for expr in test(function))
        return next(found, None)


def _untyped(root: Function) -> Iterator[Expr]:
    """Yield expressions without a type; global names may rely on the type of their definition."""
    for expr in post_order(root):
        if expr.ty is None and not isinstance(expr, Operator | GlobalVar | Constructor):
            yield expr


def _generic(root: Function) -> Iterator[Expr]:
    """Yield functions that have type parameters, and calls with type arguments."""
    for expr in post_order(root, edges=outside_kernels):
        match expr:
            case Function(type_params=types) | Call(type_arguments=types) if types:
                yield expr
            case _:
                pass


def _unnamed(root: Function) -> Iterator[Expr]:
    """Yield operands that are neither atoms nor bound by a `let`: they violate A-normal form."""
    for expr in post_order(root, edges=outside_kernels):
        for part in body_scopes(expr)[0]:
            if not _is_bound(part, expr) and not is_atom(part):
                yield part


def _unnamed_in_regions(root: Function) -> Iterator[Expr]:
    """Yield operands that violate A-normal form in batched regions, whose calls are deferred."""
    return iter(()) if region_of(root) is None else _unnamed(root)


def _is_bound(part: Expr, user: Expr) -> bool:
    is_value = isinstance(user, Let) and part is user.value and not isinstance(part, Let)
    return is_value or (isinstance(user, Let) and part is user.body)


def _unfused(root: Function) -> Iterator[Expr]:
    """Yield calls of operators outside of kernels, which fusion would have removed."""
    for expr in post_order(root, edges=outside_kernels):
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
            yield expr


_VIOLATIONS: Mapping[Property, Callable[[Function], Iterator[Expr]]] = {
    Property.TYPED: _untyped,
    Property.MONOMORPHIC: _generic,
    Property.A_NORMAL_FORM: _unnamed,
    Property.BASIC_BLOCKS: lambda root: iter(used_outside(root)),
    Property.NORMAL_REGIONS: _unnamed_in_regions,
    Property.FUSED: _unfused,
}

_ENSURED_BY: Mapping[Property, str] = {
    Property.TYPED: "relay.transform.InferType()",
    Property.MONOMORPHIC: "Monomorphize()",
    Property.A_NORMAL_FORM: "ToANormalForm()",
    Property.BASIC_BLOCKS: "ToBasicBlockForm()",
    Property.NORMAL_REGIONS: "BatchRegions()",
    Property.FUSED: "FuseOperators()",
}
"""The passes that ensure each property, as users write them."""

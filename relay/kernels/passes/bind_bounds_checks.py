"""The pass that evaluates bounds checks before the computations that they guard.

A select evaluates only one operand, and a masked vector only its live lanes: a bounds check inside
it would skip the others. Therefore each store's bounds checks are bound to variables before the
store, and hoisted out of loops on whose variables they do not depend.
"""

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import For, Kernel, Let, Stmt, Store
from relay.kernels.passes.traverse_statements import expressions, map_scalars, rebuilt, statements
from relay.kernels.scalar import Scalar, Var
from relay.kernels.traverse_scalars import rewrite, walk
from relay.support.node import replace


def bind_bounds_checks(kernel: Kernel) -> Kernel:
    """Return the kernel with each store's bounds checks bound to variables before it."""
    parts = walk(*(e for stmt in statements(kernel.body) for e in expressions(stmt)))
    if not any(isinstance(part, BoundsCheck) for part in parts):
        return kernel
    return replace(kernel, body=_bound(*_split(kernel.body)))


def _split(stmt: Stmt) -> tuple[Stmt, dict[BoundsCheck, Var]]:
    """Return a statement without bounds checks, and the checks to bind around it.

    It recurses on the depth of loop nests.
    """
    match stmt:
        case Store():
            return _without_tests(stmt)
        case For(var=var, body=body):
            inner, tests = _split(body)
            here = _dependent(tests, var)
            outside = {test: name for test, name in tests.items() if test not in here}
            return replace(stmt, body=_bound(inner, here)), outside
        case _:
            return rebuilt(stmt, lambda part: _bound(*_split(part))), {}


def _without_tests(store: Store) -> tuple[Stmt, dict[BoundsCheck, Var]]:
    tests: dict[BoundsCheck, Var] = {}
    memo: dict[Scalar, Scalar] = {}

    def name(part: Scalar) -> Scalar:
        return tests.setdefault(part, Var("place")) if isinstance(part, BoundsCheck) else part

    def change(e: Scalar) -> Scalar:
        return rewrite(e, name, memo)

    return map_scalars(store, change, lambda changed: changed), tests


def _dependent(tests: dict[BoundsCheck, Var], var: Var) -> dict[BoundsCheck, Var]:
    """Return those bounds checks that depend on a variable, directly or through another check."""
    found: dict[BoundsCheck, Var] = {}
    moving = {var}
    for test, name in tests.items():  # inner checks precede those that contain them
        if not moving.isdisjoint(walk(test)):
            found[test] = name
            moving.add(name)
    return found


def _bound(stmt: Stmt, tests: dict[BoundsCheck, Var]) -> Stmt:
    """Return a statement inside bindings of bounds checks, the first one outermost."""
    for test, name in reversed(tests.items()):
        stmt = Let(name, test, stmt)
    return stmt

"""Checks of programs for users: well-formedness, complete matches, normal forms."""

from collections.abc import Callable, Sequence

from relay.ir.analysis.scope_placement import used_outside
from relay.ir.expr import Constant, Expr, Function, GlobalVar, Tuple
from relay.ir.field_validation import require, require_callable
from relay.ir.match_patterns import Match, Pattern, PatternConstructor, PatternTuple
from relay.ir.module import HasModule, Module, ModuleLike, module_of
from relay.ir.walk import free_vars, post_order
from relay.semantics.analysis.variables import free_type_vars
from relay.semantics.exhaustiveness import missing_cases, unreachable
from relay.semantics.scope_checks import scope_errors
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.late_binding import module_above


def well_formed(program: Expr | ModuleLike) -> bool:
    """Whether each variable is bound once and used in its scope.

    Expressions may have free variables and free type parameters, and may name functions and data
    types of any module.

    >>> from relay.ir.expr import Let, Var
    >>> x, y = Var("x"), Var("y")
    >>> well_formed(Let(x, y, x)), well_formed(Let(x, x, x))
    (True, False)
    """
    if isinstance(program, ModuleLike):
        return not scope_errors(program.module)
    types = tuple(free_type_vars(program))
    closed = Function(tuple(free_vars(program)), program, type_params=types)
    named = {each.name for each in post_order(program) if isinstance(each, GlobalVar)}
    return not scope_errors(Module(dict.fromkeys(named, closed)), {"": closed})


def unmatched_cases(match: Match, mod: HasModule | None = None) -> list[Pattern]:
    """Return up to four patterns that describe values which no clause of a match matches.

    `mod` defines the data types; it may be omitted if the constructors in the patterns are those of
    the prelude. Raises `T027` for other constructors without a module.
    """
    require(Match, "the argument of unmatched_cases", match)
    patterns = [clause.pattern for clause in match.clauses]
    module = _prelude_for(patterns) if mod is None else module_of(mod)
    return missing_cases(patterns, module.alternatives)


def _prelude_for(patterns: Sequence[Pattern]) -> Module:
    """Return the prelude; raises `T027` if a pattern has a constructor of another data type."""
    module: Module = module_above("relay.prelude").library("prelude.rly")
    known = {*module.constructors().values()}
    pending = [*patterns]
    while pending:
        each = pending.pop()
        if isinstance(each, PatternConstructor) and each.constructor not in known:
            head = each.constructor.belongs_to
            message = f"the definition of the data type {head} is not known without a module"
            help_ = f"pass the module that defines {head}: unmatched_cases(match, mod)"
            raise RelayTypeError(ErrorCode.T027, message, help=help_)
        if isinstance(each, PatternConstructor | PatternTuple):
            pending += each.patterns
    return module


def redundant_clauses(match: Match, mod: HasModule) -> list[int]:
    """Return the indices of unreachable clauses: earlier clauses match all their values."""
    require(Match, "the argument of redundant_clauses", match)
    return unreachable([clause.pattern for clause in match.clauses], module_of(mod).alternatives)


def post_order_visit(expr: Expr, visit: Callable[[Expr], object]) -> None:
    """Call a function with each node once, children before parents."""
    require(Expr, "the argument of post_order_visit", expr)
    require_callable("the argument visit", visit)
    for each in post_order(expr):
        visit(each)


def check_basic_block_normal_form(expr: Expr) -> None:
    """Raise `T049` if a scope uses a value of an enclosing scope that is not bound to a variable.

    Scopes are the bodies of functions, branches and clauses. `ToBasicBlockNormalForm` binds such
    values.
    """
    found = next(iter(used_outside(expr)), None)
    if found is not None:
        message = (
            "a function body or branch uses a value from outside of it, which a let must bind to "
            "a variable"
        )
        help_ = "apply relay.transform.ToBasicBlockNormalForm(), which binds such values"
        raise RelayTypeError(ErrorCode.T049, message, span=found.span, help=help_)


def check_constant(expr: Expr) -> bool:
    """Whether an expression is a constant, or a tuple of constants.

    >>> import numpy as np
    >>> from relay.ir.expr import Var
    >>> one = Constant(np.float32(1.0))
    >>> check_constant(Tuple((one, one))), check_constant(Tuple((one, Var("x"))))
    (True, False)
    """
    return all(isinstance(each, Constant | Tuple) for each in post_order(expr))

"""TVM's pattern rewriting: classes that consist of a pattern and a callback for its matches."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from relay.ir.dataflow.matching import Found, Matchable, Memo, head_of
from relay.ir.dataflow.patterns import DFPattern
from relay.ir.equality import structural_equal
from relay.ir.expr import Expr, Operator
from relay.ir.field_validation import require
from relay.ir.module import Module, ModuleLike, module_of
from relay.ir.use_counts import use_counts
from relay.ir.walk import children, fold, post_order, with_children
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.transform.expression_module import module_around

MOST_SWEEPS = 100
"""The maximum number of sweeps that change a program before callbacks count as non-terminating."""
MOST_GROWTH = 200
"""The factor by which a program may grow, and the minimum number of nodes by which it may grow."""


class DFPatternCallback:
    """The base class of users' rewrites: a subclass sets `self.pattern` and defines `callback`.

    With `require_type` types are inferred before each search. With `rewrite_once` the callback is
    disabled after the first sweep in which it has changed something.

    >>> from relay.ir.dataflow.patterns import operators, wildcard
    >>> from relay.ir.expr import Call, Var
    >>> from relay.ops.elementwise import Abs, Negative
    >>> class DropSign(DFPatternCallback):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.x = wildcard()
    ...         self.pattern = operators(Abs)(operators(Negative)(self.x))
    ...     def callback(self, pre, post, node_map):
    ...         return Call(Abs(), (node_map[self.x][0],))
    >>> x = Var("x")
    >>> DropSign().rewrite(Call(Abs(), (Call(Negative(), (x,)),))).args == (x,)
    True
    """

    pattern: DFPattern[Any]

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.require_type = require_type
        self.rewrite_once = rewrite_once

    def callback(
        self, pre: Expr, post: Expr, node_map: Mapping[DFPattern[Any], Sequence[Expr]]
    ) -> Expr:
        """Return the replacement of a match, or `post` to leave it unchanged.

        `pre` is the original expression, `post` has rewritten operands, and `node_map` maps each
        part of the pattern to the list of expressions that it matched in `post`.
        """
        raise UsageError(
            ErrorCode.U302,
            f"the class {type(self).__name__} does not define how to replace a match",
            help="define a method callback(self, pre, post, node_map) in the class",
        )

    def rewrite(self, expr: Expr) -> Expr:
        """Return the expression with this callback applied until nothing changes."""
        return rewrite(self, expr)


def rewrite(
    callbacks: DFPatternCallback | Sequence[DFPatternCallback],
    expr: Expr,
    mod: ModuleLike | None = None,
) -> Expr:
    """Return the expression with callbacks applied, in order, until none changes anything.

    Each callback sweeps through the program once, operands first. Of overlapping matches, the outer
    one is replaced, so that the longest form of an `optional` pattern is. `mod` defines the
    functions that are called, for callbacks that need types. Raises `U300` if the callbacks never
    reach a fixpoint.
    """
    require(Expr, "the expression to rewrite", expr)
    module = None if mod is None else module_of(mod)
    waiting = [callbacks] if isinstance(callbacks, DFPatternCallback) else _several(callbacks)
    for each in waiting:
        require_pattern(each)
    most = MOST_GROWTH * (len(post_order(expr)) + 1)
    for _ in range(MOST_SWEEPS):
        before, is_done = expr, True
        for each in [*waiting]:
            typed = _typed(expr, module) if each.require_type else expr
            expr = _sweep(each, typed)
            is_done &= expr is typed
            if each.rewrite_once and expr is not typed:
                waiting.remove(each)
        if is_done or structural_equal(expr, before, map_free_vars=True):
            return expr
        if len(post_order(expr)) > most:
            break
    help_ = "change the pattern, so that it does not match expressions that the callback returns"
    raise UsageError(
        ErrorCode.U300,
        "the callbacks never finish: each result matches a pattern again",
        help=help_,
    )


def _several(callbacks: object) -> list[DFPatternCallback]:
    if not isinstance(callbacks, Iterable):
        require_pattern(callbacks)
    return list(cast("Iterable[DFPatternCallback]", callbacks))


def require_pattern(callback: object) -> None:
    """Check that an object is an initialised callback with a pattern; raises `U302` otherwise."""
    name = type(callback).__name__
    if not isinstance(callback, DFPatternCallback) or not isinstance(
        getattr(callback, "pattern", None), Matchable
    ):
        message = f"the object {name} has no pattern to search for"
        help_ = "derive from DFPatternCallback, and set self.pattern"
        raise UsageError(ErrorCode.U302, message, help=help_)
    if not (hasattr(callback, "require_type") and hasattr(callback, "rewrite_once")):
        message = f"the method __init__ of {name} does not call that of DFPatternCallback"
        help_ = "call super().__init__() in it first"
        raise UsageError(ErrorCode.U302, message, help=help_)


def _sweep(callback: DFPatternCallback, expr: Expr) -> Expr:
    """Return the program with a callback applied once to each match, operands first.

    1. Matches are searched from the result to the inputs, and not at the inner nodes of a match: of
    overlapping matches, the outer one is replaced.
    2. A node that gets new operands is matched again, as it may match only now.
    """
    search = _Search(callback.pattern, expr)
    roots, inner = search.matches()

    def visit(pre: Expr, new: list[Expr]) -> Expr:
        post = with_children(pre, new)
        if pre in inner:
            return post
        found = roots.get(pre) if post is pre else search.at(post)
        if found is None:
            return post
        node_map: dict[Any, list[Expr]] = {}
        for pattern, part in found.pairs:
            node_map.setdefault(pattern, []).append(part)
        made = callback.callback(pre, post, node_map)
        require(Expr, "the result of a callback", made)
        return made

    return fold(expr, visit)


class _Search:
    """The search for the matches of a pattern in a program."""

    def __init__(self, pattern: DFPattern[Any], root: Expr) -> None:
        self._pattern = pattern
        self._root = root
        self._uses = use_counts(root)
        self._memo = Memo()

    def at(self, expr: Expr) -> Found | None:
        """Return the match at an expression; None if there is none."""
        if not self._pattern.may_match(head_of(expr)):
            return None
        found = Found(lambda part: self._uses[part], self._memo)
        return found if found.matches(self._pattern, expr) else None

    def matches(self) -> tuple[dict[Expr, Found], set[Expr]]:
        """Return the matches by their roots, and the inner nodes of these matches."""
        roots, inner = dict[Expr, Found](), set[Expr]()
        for expr in reversed(post_order(self._root)):
            found = None if expr in inner else self.at(expr)
            if found is not None:
                roots[expr] = found
                inner |= {part for pattern, part in found.pairs if _is_inner(pattern, part, expr)}
        return roots, inner


def _is_inner(pattern: Matchable[Any], part: Expr, root: Expr) -> bool:
    """Whether a pair of a match at `root` is a computed node of the match other than the root."""
    return pattern.is_inside and part is not root and bool(children(part))


def _typed(expr: Expr, module: Module | None) -> Expr:
    """Return an expression with all types, inferred in the module that it belongs to."""
    if all(each.ty is not None or isinstance(each, Operator) for each in post_order(expr)):
        return expr
    return module_around(expr, module).typed

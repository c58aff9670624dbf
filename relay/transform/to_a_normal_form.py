"""The pass to A-normal form: every intermediate value gets a name, which fixes evaluation order."""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import ClassVar, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import body_scopes, is_atom
from relay.ir.expr import (
    Expr,
    Function,
    Let,
    Var,
)
from relay.ir.walk import outside_kernels, with_children
from relay.support.node import value
from relay.transform.lazy_placement import computed_lazily
from relay.transform.module_properties import Property
from relay.transform.pass_contract import NONE, Properties
from relay.transform.pipeline import FunctionPass


@value
class ToANormalForm(FunctionPass):
    """Bind the value of every node by a `let`, in the scope to which the node belongs.

    Sabry, Felleisen: Reasoning about Programs in Continuation-Passing Style (1992).

    1. A node that is used in several scopes (bodies, branches, clauses) belongs to the innermost
       scope around all its uses, so that it is still computed once. If it may trap or has an
       effect, it is computed there only if that scope certainly needs it; otherwise the first
       nested scope that needs it computes it.
    2. Variables, constants, global names, constructors, operators and kernels are not bound.
    3. The final expression of a scope is not bound, so that tail calls remain tail calls.
    """

    ensures: ClassVar[Properties] = frozenset({Property.A_NORMAL_FORM, Property.BASIC_BLOCKS})
    breaks: ClassVar[Properties] = NONE

    def run(self, function: Function) -> Function:
        """Return the function in A-normal form."""
        return LetBinder(computed_lazily(function), _always).run()


def _always(_: Expr) -> bool:
    return True


def _may_rename(let: Let, bound: Expr) -> bool:
    """Whether a let may name what a generated variable is bound to.

    A function calls itself by the name of the let. Uses of other values know their sizes by the
    names in the type of the generated variable.
    """
    return isinstance(bound, Function) or bound.ty == let.var.ty


class _Stage(Enum):
    ENTER = 0
    BIND = 1  # the value of a let has been visited, its body has not
    LEAVE = 2


class LetBinder:
    """A rewriter that binds the values of a function's nodes to variables.

    `atoms` maps visited nodes to the variables, constants and other leaves that represent them.
    Nodes that `is_named` accepts are bound; nested lets move out of operands.
    """

    def __init__(self, function: Function, is_named: Callable[[Expr], bool]) -> None:
        self._function = function
        self._is_named = is_named
        self._placement = Placement(function)
        self._bindings: dict[int, list[tuple[Var, Expr]]] = {}
        self._atoms: dict[Expr, Expr] = {}
        self._named: dict[Expr, list[Expr]] = {}  # the nodes bound to each generated variable
        self._read: set[Expr] = set()  # the variables and leaves that rebuilt nodes read

    def run(self) -> Function:
        """Return the rewritten function.

        Children are visited before parents, and the value of a let before its body.
        """
        stack: list[tuple[Expr, _Stage]] = [(self._function, _Stage.ENTER)]
        seen: set[Expr] = set()
        while stack:
            expr, stage = stack.pop()
            if stage is _Stage.LEAVE:
                self._leave(expr)
            elif isinstance(expr, Let) and stage is _Stage.BIND:
                self._bind(expr)
            elif expr not in seen:
                seen.add(expr)
                stack.extend(reversed(list(_steps(expr))))
        return cast("Function", self._atoms[self._function])

    def _bind(self, let: Let) -> None:
        """Let the variable of a let represent its value.

        It replaces the variable that was just generated for the value, unless that is read already.
        """
        home = self._bindings.setdefault(self._placement.owner(let), [])
        value = self._atoms[let.value]
        is_new = value in self._named and value not in self._read
        if is_new and home and home[-1][0] is value and _may_rename(let, home[-1][1]):
            home[-1] = (let.var, home[-1][1])
            for node in self._named.pop(value):
                self._atoms[node] = let.var
        else:
            self._read.add(value)
            home.append((let.var, value))

    def _leave(self, expr: Expr) -> None:
        """Record the variable or leaf that represents a node whose children were all visited."""
        if isinstance(expr, Let):
            result = self._atoms[expr] = self._atoms[expr.body]
            if result in self._named:
                self._named[result].append(expr)
            return
        new = self._rebuilt(expr)
        if expr is self._function or is_atom(expr) or not self._is_named(expr):
            self._atoms[expr] = new
            return
        # Only without an annotation is a literal for tensors of any size still one by its name.
        annotation = None if isinstance(expr, Function) else expr.ty
        name = Var("x", annotation, span=expr.span, ty=expr.ty)
        self._bindings.setdefault(self._placement.owner(expr), []).append((name, new))
        self._atoms[expr] = name
        self._named[name] = [expr]

    def _rebuilt(self, expr: Expr) -> Expr:
        outside, inside = body_scopes(expr)
        new = [self._atoms[part] for part in outside]
        for scope, (*bound, body) in zip(self._placement.scopes(expr), inside, strict=True):
            new += [self._atoms[var] for var in bound]
            new.append(self._body(scope, body))
        self._read.update(new)
        return with_children(expr, new) if new else expr

    def _body(self, scope: int, root: Expr) -> Expr:
        """Return the expression of a scope: its bindings around its final expression `root`."""
        bindings = self._bindings.pop(scope, [])
        result = self._atoms[root]
        while bindings and bindings[-1][0] is result and _is_alike(*bindings[-1]):  # case 3
            result = bindings.pop()[1]
        for var, bound in reversed(bindings):
            result = Let(var, bound, result, span=bound.span, ty=result.ty)
        return result


def _steps(expr: Expr) -> Iterator[tuple[Expr, _Stage]]:
    """Yield the stages of visiting a node in order: those of its children, then its own."""
    if isinstance(expr, Let):
        yield (expr.var, _Stage.ENTER)
        yield (expr.value, _Stage.ENTER)
        yield (expr, _Stage.BIND)
        yield (expr.body, _Stage.ENTER)
    else:
        for child in outside_kernels(expr):
            yield (child, _Stage.ENTER)
    yield (expr, _Stage.LEAVE)


def _is_alike(var: Var, bound: Expr) -> bool:
    return var.ty is bound.ty or bound.ty is None

"""Where each value of a program stands: in the innermost scope that all its uses are in.

A scope is a block of text: the body of a function, a branch, a clause, and of a `let` both its
value and what follows it. Sharing is meaning (`relay.ir.expr`): what two branches use is one value,
whichever of them needs it first, and so its text must stand before the choice between them.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.patterns import Match
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.walk import post_order


def is_atom(expr: Expr) -> bool:
    """Whether an expression is a word by itself, written wherever it is used."""
    return isinstance(expr, _ATOMS)


_ATOMS = (Var, GlobalVar, Constant, Operator, Constructor)


class Scopes:
    """The scopes of one expression, numbered from 0, the outermost, and what belongs to each.

    `members[s]` lists the values that stand in scope `s`, operands before what uses them; `order`
    lists all nodes, operands first, those included that are only bound.
    """

    def __init__(self, root: Expr) -> None:
        self.order = order = post_order(root)
        self._tree = Tree()
        self._home: dict[int, int] = {id(root): 0}
        self._blocks: dict[int, int] = {}
        self._shared: set[int] = set()
        for expr in reversed(order):  # users before what they use
            self._visit(expr)

    @cached_property
    def members(self) -> list[list[Expr]]:
        """Return for each scope the values that stand in it."""
        members: list[list[Expr]] = [[] for _ in range(self._tree.size)]
        for expr in self.order:
            if id(expr) in self._home and not is_atom(expr):
                members[self._home[id(expr)]].append(expr)
        return members

    def is_shared(self, expr: Expr) -> bool:
        """Whether an expression is used more than once."""
        return id(expr) in self._shared

    def is_used(self, expr: Expr) -> bool:
        """Whether an expression is used at all: a variable may only be bound."""
        return id(expr) in self._home

    def home(self, expr: Expr) -> int:
        """Return the scope in which an expression that is used stands."""
        return self._home[id(expr)]

    def block(self, expr: Expr, index: int = 0) -> int:
        """Return the scope of a block that is written inside an expression."""
        return self._blocks[id(expr)] + index

    def is_inside(self, scope: int, outer: int) -> bool:
        """Whether a scope is another one, or stands in it at any depth."""
        return self._tree.common(scope, outer) == outer

    def _visit(self, expr: Expr) -> None:
        home = self._home.get(id(expr))
        if home is None or is_atom(expr):
            return  # a variable that is only bound, or a word
        for part in operands(expr):
            self._use(part, home)
        inner = blocks(expr)
        if inner:
            self._blocks[id(expr)] = self._tree.size
            for part in inner:
                self._use(part, self._tree.add(home))

    def _use(self, expr: Expr, scope: int) -> None:
        known = self._home.get(id(expr))
        if known is None:
            self._home[id(expr)] = scope
        else:
            self._shared.add(id(expr))
            self._home[id(expr)] = self._tree.common(known, scope)


class Tree:
    """Scopes and the scope around each; every one also knows a far ancestor to jump to.

    The jumps are those of a skew binary number of the depth, so that the common ancestor of two
    scopes takes a time logarithmic in their depth: a body of 100,000 `let` is that deep.
    """

    def __init__(self) -> None:
        self._parent, self._jump, self._depth = [0], [0], [0]

    @property
    def size(self) -> int:
        """Return how many scopes there are."""
        return len(self._parent)

    def depth(self, scope: int) -> int:
        """Return how many scopes are around one."""
        return self._depth[scope]

    def add(self, parent: int) -> int:
        """Return a new scope inside another."""
        jump, depth = self._jump, self._depth
        near, far = jump[parent], jump[jump[parent]]
        same = depth[parent] - depth[near] == depth[near] - depth[far]
        self._parent.append(parent)
        jump.append(far if same else parent)
        depth.append(depth[parent] + 1)
        return len(depth) - 1

    def common(self, a: int, b: int) -> int:
        """Return the innermost scope around both."""
        depth, jump, parent = self._depth, self._jump, self._parent
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            a = jump[a] if depth[jump[a]] >= depth[b] else parent[a]
        while a != b:
            far = jump[a] != jump[b]
            a, b = (jump[a], jump[b]) if far else (parent[a], parent[b])
        return a


_OPERANDS: dict[type[Expr], Callable[[Any], Sequence[Expr]]] = {
    Call: lambda call: call.args if isinstance(call.op, Operator) else (*call.args, call.op),
    Tuple: lambda expr: expr.fields,
    TupleGetItem: lambda expr: (expr.tuple_value,),
    If: lambda expr: (expr.condition,),
    Match: lambda expr: (expr.data,),
    RefCreate: lambda expr: (expr.value,),
    RefRead: lambda expr: (expr.ref,),
    RefWrite: lambda expr: (expr.ref, expr.value),
}

_BLOCKS: dict[type[Expr], Callable[[Any], Sequence[Expr]]] = {
    Let: lambda expr: (expr.value, expr.body),
    If: lambda expr: (expr.then, expr.other),
    Function: lambda expr: (expr.body,),
    Match: lambda expr: [clause.body for clause in expr.clauses],
}


def operands(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions that are computed in the scope of the expression itself."""
    found = _OPERANDS.get(type(expr))
    return () if found is None else found(expr)


def blocks(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions that have a scope of their own."""
    found = _BLOCKS.get(type(expr))
    return () if found is None else found(expr)

"""Visitors of expressions with one method for each kind of node, as in TVM.

`visit(expr)` calls the method for the kind of the node; each shared node is visited once. A method
visits the children itself by calling `visit`, in any order. This recursion uses the machine stack,
because its steps are methods of user code; every `LEVELS` levels it therefore continues on a new
stack (`relay.support.deep_recursion`), and programs may be as deep as memory allows.

For a bottom-up rewrite of all nodes, use `relay.ir.walk.rewrite` instead.
"""

from typing import Any, ClassVar

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
from relay.ir.match_patterns import Clause, Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.walk import with_children
from relay.support.deep_recursion import on_a_new_stack
from relay.support.error_codes import ErrorCode
from relay.support.errors import NoMethodError
from relay.support.node import replace

LEVELS = 100
"""The number of visit levels on one stack: with nine Python calls each, Python's limit holds."""


class ExprFunctor:
    """The base of functions on expressions; a subclass has a method for each kind of node.

    >>> class Depth(ExprFunctor):
    ...     def visit_var(self, var):
    ...         return 0
    ...     def visit_call(self, call):
    ...         return 1 + max(self.visit(arg) for arg in call.args)
    >>> from relay.ops.functions import const, var
    >>> x = var("x", shape=(2,))
    >>> Depth().visit(x + x + x)
    2

    Raises `U071` for a kind of node for which there is no method.
    """

    METHODS: ClassVar[dict[type[Expr], str]] = {
        Call: "visit_call",
        Constant: "visit_constant",
        Constructor: "visit_constructor",
        Function: "visit_function",
        GlobalVar: "visit_global_var",
        If: "visit_if",
        Let: "visit_let",
        Match: "visit_match",
        RefCreate: "visit_ref_create",
        RefRead: "visit_ref_read",
        RefWrite: "visit_ref_write",
        Tuple: "visit_tuple",
        TupleGetItem: "visit_tuple_getitem",
        Var: "visit_var",
    }

    def __init__(self) -> None:
        self.memo_map: dict[Expr, Any] = {}
        self._level = 0

    def visit(self, expr: Expr) -> Any:
        """Return the result for a node, computed when it is first visited."""
        if expr not in self.memo_map:
            self._level += 1
            try:
                deep = self._level % LEVELS == 0
                found = on_a_new_stack(lambda: self._visit(expr)) if deep else self._visit(expr)
            finally:
                self._level -= 1
            self.memo_map[expr] = found
        return self.memo_map[expr]

    def _visit(self, expr: Expr) -> Any:
        name = "visit_op" if isinstance(expr, Operator) else self.METHODS.get(type(expr))
        method = getattr(self, name, None) if name is not None else None
        if method is None:
            kind, wanted = type(expr).__name__, name or "visit"
            message = f"the class {type(self).__name__} has no method for a {kind}"
            raise NoMethodError(
                ErrorCode.U071,
                message,
                span=expr.span,
                help=f"define a method {wanted}(self, node) in the class",
            )
        return method(expr)


class ExprVisitor(ExprFunctor):
    """A visitor of all nodes; an overriding method calls `super()` or `visit` to continue.

    >>> class Operators(ExprVisitor):
    ...     names = ()
    ...     def visit_op(self, op):
    ...         self.names += (op.name,)
    >>> from relay.ops.functions import var
    >>> operators, x = Operators(), var("x", shape=(2,))
    >>> operators.visit(x * 2 + 1)
    >>> operators.names
    ('add', 'multiply')
    """

    def visit_call(self, call: Call) -> None:
        """Visit the callee, and then the arguments."""
        self._all(call.op, *call.args)

    def visit_tuple(self, tup: Tuple) -> None:
        """Visit the fields."""
        self._all(*tup.fields)

    def visit_tuple_getitem(self, get: TupleGetItem) -> None:
        """Visit the tuple."""
        self.visit(get.tuple_value)

    def visit_function(self, fn: Function) -> None:
        """Visit the parameters, and then the body."""
        self._all(*fn.params, fn.body)

    def visit_let(self, let: Let) -> None:
        """Visit the variable, its value, and then the body."""
        self._all(let.var, let.value, let.body)

    def visit_if(self, i: If) -> None:
        """Visit the condition and the branches."""
        self._all(i.condition, i.then, i.other)

    def visit_match(self, m: Match) -> None:
        """Visit the scrutinee, and the bodies of the clauses."""
        self._all(m.data, *(clause.body for clause in m.clauses))

    def visit_ref_create(self, r: RefCreate) -> None:
        """Visit the initial content."""
        self.visit(r.value)

    def visit_ref_read(self, r: RefRead) -> None:
        """Visit the reference."""
        self.visit(r.ref)

    def visit_ref_write(self, r: RefWrite) -> None:
        """Visit the reference and its new content."""
        self._all(r.ref, r.value)

    def visit_var(self, var: Var) -> None:
        """Do nothing: a variable has no parts."""

    def visit_global_var(self, gvar: GlobalVar) -> None:
        """Do nothing: a global variable has no parts."""

    def visit_constant(self, const: Constant) -> None:
        """Do nothing: a constant has no parts."""

    def visit_constructor(self, con: Constructor) -> None:
        """Do nothing: a constructor has no parts."""

    def visit_op(self, op: Operator) -> None:
        """Do nothing: an operator has no parts."""

    def _all(self, *parts: Expr) -> None:
        for part in parts:
            self.visit(part)


class ExprMutator(ExprFunctor):
    """A visitor that returns a rewritten expression; unchanged nodes are the same objects.

    Types are recomputed if the types of children changed, also for variables without annotation
    that are bound to a value of another type.

    >>> class Halve(ExprMutator):
    ...     def visit_constant(self, const):
    ...         return type(const)(const.data / 2)
    >>> from relay.ops.functions import var
    >>> print(str(Halve().visit(var("x", shape=(2,)) * 3)).splitlines()[-1])
    multiply(%x, 1.5f)
    """

    def visit_call(self, call: Call) -> Expr:
        """Visit the callee, and then the arguments; return the new call."""
        op, *args = self._all(call.op, *call.args)
        return with_children(call, (*args, op))

    def visit_tuple(self, tup: Tuple) -> Expr:
        """Visit the fields; return the new tuple."""
        return with_children(tup, self._all(*tup.fields))

    def visit_tuple_getitem(self, op: TupleGetItem) -> Expr:
        """Visit the tuple; return the new field access."""
        return with_children(op, self._all(op.tuple_value))

    def visit_function(self, fn: Function) -> Expr:
        """Visit the parameters, and then the body; return the new function."""
        return with_children(fn, self._all(*fn.params, fn.body))

    def visit_let(self, let: Let) -> Expr:
        """Visit the variable, its value, and then the body; return the new binding."""
        var, value = self._all(let.var, let.value)
        if var is let.var and var.annotation is None and value.ty is not let.value.ty:
            var = self.memo_map[let.var] = Var(var.name, ty=value.ty, span=var.span)
        return with_children(let, (var, value, self.visit(let.body)))

    def visit_if(self, ite: If) -> Expr:
        """Visit the condition and the branches; return the new `if`."""
        return with_children(ite, self._all(ite.condition, ite.then, ite.other))

    def visit_match(self, m: Match) -> Expr:
        """Visit the scrutinee and the bodies of the clauses; patterns stay unchanged."""
        data, *bodies = self._all(m.data, *(clause.body for clause in m.clauses))
        pairs = list(zip(m.clauses, bodies, strict=True))
        if data is m.data and all(clause.body is body for clause, body in pairs):
            return m
        clauses = tuple(Clause(clause.pattern, body) for clause, body in pairs)
        return replace(m, data=data, clauses=clauses, ty=None)

    def visit_ref_create(self, r: RefCreate) -> Expr:
        """Visit the initial content; return the new expression."""
        return with_children(r, self._all(r.value))

    def visit_ref_read(self, r: RefRead) -> Expr:
        """Visit the reference; return the new expression."""
        return with_children(r, self._all(r.ref))

    def visit_ref_write(self, r: RefWrite) -> Expr:
        """Visit the reference and its new content; return the new expression."""
        return with_children(r, self._all(r.ref, r.value))

    def visit_var(self, var: Var) -> Expr:
        """Return the variable."""
        return var

    def visit_global_var(self, gvar: GlobalVar) -> Expr:
        """Return the global variable."""
        return gvar

    def visit_constant(self, const: Constant) -> Expr:
        """Return the constant."""
        return const

    def visit_constructor(self, con: Constructor) -> Expr:
        """Return the constructor."""
        return con

    def visit_op(self, op: Operator) -> Expr:
        """Return the operator."""
        return op

    def _all(self, *parts: Expr) -> list[Any]:
        return [self.visit(part) for part in parts]

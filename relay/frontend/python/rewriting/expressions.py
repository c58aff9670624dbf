"""Rewrite expressions to call hooks: conditions, comparisons, calls, reads, comprehensions."""

import ast
from copy import deepcopy
from types import FunctionType
from typing import Any

from relay.frontend.python.rewriting.ast_helpers import (
    assigned,
    hook,
    index_of,
    lambda_of,
    name_of,
    parameters,
    placed,
    strings,
)
from relay.frontend.python.rewriting.source_locations import Code
from relay.frontend.python.rewriting.unsupported_syntax import unsupported_expression


class Scope:
    """The local variables of a function that is being rewritten, and the shared ones among them."""

    def __init__(self, names: set[str], shared: set[str]) -> None:
        self.names, self.shared = names, shared


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites the expressions of a function; a subclass rewrites nested functions."""

    def __init__(self, source: Code, function: FunctionType) -> None:
        self._source = source
        self._free = set(function.__code__.co_freevars)
        self._scopes: list[Scope] = []
        self._count = 0
        self._reads: list[ast.Name] = []
        self._later = 0  # how many lambdas of hooks are around
        self.patterns: list[ast.pattern] = []
        self.outside: set[str] = set()

    def function(self, at: Any) -> Any:
        """Return a function definition or a lambda with hooks."""
        raise AssertionError("a subclass knows statements")

    def _lambda(self, value: ast.expr) -> ast.expr:
        return lambda_of(value)

    def _lazily(self, at: ast.expr, *, condition: bool = False) -> ast.expr:
        """Return an operand as a lambda, which a hook evaluates if it needs the value."""
        self._later += 1
        made = self._condition(at) if condition else self.visit(at)
        self._later -= 1
        return lambda_of(made)

    def _condition(self, at: ast.expr) -> ast.expr:
        """Rewrite an expression of which only the truth value matters."""
        if isinstance(at, ast.BoolOp):
            name = "all_of" if isinstance(at.op, ast.And) else "any_of"
            return placed(
                hook(name, [self._lazily(each, condition=True) for each in at.values]), at
            )
        if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.Not):
            return placed(hook("negated", [self._condition(at.operand)]), at)
        return self.visit(at)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Rewrite `a and b` or `a or b` to a hook that returns one of the operands."""
        name = "both" if isinstance(node.op, ast.And) else "either"
        return placed(hook(name, [self._lazily(each) for each in node.values]), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Rewrite `not a` to a hook."""
        if isinstance(node.op, ast.Not):
            return self._condition(node)
        return super().generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Rewrite `a if c else b` to a hook that evaluates one of the arms, or traces both."""
        test = self._condition(node.test)
        return placed(
            hook("choose", [test, self._lazily(node.body), self._lazily(node.orelse)]), node
        )

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Rewrite chained comparisons, `==`, `in` and `is` to hooks."""
        signs = [type(each).__name__ for each in node.ops]
        if len(signs) == 1 and signs[0] in ("Lt", "LtE", "Gt", "GtE"):
            return super().generic_visit(node)
        left, first = self.visit(node.left), self.visit(node.comparators[0])
        others = [self._lazily(each) for each in node.comparators[1:]]
        return placed(hook("compared", [strings(signs), left, first, *others]), node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        """Keep `:=`; raises `F107` inside a lambda, which would own the variable."""
        if self._later:
            raise unsupported_expression(node, self._source.span(node))
        return super().generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        """Rewrite calls to a hook."""
        super().generic_visit(node)
        return placed(hook("call", [node.func, *node.args], node.keywords), node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Rewrite reads of attributes to a hook."""
        super().generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return placed(hook("attribute", [node.value, ast.Constant(node.attr)]), node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Rewrite reads of items to a hook."""
        super().generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return placed(hook("item", [node.value, index_of(node.slice)]), node)

    def visit_Name(self, node: ast.Name) -> Any:
        """Rewrite reads of names from outside the function to a hook."""
        known = any(node.id in scope.names for scope in self._scopes)
        if not isinstance(node.ctx, ast.Load) or known or node.id.startswith("__"):
            return node
        self.outside.add(node.id)
        return placed(hook("outside", [node]), node)

    def _comprehension(self, node: Any, name: str) -> Any:
        element_at = [] if isinstance(node, ast.DictComp) else [node.elt]
        makes_functions = any(
            isinstance(each, ast.Lambda) for at in element_at for each in ast.walk(at)
        )
        own = {each for part in node.generators for each in assigned([part.target])}
        first = node.generators[0].iter = self.visit(node.generators[0].iter)
        self._scopes.append(Scope(own, set()))
        for number, part in enumerate(node.generators):
            if number:
                part.iter = self.visit(part.iter)
            part.ifs = [self._condition(each) for each in part.ifs]
        element: list[ast.expr] = []
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
            element = [node.elt]
        self._scopes.pop()
        if len(node.generators) == 1 and element and name and not makes_functions:
            part = node.generators[0]
            tests = [self._each(part.target, each) for each in part.ifs]
            return placed(hook(name, [first, self._each(part.target, element[0]), *tests]), node)
        for part in node.generators:
            part.iter = placed(hook("items", [part.iter]), part.iter)
        return node

    def _each(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """Return a function of one item, which is unpacked into the names of `target`."""
        if isinstance(target, ast.Name):
            return placed(ast.Lambda(parameters([target.id]), value), value)
        one = ast.comprehension(deepcopy(target), ast.Tuple([name_of("__item")], ast.Load()), [], 0)
        listed = ast.Subscript(ast.ListComp(value, [one]), ast.Constant(0), ast.Load())
        return placed(ast.Lambda(parameters(["__item"]), listed), value)

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        """Rewrite a list comprehension."""
        return self._comprehension(node, "listed")

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        """Rewrite a generator expression, all of whose items are computed."""
        return self._comprehension(node, "listed")

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        """Rewrite a set comprehension."""
        return self._comprehension(node, "")

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        """Rewrite a dictionary comprehension."""
        return self._comprehension(node, "")

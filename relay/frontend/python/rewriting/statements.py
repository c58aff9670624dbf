"""Rewrite Python functions so that control flow, calls and outside reads go through hooks.

Statements that branch or loop become calls of hooks. Their bodies become nested functions, which
declare the variables that they assign `nonlocal`, so that Python itself stores the variables:

    if x > 0:                     def __arm1():
        y = x                         nonlocal y
    else:                             y = __relay__.bound('y', x)
        return x          →       def __arm2():
                                      return __relay__.Return(x)
                                  __out = __relay__.if_(x > 0, __arm1, __arm2)
                                  if __out is not None: return __out

`and`, `or`, `not`, conditional expressions and chained comparisons also become hooks, whose
operands are lambdas. Calls, attributes, items and names from outside go through hooks, which handle
NumPy and record what the program depends on. All code keeps its lines and columns.
"""

import ast
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from relay.frontend.python.rewriting.ast_helpers import (
    HOOKS,
    IN_PLACE,
    PATTERNS,
    SCOPES,
    arguments,
    assigned,
    hook,
    hook_name,
    index_of,
    inside,
    lambda_of,
    leaves,
    name_of,
    parameters,
    placed,
    strings,
    unwrapped,
    values_of,
)
from relay.frontend.python.rewriting.expressions import ExpressionRewriter, Scope
from relay.frontend.python.rewriting.function_source import read, read_lambda
from relay.frontend.python.rewriting.pending_operands import show_operands
from relay.frontend.python.rewriting.source_locations import Code
from relay.frontend.python.rewriting.unsupported_syntax import (
    unsupported_expression,
    unsupported_statement,
)

_FUNCTION = "__function__"
_FLOW = (ast.If, ast.For, ast.While, ast.Match, ast.Raise)
_REFUSED = (
    ast.Try,
    ast.TryStar,
    ast.With,
    ast.Global,
    ast.ClassDef,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
)


class Rewritten:
    """The code of a rewritten function, its source and patterns, and the outside names it reads."""

    def __init__(
        self, code: CodeType, source: Code, patterns: Sequence[ast.pattern], outside: frozenset[str]
    ) -> None:
        self.code, self.source, self.patterns, self.outside = code, source, patterns, outside


@cache
def rewritten(function: FunctionType) -> Rewritten:
    """Return a function's code with hooks; raises `F100`, `F101` and `F107`."""
    is_lambda = function.__name__ == "<lambda>"
    at, source = read_lambda(function) if is_lambda else read(function)
    rewriter = _Rewriter(source, function)
    made = deepcopy(at)
    if isinstance(made, ast.Lambda):
        inner: list[ast.stmt] = [ast.Return(rewriter.function(made))]
    else:
        made.name, made.decorator_list = _FUNCTION, []
        made.args.defaults = [ast.Constant(None) for _ in made.args.defaults]
        made.args.kw_defaults = [
            None if each is None else ast.Constant(None) for each in made.args.kw_defaults
        ]
        inner = [rewriter.function(made), ast.Return(ast.Name(_FUNCTION, ast.Load()))]
    # A function that is defined in a rewritten one has the hooks among its free variables already.
    names = [*dict.fromkeys((HOOKS, PATTERNS, *function.__code__.co_freevars))]
    factory = ast.FunctionDef("__factory__", parameters(names), inner, [], None)
    module = ast.Module([factory], [])
    for each in ast.walk(module):
        if isinstance(
            each, ast.expr | ast.stmt | ast.arg | ast.pattern | ast.keyword
        ) and not hasattr(each, "lineno"):
            ast.copy_location(each, at)
    ast.fix_missing_locations(module)
    show_operands(module)
    whole = compile(module, source.source.name, "exec", dont_inherit=True)
    code = _inner(_inner(whole, "__factory__"), "<lambda>" if is_lambda else _FUNCTION)
    return Rewritten(code, source, rewriter.patterns, frozenset(rewriter.outside))


def _inner(code: CodeType, name: str) -> CodeType:
    """Return the code of a function that is defined in another one."""
    found = [each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name]
    return found[0]


def _definition(name: str, params: Sequence[str], body: list[ast.stmt], at: ast.AST) -> ast.stmt:
    """Return a function definition, located at syntax node `at`."""
    return placed(ast.FunctionDef(name, parameters(params), body, [], None), at)


class _Rewriter(ExpressionRewriter, ast.NodeTransformer):
    """Rewrites one function and the functions nested in it."""

    # Functions

    def function(self, at: Any) -> Any:
        """Return a function definition or a lambda with hooks."""
        if not self._scopes:
            self._reads = [
                each
                for each in ast.walk(at)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
            ]
        for each in arguments(at.args):
            each.annotation = None
        own = {each.arg for each in arguments(at.args)}
        if isinstance(at, ast.Lambda):
            self._scopes.append(Scope(own, set()))
            at.body = self.visit(at.body)
            self._scopes.pop()
            return at
        at.returns = None
        shared = {
            name
            for each in inside(at.body, SCOPES)
            if isinstance(each, ast.Nonlocal)
            for name in each.names
        }
        given = assigned(at.body) - shared
        self._scopes.append(Scope(own | given, shared))
        if any(isinstance(each, _FLOW) for each in inside(at.body, SCOPES)):
            name, body = self._arm(at.body, at)
            at.body = [
                *self._declared(given - own, at),
                body,
                placed(ast.Return(hook("activation", [name_of(name)])), at),
            ]
        else:
            at.body = self._statements(at.body)
            at.body = [unwrapped(each) for each in at.body]
        self._scopes.pop()
        return at

    def _declared(self, names: set[str], at: ast.stmt) -> list[ast.stmt]:
        """Return statements that make Python treat `names` as local variables of a function.

        They are never executed, so they assign nothing.
        """
        if not names:
            return []
        targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in sorted(names)]
        return [
            placed(ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], []), at)
        ]

    def _arm(
        self,
        body: Sequence[ast.stmt],
        at: ast.AST,
        first: Sequence[ast.stmt] = (),
        params: Sequence[str] = (),
    ) -> tuple[str, ast.stmt]:
        """Return a nested function for the body of a branch or a loop, and its name."""
        self._count += 1
        name = f"__arm{self._count}"
        changed = sorted(
            (assigned(body) | assigned(first)) & (self._scopes[-1].names | self._scopes[-1].shared)
        )
        made: list[ast.stmt] = [ast.Nonlocal(changed)] if changed else []
        made += [*self._statements(first), *self._statements(body)]
        return name, _definition(name, params, made or [ast.Pass()], at)

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for at in body:
            made = self.visit(at)
            found += made if isinstance(made, list) else [made]
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        names = {each.arg for each in arguments(node.args) if each.annotation is not None}
        typed = node.returns is not None and len(names) == len(arguments(node.args))
        annotations = {
            each.arg: each.annotation
            for each in arguments(node.args)
            if each.annotation is not None
        }
        if node.returns is not None:
            annotations["return"] = node.returns
        node.args.defaults = [self.visit(each) for each in node.args.defaults]
        node.args.kw_defaults = [
            None if each is None else self.visit(each) for each in node.args.kw_defaults
        ]
        decorators = [self.visit(each) for each in node.decorator_list]
        made = self.function(node)
        keys: list[ast.expr | None] = [ast.Constant(each) for each in annotations]
        types = ast.Lambda(parameters([]), ast.Dict(keys, list(annotations.values())))
        around = ast.Call(name_of("globals"), [], [])
        local = hook("local", [ast.Constant(bool(typed)), types, around])
        made.decorator_list = [*decorators, placed(local, node)]
        return made

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.args.defaults = [self.visit(each) for each in node.args.defaults]
        node.args.kw_defaults = [
            None if each is None else self.visit(each) for each in node.args.kw_defaults
        ]
        return self.function(node)

    # Statements

    def visit_If(self, node: ast.If) -> Any:
        escapes = leaves([*node.body, *node.orelse], (ast.Return, ast.Break, ast.Continue))
        arms = [self._arm(body, node) if body else None for body in (node.body, node.orelse)]
        names = [ast.Constant(None) if each is None else name_of(each[0]) for each in arms]
        called = hook("if_", [self._condition(node.test), *names])
        return [
            *(each[1] for each in arms if each is not None),
            *self._gone(called, node.test, escapes),
        ]

    def _gone(self, called: ast.expr, at: ast.AST, escapes: bool) -> list[ast.stmt]:
        """Return statements that call a hook and, with `escapes`, leave on its marker."""
        called = placed(called, at)
        if not escapes:
            return [placed(ast.Expr(called), at)]
        self._count += 1
        out = f"__out{self._count}"
        test = ast.Compare(name_of(out), [ast.IsNot()], [ast.Constant(None)])
        return [
            placed(ast.Assign([ast.Name(out, ast.Store())], called), at),
            placed(ast.If(test, [ast.Return(name_of(out))], []), at),
        ]

    def _escapes(self, node: ast.For | ast.While) -> bool:
        return leaves(node.body, (ast.Return,)) or leaves(
            node.orelse, (ast.Return, ast.Break, ast.Continue)
        )

    def _stores(self, body: Sequence[ast.AST]) -> ast.expr:
        """Return the names that a loop assigns, each with the location of its first assignment."""
        found: dict[str, ast.expr] = {}
        parts = (
            each
            for at in body
            for each in ast.walk(at)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        )
        for each in parts:
            if each.id not in found and not each.id.startswith("__"):
                place = (each.lineno, each.col_offset, each.end_lineno, each.end_col_offset)
                found[each.id] = ast.Tuple(
                    [ast.Constant(each.id), *map(ast.Constant, place)], ast.Load()
                )
        return ast.Tuple(list(found.values()), ast.Load())

    def _elsewhere(self, node: ast.AST) -> set[str]:
        """Return the names that the function reads outside of the loop `node`."""
        inside = {id(each) for each in ast.walk(node)}
        return {each.id for each in self._reads if id(each) not in inside}

    def visit_While(self, node: ast.While) -> Any:
        escapes, elsewhere, stores = (
            self._escapes(node),
            self._elsewhere(node),
            self._stores(node.body),
        )
        self._count += 1
        test = f"__test{self._count}"
        changed = assigned([node.test]) & self._scopes[-1].names
        returned = placed(ast.Return(self._condition(node.test)), node.test)
        shared = [ast.Nonlocal(sorted(changed))] if changed else []
        asked = _definition(test, [], [*shared, returned], node.test)
        body = self._arm(node.body, node)
        other = self._arm(node.orelse, node) if node.orelse else None
        names = [name_of(body[0]), ast.Constant(None) if other is None else name_of(other[0])]
        called = hook("while_", [name_of(test), *names, stores, strings(elsewhere)])
        return [
            asked,
            body[1],
            *([other[1]] if other else []),
            *self._gone(called, node.test, escapes),
        ]

    def visit_For(self, node: ast.For) -> Any:
        escapes, elsewhere = self._escapes(node), self._elsewhere(node)
        given = placed(ast.Assign([node.target], name_of("__item")), node.target)
        over, stores = node.iter, self._stores([*node.body, node.target])
        body = self._arm(node.body, node, first=[given], params=["__item"])
        other = self._arm(node.orelse, node) if node.orelse else None
        names = [name_of(body[0]), ast.Constant(None) if other is None else name_of(other[0])]
        called = hook("for_", [self.visit(over), *names, stores, strings(elsewhere)])
        return [body[1], *([other[1]] if other else []), *self._gone(called, over, escapes)]

    def visit_Return(self, node: ast.Return) -> Any:
        value = [] if node.value is None else [self.visit(node.value)]
        return ast.copy_location(
            ast.Return(placed(hook("Return", value), node.value or node)), node
        )

    def visit_Break(self, node: ast.Break) -> Any:
        return ast.copy_location(ast.Return(hook_name("BREAK")), node)

    def visit_Continue(self, node: ast.Continue) -> Any:
        return ast.copy_location(ast.Return(hook_name("CONTINUE")), node)

    def visit_Match(self, node: ast.Match) -> Any:
        escapes = any(
            leaves(case.body, (ast.Return, ast.Break, ast.Continue)) for case in node.cases
        )
        rows: list[ast.expr] = []
        arms: list[ast.stmt] = []
        for case in node.cases:
            self.patterns.append(deepcopy(case.pattern))
            names = sorted(assigned([case.pattern]))
            assigns: list[ast.stmt] = [
                placed(
                    ast.Assign(
                        [ast.Name(each, ast.Store())],
                        ast.Subscript(name_of("__found"), ast.Constant(each), ast.Load()),
                    ),
                    case.pattern,
                )
                for each in names
            ]
            self._count += 1
            bind = f"__bind{self._count}"
            shared = [ast.Nonlocal(names)] if names else []
            body = self._arm(case.body, node)
            bound = [*shared, *(assigns or [ast.Pass()])]
            arms += [_definition(bind, ["__found"], bound, case.pattern), body[1]]
            guard = (
                ast.Constant(None)
                if case.guard is None
                else self._lambda(self._condition(case.guard))
            )
            parts = [lambda_of(self.visit(each)) for each in values_of(case.pattern)]
            number = ast.Constant(len(self.patterns) - 1)
            pattern = ast.Subscript(name_of(PATTERNS), number, ast.Load())
            rows.append(
                ast.Tuple(
                    [pattern, ast.List(parts, ast.Load()), name_of(bind), guard, name_of(body[0])],
                    ast.Load(),
                )
            )
        subject = node.subject
        called = hook("match_", [self.visit(subject), ast.List(rows, ast.Load())])
        return [*arms, *self._gone(called, subject, escapes)]

    def visit_Raise(self, node: ast.Raise) -> Any:
        text = "an exception" if node.exc is None else ast.unparse(node.exc)
        value = ast.Constant(None) if node.exc is None else self._lambda(self.visit(node.exc))
        called = placed(hook("raise_", [value, ast.Constant(text)]), node)
        return placed(ast.Expr(called), node)

    def visit_Assert(self, node: ast.Assert) -> Any:
        said = (
            ast.Constant(None) if node.msg is None else self._lambda(self.visit(deepcopy(node.msg)))
        )
        text = ast.Constant("" if node.msg is None else ast.unparse(node.msg))
        test = node.test
        return placed(
            ast.Expr(placed(hook("assert_", [self._condition(test), said, text]), test)), node
        )

    def visit_Assign(self, node: ast.Assign) -> Any:
        value, (target, *others) = self.visit(node.value), node.targets
        if others or isinstance(target, ast.List | ast.Tuple):
            parts = target.elts if isinstance(target, ast.List | ast.Tuple) else []
            names = [each for each in parts if isinstance(each, ast.Name)]
            if not others and len(names) == len(parts):
                node.value = value
                return [node, *(self._stored(each, name_of(each.id)) for each in names)]
            whole = self._fresh()
            made = [placed(ast.Assign([ast.Name(whole, ast.Store())], value), node)]
            for each in node.targets:
                made += self._assigned(each, name_of(whole))
            return made
        return self._assigned(target, value)

    def _fresh(self) -> str:
        """Return a variable name that the function does not use."""
        self._count += 1
        return f"__value{self._count}"

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return statements that assign a value to the target of `=`, unpacking it part by part."""
        if isinstance(target, ast.Starred):
            return self._assigned(target.value, value)
        if not isinstance(target, ast.List | ast.Tuple):
            return [self._stored(target, value)]
        names = [self._fresh() for _ in target.elts]
        parts: list[ast.expr] = [ast.Name(each, ast.Store()) for each in names]
        parts = [
            ast.Starred(part, ast.Store()) if isinstance(each, ast.Starred) else part
            for part, each in zip(parts, target.elts, strict=True)
        ]
        made: list[ast.stmt] = [placed(ast.Assign([ast.Tuple(parts, ast.Store())], value), target)]
        for each, name in zip(target.elts, names, strict=True):
            made += self._assigned(each, name_of(name))
        return made

    def _stored(self, target: Any, value: ast.expr) -> ast.stmt:
        """Return a statement that assigns a value to a variable, an attribute or an item."""
        match target:
            case ast.Attribute(value=whole, attr=name):
                made = hook("set_attribute", [value, self.visit(whole), ast.Constant(name)])
            case ast.Subscript(value=whole, slice=key):
                made = hook("set_item", [value, self.visit(whole), index_of(self.visit(key))])
            case _:
                value = placed(hook("bound", [ast.Constant(target.id), value]), target)
                return placed(ast.Assign([ast.Name(target.id, ast.Store())], value), target)
        return placed(ast.Expr(placed(made, target)), target)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target, sign = node.target, ast.Constant(IN_PLACE[type(node.op)])
        match target:
            case ast.Attribute(value=whole, attr=name):
                parts = [self.visit(whole), ast.Constant(name), sign, self._lazily(node.value)]
                return placed(ast.Expr(placed(hook("change_attribute", parts), node)), node)
            case ast.Subscript(value=whole, slice=key):
                key = index_of(self.visit(key))
                parts = [self.visit(whole), key, sign, self._lazily(node.value)]
                return placed(ast.Expr(placed(hook("change_item", parts), node)), node)
            case ast.Name(id=name):
                node.value = self.visit(node.value)
                asked = placed(hook("changing", [ast.Name(name, ast.Load())]), target)
                named = self._stored(target, ast.Name(name, ast.Load()))
                return [placed(ast.Expr(asked), node), node, named]

    def visit_Delete(self, node: ast.Delete) -> Any:
        made: list[ast.stmt] = []
        for target in node.targets:
            match target:
                case ast.Attribute(value=whole, attr=name):
                    call = hook("delete_attribute", [self.visit(whole), ast.Constant(name)])
                case ast.Subscript(value=whole, slice=key):
                    call = hook("delete_item", [self.visit(whole), index_of(self.visit(key))])
                case _:
                    made.append(placed(ast.Delete([target]), target))
                    continue
            made.append(placed(ast.Expr(placed(call, target)), node))
        return made

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        name = ast.Constant(node.target.id if isinstance(node.target, ast.Name) else "value")
        around = ast.Call(ast.Name("globals", ast.Load()), [], [])
        wanted = placed(lambda_of(node.annotation), node.annotation)
        value = placed(
            hook("declared", [name, self._lazily(node.value), wanted, around]), node.value
        )
        if isinstance(node.target, ast.Name):
            return ast.copy_location(ast.Assign([node.target], value), node)
        return self._assigned(node.target, value)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        if set(node.names) & self._free and not any(
            set(node.names) & scope.names for scope in self._scopes[:-1]
        ):
            raise unsupported_statement(node, self._source.span(node))
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _REFUSED):
            raise unsupported_statement(node, self._source.span(node))
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
            raise unsupported_expression(node, self._source.span(node))
        return super().generic_visit(node)

"""Equality and hashing of programs by structure, up to the names of bound variables.

Both see sharing: `x + x` with one shared `x`-node differs from two equal ones. Both are iterative
and linear in the number of distinct nodes. Spans take no part; types do where variables and results
of functions have one, declared or computed: the same function at two types is two functions.

The idea: number the nodes of each program in the order of a walk; two programs are equal when the
walks give, node by node, the same *row*: what kind of node, its own content, and the numbers of its
children. A bound variable is the number of its binding, so its name does not matter.
"""

import hashlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, cast

import numpy as np

from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Operator,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module, ModuleLike, TypeData
from relay.ir.patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.type_keys import TypeKeys
from relay.ir.types import FuncType, Type
from relay.ir.walk import children, post_order
from relay.support.node import Value


class _Numbering:
    """Gives every distinct node of one program a row, in walk order."""

    def __init__(self, *, map_free_vars: bool) -> None:
        self.map_free_vars = map_free_vars
        self.numbers: dict[int, int] = {}
        self.distinct: dict[Hashable, int] = {}
        self.bound: set[int] = set()
        self.types = TypeKeys()
        self.alive: list[object] = []

    def rows(self, root: Expr) -> Iterator[Hashable]:
        """Yield each node's row, children before parents; of equal constants only the first."""
        order = post_order(root)
        for expr in order:
            self._declare(expr)
        self.alive.append(order)
        for expr in order:
            known = len(self.distinct)
            row = self._row(expr)
            if len(self.distinct) > known:
                yield row

    def _declare(self, expr: Expr) -> None:
        """Note what a node binds before any row is made: variables stand before their binder."""
        match expr:
            case Let(var):
                self.bound.add(id(var))
            case Function(params, _, _, type_params):
                self.bound.update(map(id, params))
                self.types.declare(type_params)
            case Match(_, clauses):
                for clause in clauses:
                    self._declare_pattern(clause.pattern)
            case _:
                pass

    def _declare_pattern(self, pattern: Pattern) -> None:
        match pattern:
            case PatternVar(var):
                self.bound.add(id(var))
            case PatternConstructor(_, patterns) | PatternTuple(patterns):
                for inner in patterns:
                    self._declare_pattern(inner)
            case _:
                pass

    def _row(self, expr: Expr) -> Hashable:
        inner = tuple(self.numbers[id(child)] for child in children(expr))
        row = (type(expr).__name__, self._content(expr), inner)
        # Constants, operators and the like are compared by what they are; all else by identity.
        key = (id(expr),) if _is_graph_node(expr) else row
        self.numbers[id(expr)] = self.distinct.setdefault(key, len(self.distinct))
        return row

    def _content(self, expr: Expr) -> Hashable:
        match expr:
            case Var():
                return self._var(expr)
            case GlobalVar(name):
                return name
            case Constant(data):
                return _array_key(data)
            case TupleGetItem(_, index):
                return index
            case Function(params, _, _, type_params, attrs):
                result = _result_type(expr)
                key = None if result is None else self.types.of(result)
                kinds = tuple(var.kind for var in type_params)
                return (len(params), kinds, key, _attrs_key(attrs))
            case Call(op, _, type_args):
                explicit = () if isinstance(op, Operator) else map(self.types.of, type_args)
                return tuple(explicit)
            case Match(_, clauses, complete):
                return (complete, *(_pattern_key(clause.pattern) for clause in clauses))
            case Constructor(name, _, belongs_to):
                return (name, belongs_to)
            case Operator():
                return expr
            case _:
                return ()

    def _var(self, var: Var) -> Hashable:
        if id(var) in self.bound or self.map_free_vars:
            ty = var.annotation or var.ty
            return ("bound", None if ty is None else self.types.of(ty))
        return ("free", id(var))


def _result_type(function: Function) -> Type | None:
    """Return the type of the result, declared or computed."""
    if function.result is None and isinstance(function.ty, FuncType):
        return function.ty.result
    return function.result


def _is_graph_node(expr: Expr) -> bool:
    """Whether two occurrences count as two nodes; the rest is compared by content alone."""
    match expr:
        case Constant() | GlobalVar() | Constructor() | Operator() | TupleGetItem():
            return False
        case _:
            return bool(children(expr)) or isinstance(expr, Var)


def _array_key(data: np.ndarray[Any, Any]) -> Hashable:
    digest = hashlib.blake2b(np.ascontiguousarray(data).tobytes(), digest_size=16).digest()
    return (data.shape, str(data.dtype), digest)


def _attrs_key(attrs: Mapping[str, object]) -> Hashable:
    return tuple((key, _attribute_key(attrs[key])) for key in sorted(attrs))


def _attribute_key(found: object) -> Hashable:
    """Return what an attribute of a function is compared by; recursion follows its nesting."""
    match found:
        case tuple():
            return ("tuple", *map(_attribute_key, cast("tuple[object, ...]", found)))
        case Constant(data):
            return _array_key(data)
        case Value():
            parts = (getattr(found, name) for name in type(found).__match_args__)
            return (type(found).__name__, *map(_attribute_key, parts))
        case _:
            return (type(found).__name__, repr(found))


def _pattern_key(pattern: Pattern) -> Hashable:
    match pattern:
        case PatternConstructor(constructor, patterns):
            return (constructor.name, *map(_pattern_key, patterns))
        case PatternTuple(patterns):
            return ("tuple", *map(_pattern_key, patterns))
        case _:
            return type(pattern).__name__


def structural_equal(
    a: Expr | ModuleLike, b: Expr | ModuleLike, *, map_free_vars: bool = False
) -> bool:
    """Whether two programs are the same up to the names of bound variables.

    Free variables are equal only when they are the same object, unless `map_free_vars`.
    """
    if isinstance(a, ModuleLike) and isinstance(b, ModuleLike):
        return _module_key(a.module) == _module_key(b.module)
    if isinstance(a, ModuleLike) or isinstance(b, ModuleLike):
        return False
    left = _Numbering(map_free_vars=map_free_vars).rows(a)
    right = _Numbering(map_free_vars=map_free_vars).rows(b)
    end = object()
    while True:
        row, other = next(left, end), next(right, end)
        if row != other:
            return False
        if row is end:
            return True


def structural_key(expr: Expr) -> Hashable:
    """Return a key that two expressions share exactly if they are structurally equal."""
    return tuple(_Numbering(map_free_vars=False).rows(expr))


def structural_hash(program: Expr | ModuleLike, *, map_free_vars: bool = False) -> int:
    """Return a hash that agrees for structurally equal programs (within one process)."""
    if isinstance(program, ModuleLike):
        return hash(_module_key(program.module))
    return hash(tuple(_Numbering(map_free_vars=map_free_vars).rows(program)))


def _module_key(module: Module) -> Hashable:
    functions = tuple(
        (name, tuple(_Numbering(map_free_vars=False).rows(module.functions[name])))
        for name in sorted(module.functions)
    )
    types = tuple((name, _data_key(module.types[name])) for name in sorted(module.types))
    return (functions, types, _attrs_key(module.attrs))


def _data_key(data: TypeData) -> Hashable:
    types = TypeKeys()
    types.declare(data.type_params)
    constructors = tuple((c.name, *map(types.of, c.inputs)) for c in data.constructors)
    return (tuple(var.kind for var in data.type_params), constructors)

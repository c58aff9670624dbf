"""Structural equality and hashing of programs, up to the names of bound variables and dimensions.

Both respect sharing: `x + x` with one shared `x`-node differs from two equal nodes. Both are
iterative and linear in the number of distinct nodes. Source spans are ignored. The types of
variables and function results are compared, whether declared or inferred: a function at two types
is two functions.

The algorithm numbers the nodes of each program in traversal order. Two programs are equal when the
traversals yield, node by node, the same *row*: the kind of node, its own content, and the numbers
of its children. A bound variable is represented by the number of its binding, so its name does not
matter. Dimension names that the functions of a module bind do not matter either: they are numbered
in order of first occurrence. Dimension names in a lone expression keep their identity, because an
enclosing scope may bind them.
"""

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.attribute_dims import substitute_attributes, symbolic_attributes
from relay.ir.dims import Dim, DimVar, in_order, variables
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.module import Module, ModuleLike, TypeData
from relay.ir.type_keys import TypeKeys
from relay.ir.types import FuncType, TupleType, Type, dimensions
from relay.ir.walk import children, post_order
from relay.support.node import Value


class _Numbering:
    """The nodes of one program, numbered in traversal order, with a row that describes each.

    Programs with the same rows are equal.
    """

    def __init__(
        self, *, map_free_vars: bool = False, dims: Mapping[DimVar, Dim] = MappingProxyType({})
    ) -> None:
        self.map_free_vars = map_free_vars
        self.dims = dims
        self.numbers: dict[Expr, int] = {}
        self.distinct: dict[Hashable, int] = {}
        self.bound: set[Var] = set()
        self.types = TypeKeys(dims)

    def rows(self, root: Expr) -> Iterator[Hashable]:
        """Yield a hashable row for each node: its kind, its content and its children's numbers.

        Children come first. Equal constants share a row.
        """
        order = post_order(root)
        for expr in order:
            self._declare(expr)
        for expr in order:
            known = len(self.distinct)
            row = self._row(expr)
            if len(self.distinct) > known:
                yield row

    def _declare(self, expr: Expr) -> None:
        """Number the variables that a node binds, before any row refers to them.

        Post-order visits variables before their binders, so this needs a traversal of its own.
        """
        match expr:
            case Let(var):
                self.bound.add(var)
            case Function(params, _, _, type_params):
                self.bound.update(params)
                self.types.declare(type_params)
            case Match(_, clauses):
                for clause in clauses:
                    self._declare_pattern(clause.pattern)
            case _:
                pass

    def _declare_pattern(self, pattern: Pattern) -> None:
        match pattern:
            case PatternVar(var):
                self.bound.add(var)
            case PatternConstructor(_, patterns) | PatternTuple(patterns):
                for inner in patterns:
                    self._declare_pattern(inner)
            case _:
                pass

    def _row(self, expr: Expr) -> Hashable:
        inner = tuple(self.numbers[child] for child in children(expr))
        row = (type(expr).__name__, self._content(expr), inner)
        # Constants, operators and similar leaves are compared by content; others by identity.
        key = expr if _is_graph_node(expr) else row
        self.numbers[expr] = self.distinct.setdefault(key, len(self.distinct))
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
                numbered = substitute_attributes(expr, self.dims) if self.dims else expr
                return expr if numbered is expr else repr(numbered)
            case _:
                return ()

    def _var(self, var: Var) -> Hashable:
        if var in self.bound or self.map_free_vars:
            ty = var.annotation or var.ty
            return ("bound", None if ty is None else self.types.of(ty))
        return ("free", var)


def _result_type(function: Function) -> Type | None:
    if function.result is None and isinstance(function.ty, FuncType):
        return function.ty.result
    return function.result


def _is_graph_node(expr: Expr) -> bool:
    """Whether sharing of a node matters: one node used twice then differs from two equal nodes.

    Constants, references to functions and the like are compared by content alone.
    """
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
    """Return a hashable key by which an attribute of a function is compared."""
    match found:
        case tuple():
            return ("tuple", *map(_attribute_key, cast("tuple[object, ...]", found)))
        case Mapping():
            return ("map", _attrs_key(cast("Mapping[str, object]", found)))
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


Comparable: TypeAlias = Expr | ModuleLike | Type | Pattern
"""The objects that structural equality compares: an expression, a module, a type or a pattern."""


def structural_equal(a: Comparable, b: Comparable, *, map_free_vars: bool = False) -> bool:
    """Whether two programs or parts of programs are equal up to the names of bound variables.

    Free variables are equal only when they are the same object, unless `map_free_vars` is set.

    >>> x, y = Var("x"), Var("y")
    >>> structural_equal(PatternVar(x), PatternVar(y)), structural_equal(x, y)
    (True, False)
    """
    if isinstance(a, ModuleLike) and isinstance(b, ModuleLike):
        return _module_key(a.module) == _module_key(b.module)
    if isinstance(a, Type) and isinstance(b, Type):
        return TypeKeys().of(a) == TypeKeys().of(b)
    if isinstance(a, Pattern) and isinstance(b, Pattern):
        a, b = _as_expr(a), _as_expr(b)
    if not isinstance(a, Expr) or not isinstance(b, Expr):
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


def structural_key(expr: Expr, dims: Mapping[DimVar, Dim] = MappingProxyType({})) -> Hashable:
    """Return a key of an expression; keys are equal exactly if expressions are structurally equal.

    `dims` maps dimension variables of the expression to those that replace them in the key.
    """
    return tuple(_Numbering(dims=dims).rows(expr))


def numbered_dims(names: Iterable[DimVar]) -> dict[DimVar, Dim]:
    """Map dimension variables to numbered ones, in order of first occurrence.

    Their names start with `#`, so they differ from those of users.

    >>> numbered_dims([DimVar("n"), DimVar("m"), DimVar("n")])
    {DimVar(name='n'): DimVar(name='#0'), DimVar(name='m'): DimVar(name='#1')}
    """
    return {name: DimVar(f"#{number}") for number, name in enumerate(dict.fromkeys(names))}


def structural_hash(program: Comparable, *, map_free_vars: bool = False) -> int:
    """Return a hash that is equal for structurally equal programs (within one process)."""
    if isinstance(program, ModuleLike):
        return hash(_module_key(program.module))
    if isinstance(program, Type):
        return hash(TypeKeys().of(program))
    if isinstance(program, Pattern):
        program = _as_expr(program)
    return hash(tuple(_Numbering(map_free_vars=map_free_vars).rows(program)))


def _as_expr(pattern: Pattern) -> Expr:
    """Return a match expression that is structurally equal exactly for equal patterns."""
    bound = tuple(_bound(pattern))
    return Match(Tuple(()), (Clause(pattern, Tuple(bound)),))


def _bound(pattern: Pattern) -> Iterator[Var]:
    """Yield the variables that a pattern binds."""
    match pattern:
        case PatternVar(var):
            yield var
        case PatternConstructor(_, patterns) | PatternTuple(patterns):
            for each in patterns:
                yield from _bound(each)
        case _:
            pass


def _module_key(module: Module) -> Hashable:
    functions = tuple(
        (name, structural_key(function, numbered_dims(_names(function))))
        for name, function in sorted(module.functions.items())
    )
    types = tuple((name, _data_key(module.types[name])) for name in sorted(module.types))
    return (functions, types, _attrs_key(module.attrs))


def _names(function: Function) -> Iterator[DimVar]:
    """Yield the dimension names in a global function, in traversal order."""
    for expr in post_order(function):
        match expr:
            case Var(annotation=annotation):
                yield from _names_in(annotation or expr.ty)
            case Function():
                yield from _names_in(_result_type(expr))
            case Operator():
                yield from (n for d in symbolic_attributes(expr) for n in in_order(variables(d)))
            case _:
                pass


def _names_in(ty: Type | None) -> Iterator[DimVar]:
    dims = () if ty is None else dimensions(ty)
    return (name for dim in dims for name in in_order(variables(dim)))


def _data_key(data: TypeData) -> Hashable:
    inputs = TupleType(tuple(ty for each in data.constructors for ty in each.inputs))
    types = TypeKeys(numbered_dims(_names_in(inputs)))
    types.declare(data.type_params)
    constructors = tuple((c.name, *map(types.of, c.inputs)) for c in data.constructors)
    return (tuple(var.kind for var in data.type_params), constructors)

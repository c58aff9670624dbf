"""Unification: solving equations between types by filling holes; failures have a reason.

Symbolic dimensions are rigid: `n` equals only `n`. `Any` equals every dimension, and the unified
type has `Any` where either type has it.
"""

from collections.abc import Callable, Sequence
from types import MappingProxyType

from relay.ir.dims import ANY, Dim
from relay.ir.nesting_limits import DEEPEST, too_deep
from relay.ir.type_comparison import common_type, same_sizes
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    children,
    substitute_types,
    with_children,
)
from relay.semantics.type_mismatch import Mismatch, MismatchKind
from relay.semantics.variance import Variance, Variances

_COVARIANT: Variances = MappingProxyType({})


class Unifier:
    """The holes, or unknown parts, in the types of a program, and the types that fill them.

    `variances` has the variance of each parameter of data types; missing ones are covariant.
    """

    def __init__(self, variances: Variances = _COVARIANT) -> None:
        self._variances = variances
        self._found: dict[IncompleteType, Type] = {}
        self._waiting: dict[IncompleteType, list[Callable[[], None]]] = {}
        self._complete: set[Type] = set()
        self._pinned: set[IncompleteType] = set()
        self._unified: dict[tuple[Type, Type], Type] = {}
        self._depth = 0
        self.woken: list[Callable[[], None]] = []

    def hole(self) -> IncompleteType:
        """Return a new hole: a type about which nothing is known yet."""
        return IncompleteType()

    def wait(self, hole: IncompleteType, action: Callable[[], None]) -> None:
        """Append `action` to the list `woken` when the hole is filled."""
        self._waiting.setdefault(hole, []).append(action)

    def pin(self, *types: Type) -> None:
        """Keep the unknown parts of types from being generalised: a deferred action needs them."""
        self._pinned.update(hole for ty in types for hole in self.holes(ty))

    def free_holes(self, ty: Type) -> list[IncompleteType]:
        """Return the unknown parts of a type that no deferred constraint needs, in order."""
        found = (hole for hole in self.holes(ty) if hole not in self._pinned)
        return [hole for hole in dict.fromkeys(found) if hole not in self._waiting]

    def shallow(self, ty: Type) -> Type:
        """Return the type that fills a hole (it may contain holes), or any other type itself."""
        passed: list[IncompleteType] = []
        while isinstance(ty, IncompleteType) and ty in self._found:
            passed.append(ty)
            ty = self._found[ty]
        for hole in passed[:-1]:  # path compression
            self._found[hole] = ty
        return ty

    def holes(self, ty: Type) -> list[IncompleteType]:
        """Return the holes in a type that are still open."""
        found: list[IncompleteType] = []
        stack, seen = [ty], set[Type]()
        while stack:
            top = self.shallow(stack.pop())
            if top in self._complete or top in seen:
                continue
            seen.add(top)
            if isinstance(top, IncompleteType):
                found.append(top)
            stack.extend(children(top))
        return found

    def resolve(self, ty: Type) -> Type:
        """Return the type with all filled holes replaced by their types.

        Types without open holes are memoised, so a type built from them costs one step.
        """
        return self._resolved(ty, {}, 0)

    def _resolved(self, ty: Type, known: dict[Type, Type], depth: int) -> Type:
        """Resolve each component once: with sharing, a type may be exponentially large as a tree.

        Holes are filled by types that contain holes, so the depth must be limited here.
        """
        if depth > DEEPEST:
            raise too_deep("a type")
        ty = self.shallow(ty)
        if isinstance(ty, TensorType | IncompleteType) or ty in self._complete:
            return ty
        if ty in known:
            return known[ty]
        inner = children(ty)
        new = [self._resolved(child, known, depth + 1) for child in inner]
        changed = any(a is not b for a, b in zip(inner, new, strict=True))
        found = known[ty] = with_children(ty, new) if changed else ty
        if all(map(self.is_complete, new)):
            self._complete.add(found)
        return found

    def is_complete(self, resolved: Type) -> bool:
        """Whether a type that `resolve` returned has no open holes."""
        return isinstance(resolved, TensorType) or resolved in self._complete

    def unify(self, a: Type, b: Type) -> Type:
        """Make two types equal by filling holes; return the result, or raise `Mismatch`."""
        a, b = self.shallow(a), self.shallow(b)
        if a is b:
            return a
        if isinstance(a, IncompleteType):
            return self._fill(a, b)
        if isinstance(b, IncompleteType):
            return self._fill(b, a)
        if isinstance(a, TensorType) and isinstance(b, TensorType):
            return _join_tensors(a, b)
        if (a, b) not in self._unified:
            self._unified[a, b] = self._unify_inside(a, b)
        return self._unified[a, b]

    def _unify_inside(self, a: Type, b: Type) -> Type:
        """Unify the components of two types, up to the maximum nesting depth of a type."""
        self._depth += 1
        try:
            if self._depth > DEEPEST:
                raise too_deep("a type")
            return self._unify_parts(a, b)
        finally:
            self._depth -= 1

    def _unify_parts(self, a: Type, b: Type) -> Type:
        match a, b:
            case TupleType(left), TupleType(right):
                _same_count("fields", left, right)
                return TupleType(self._all(left, right))
            case FuncType(), FuncType():
                return self._functions(a, b)
            case RefType(left), RefType(right):
                return RefType(self._content(left, right))
            case TypeCall(head, left), TypeCall(other, right) if head is other:
                _same_count("type arguments", left, right)
                return TypeCall(head, self._arguments(head, left, right))
            case _:
                raise Mismatch(MismatchKind.KIND)

    def _arguments(
        self, head: GlobalTypeVar, wanted: Sequence[Type], found: Sequence[Type]
    ) -> tuple[Type, ...]:
        return tuple(map(self._argument, self.variances(head, len(wanted)), wanted, found))

    def variances(self, head: GlobalTypeVar, count: int) -> Sequence[Variance]:
        """Return the variances of the `count` parameters of a data type."""
        return self._variances.get(head.name) or (Variance.OUT,) * count

    def _argument(self, way: Variance, wanted: Type, found: Type) -> Type:
        if way is not Variance.OUT:
            self.unify(found, wanted)
        both = self.unify(wanted, found)
        if way is Variance.CELL:
            self._same_sizes(wanted, found)
        return both

    def _content(self, wanted: Type, found: Type) -> Type:
        return self._argument(Variance.CELL, wanted, found)

    def _same_sizes(self, a: Type, b: Type) -> None:
        """Require that the content types of two cells have equal dimensions.

        They must be equal because a cell is both read and written.
        """
        one, other = self.resolve(a), self.resolve(b)
        if not same_sizes(one, other):
            why = f"a reference holds values of one type, not of both {one!r} and {other!r}"
            raise Mismatch(MismatchKind.SIZES, why)

    def fit(self, wanted: Type, found: Type) -> Type:
        """Unify a value's type with the type that its use expects; return the result.

        If a function without type parameters is expected, a generic function is instantiated; the
        reverse is a mismatch. Raises `Mismatch` if the types differ.
        """
        wanted, found = self.shallow(wanted), self.shallow(found)
        if isinstance(wanted, FuncType) and isinstance(found, FuncType) and not wanted.type_params:
            found = self.instantiated(found)
        return self.unify(wanted, found)

    def meet(self, first: Type, second: Type) -> Type:
        """Return the common type of two branches; of function types, the less generic one."""
        first, second = self.shallow(first), self.shallow(second)
        if isinstance(first, FuncType) and isinstance(second, FuncType) and not second.type_params:
            first = self.instantiated(first)
        return self.fit(first, second)

    def instantiated(self, generic: FuncType, chosen: Sequence[Type] | None = None) -> FuncType:
        """Return a function type with type parameters replaced by `chosen` types, or new holes."""
        if not generic.type_params:
            return generic
        given = [self.hole() for _ in generic.type_params] if chosen is None else chosen
        bindings: dict[Type, Type] = dict(zip(generic.type_params, given, strict=True))
        body = FuncType(generic.params, generic.result, (), generic.constraints)
        found = substitute_types(body, bindings)
        assert isinstance(found, FuncType), "a function stays one"
        return found

    def _all(self, left: Sequence[Type], right: Sequence[Type]) -> tuple[Type, ...]:
        return tuple(self.unify(a, b) for a, b in zip(left, right, strict=True))

    def _functions(self, wanted: FuncType, found: FuncType) -> Type:
        """Unify two function types; parameters are contravariant, and results covariant."""
        _same_count("parameters", wanted.params, found.params)
        if found.type_params and not wanted.type_params:
            found = self.instantiated(found)
        if not found.type_params and wanted.type_params:
            raise Mismatch(
                MismatchKind.KIND,
                "a generic function is expected, but this function is not generic",
            )
        _same_count("type parameters", wanted.type_params, found.type_params)
        bindings: dict[Type, Type] = dict(zip(found.type_params, wanted.type_params, strict=True))
        given = [substitute_types(param, bindings) for param in found.params]
        params = self._all(given, wanted.params)  # parameters are contravariant
        result = self.unify(wanted.result, substitute_types(found.result, bindings))
        return FuncType(params, result, wanted.type_params, wanted.constraints)

    def _fill(self, hole: IncompleteType, ty: Type) -> Type:
        if hole in self.holes(ty):
            raise Mismatch(MismatchKind.INFINITE, "the type would contain itself")
        self._found[hole] = ty
        if hole in self._pinned:
            self.pin(ty)
        self.woken.extend(self._waiting.pop(hole, ()))
        return ty


def joined_type(types: Sequence[Type], unifier: Unifier) -> Type | None:
    """Return the common supertype of types without unknown parts; None if there is none.

    There is none, for example, if types differ in an invariant position such as a cell's content.
    """
    joined = common_type(types) if all(ty.complete for ty in types) else None
    if joined is None:
        return None
    try:
        for ty in types:
            unifier.unify(joined, ty)
    except Mismatch:
        return None
    return joined


def _same_count(what: str, left: Sequence[Type], right: Sequence[Type]) -> None:
    if len(left) != len(right):
        raise Mismatch(
            MismatchKind.KIND, f"the numbers of {what} differ: {len(left)} and {len(right)}"
        )


def _join_tensors(a: TensorType, b: TensorType) -> TensorType:
    if a.dtype is not b.dtype:
        raise Mismatch(MismatchKind.ELEMENTS, f"the element types {a.dtype} and {b.dtype} differ")
    if a.rank != b.rank:
        raise Mismatch(MismatchKind.SIZES, f"the ranks {a.rank} and {b.rank} differ")
    clashes = [i for i, (x, y) in enumerate(zip(a.shape, b.shape, strict=True)) if not _fits(x, y)]
    if clashes:
        axes = ", ".join(f"{a.shape[i]} and {b.shape[i]} at axis {i}" for i in clashes)
        raise Mismatch(MismatchKind.SIZES, f"sizes differ: {axes}")
    joined = (ANY if x is ANY or y is ANY else x for x, y in zip(a.shape, b.shape, strict=True))
    return TensorType(tuple(joined), a.dtype)


def _fits(a: Dim, b: Dim) -> bool:
    return a is ANY or b is ANY or a == b

"""Tangent types: the types of derivatives with respect to values.

1. The tangent of a tensor of floats is a tensor of the same type.
2. The tangent of any other tensor, and of any type that contains no floats, is the empty tuple.
3. The tangent of a tuple is the tuple of the tangents of its fields.
4. The tangent of a data type is a data type with the constructor `Zero`, and one for each
   constructor that has fields with tangents. `Zero` represents zeros of any structure, which are
   never built.
"""

from collections.abc import Iterable, Iterator, Mapping

from relay.autodiff.fresh_names import Names
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import is_static
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar, PatternWildcard
from relay.ir.module import Module, TypeData
from relay.ir.types import (
    UNIT,
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    all_parts,
    children,
)
from relay.ops.binary import Add
from relay.ops.creation import Zeros, ZerosLike
from relay.support.node import node


@node
class TangentData:
    """The tangent type of a data type, with its `Zero` and the function that adds two tangents."""

    type: TypeCall
    zero: Constructor
    adding: GlobalVar


class Tangents:
    """The tangent types for the types of a module, whose data types are not generic."""

    def __init__(self, module: Module, names: Names) -> None:
        self.module = module
        self.names = names
        self._known: dict[Type, Type] = {}
        self._data: dict[TypeCall, TangentData] = {}
        self._constructors: dict[TypeCall, Mapping[Constructor, Constructor]] = {}
        self._smooth = set(_with_floats(module))

    def of(self, ty: Type) -> Type:
        """Return the tangent type of a type."""
        if ty not in self._known:
            self._known[ty] = self._tangent(ty)
        return self._known[ty]

    def has(self, ty: Type) -> bool:
        """Whether values of a type have derivatives."""
        return self.of(ty) is not UNIT

    def _tangent(self, ty: Type) -> Type:
        match ty:
            case TensorType(_, dtype):
                return ty if dtype.has_derivatives else UNIT
            case TupleType(fields):
                found = tuple(self.of(field) for field in fields)
                return TupleType(found) if any(each is not UNIT for each in found) else UNIT
            case TypeCall(head) if head.name in self._smooth:
                return self.data(ty).type
            case _:
                return UNIT

    def data(self, ty: TypeCall) -> TangentData:
        """Return the tangent data type of a data type that contains floats."""
        if ty not in self._data:
            own = TypeCall(GlobalTypeVar(self.names.fresh(f"{ty.head.name}Tangent")), ())
            zero = Constructor(self.names.fresh(f"{ty.head.name}Zero"), (), own.head, (), 0)
            callee = FuncType((own, own), own)
            adding = GlobalVar(self.names.fresh(f"add_{own.head.name}"), ty=callee)
            self._data[ty] = TangentData(own, zero, adding)
        return self._data[ty]

    def constructors(self, ty: TypeCall) -> Mapping[Constructor, Constructor]:
        """Return for each constructor of a data type the constructor of its tangents."""
        if ty not in self._constructors:
            made: dict[Constructor, Constructor] = {}
            for each in self.module.alternatives(ty.head):
                inputs = tuple(
                    with_unknown_dims(self.of(field)) for field in self.differentiable_fields(each)
                )
                if inputs:
                    name = self.names.fresh(f"{each.name}Tangent")
                    made[each] = Constructor(
                        name, inputs, self.data(ty).type.head, (), len(made) + 1
                    )
            self._constructors[ty] = made
        return self._constructors[ty]

    def differentiable_fields(self, constructor: Constructor) -> list[Type]:
        """Return the types of those fields of a constructor that contain floats."""
        return [each for each in constructor.inputs if self.has(each)]

    def zero(self, primal: Expr) -> Expr:
        """Return the zero tangent of a value, with the sizes of the value."""
        match primal.type:
            case ty if not self.has(ty):
                return Tuple(())
            case TensorType(shape, dtype):
                static = is_static(shape)
                return Call(Zeros(shape, dtype), ()) if static else Call(ZerosLike(), (primal,))
            case TupleType(fields):
                parts = (self.zero(TupleGetItem(primal, i)) for i in range(len(fields)))
                return Tuple(tuple(parts))
            case ty:
                assert isinstance(ty, TypeCall), "tensors, tuples and data have tangents"
                return Call(self.data(ty).zero, ())

    @property
    def definitions(self) -> dict[str, TypeData]:
        """Return the tangent data types, by name."""
        found: dict[str, TypeData] = {}
        while len(found) < len(self._data):  # one may need another
            for ty, data in [*self._data.items()][len(found) :]:
                own = (data.zero, *self.constructors(ty).values())
                found[data.type.head.name] = TypeData(data.type.head, (), own)
        return found

    @property
    def functions(self) -> dict[str, Function]:
        """Return the functions that add two values of tangent data types."""
        return {data.adding.name: self._addition(ty, data) for ty, data in self._data.items()}

    def _addition(self, ty: TypeCall, data: TangentData) -> Function:
        """Return the function that adds two tangents `a` and `b`, where `Zero` is neutral."""
        a, b = Var("a", data.type), Var("b", data.type)
        clauses = [Clause(PatternConstructor(data.zero), b)]
        for each in self.constructors(ty).values():
            left, right = _variables("a", each), _variables("b", each)
            sums = tuple(self.sum(*pair) for pair in zip(left, right, strict=True))
            inner = (Clause(_pattern(each, right), Call(each, sums)), Clause(PatternWildcard(), a))
            clauses.append(Clause(_pattern(each, left), Match(b, inner)))
        return Function((a, b), Match(a, tuple(clauses)), data.type)

    def sum(self, a: Expr, b: Expr) -> Expr:
        """Return the sum of two tangents of one type."""
        match a.type:
            case TupleType(fields):
                pairs = (self.sum(a[i], b[i]) for i in range(len(fields)))
                return Tuple(tuple(pairs))
            case TypeCall():
                adding = next(each.adding for each in self._data.values() if each.type is a.type)
                return Call(adding, (a, b))
            case _:
                return Call(Add(), (a, b))


def holds_data(ty: Type) -> bool:
    """Whether a type is a data type, or a tuple in which there is one.

    >>> holds_data(TupleType((UNIT, TypeCall(GlobalTypeVar("List"), ()))))
    True
    """
    return isinstance(ty, TypeCall) or any(map(holds_data, children(ty)))


def has_floats(ty: Type) -> bool:
    """Whether a type is a tensor of floats, or a tuple in which there is one.

    >>> has_floats(TupleType((UNIT, TensorType((2,)))))
    True
    """
    match ty:
        case TensorType(_, dtype):
            return dtype.has_derivatives
        case TupleType(fields):
            return any(map(has_floats, fields))
        case _:
            return False


def _variables(name: str, constructor: Constructor) -> tuple[Var, ...]:
    return tuple(Var(name, ty, ty=ty) for ty in constructor.inputs)


def _pattern(constructor: Constructor, variables: tuple[Var, ...]) -> PatternConstructor:
    return PatternConstructor(constructor, tuple(map(PatternVar, variables)))


def _with_floats(module: Module) -> Iterator[str]:
    """Yield the names of the data types that contain floats, also in nested data types."""
    inside = {name: set(_parts(data)) for name, data in module.types.items()}
    found = {name for name, parts in inside.items() if None in parts}
    while True:
        more = {name for name, parts in inside.items() if name not in found and parts & found}
        if not more:
            yield from found
            return
        found |= more


def _parts(data: TypeData) -> Iterator[str | None]:
    """Yield the names of the data types in a data type's fields; None for a tensor of floats."""
    fields = (ty for constructor in data.constructors for ty in constructor.inputs)
    for part in all_parts(*fields, inner=_with_tangents):
        match part:
            case TensorType(_, dtype) if dtype.has_derivatives:
                yield None
            case TypeCall(head):
                yield head.name
            case _:
                pass


def _with_tangents(ty: Type) -> Iterable[Type]:
    return () if isinstance(ty, RefType | FuncType) else children(ty)

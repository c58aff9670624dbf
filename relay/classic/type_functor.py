"""Visitors of types with one method for each kind of type, as in TVM."""

from typing import Any, ClassVar

from relay.ir.module import TypeData
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeRelation,
    TypeVar,
    children,
    with_children,
)
from relay.support.error_codes import ErrorCode
from relay.support.errors import NoMethodError
from relay.support.node import replace

Visited = Type | TypeData


class TypeFunctor:
    """The base of functions on types; a subclass has a method for each kind of type.

    Raises `U071` for a kind of type for which there is no method. The nesting of types bounds the
    recursion.
    """

    METHODS: ClassVar[dict[type[Any], str]] = {
        FuncType: "visit_func_type",
        GlobalTypeVar: "visit_global_type_var",
        IncompleteType: "visit_incomplete_type",
        RefType: "visit_ref_type",
        TensorType: "visit_tensor_type",
        TupleType: "visit_tuple_type",
        TypeCall: "visit_type_call",
        TypeData: "visit_type_data",
        TypeRelation: "visit_type_relation",
        TypeVar: "visit_type_var",
    }

    def visit(self, typ: Visited) -> Any:
        """Return the result for a type, by the method for its kind."""
        name = self.METHODS[type(typ)]
        method = getattr(self, name, None)
        if method is None:
            message = f"the class {type(self).__name__} has no method for a {type(typ).__name__}"
            raise NoMethodError(
                ErrorCode.U071, message, help=f"define a method {name}(self, typ) in the class"
            )
        return method(typ)


class TypeVisitor(TypeFunctor):
    """A visitor of all parts of a type."""

    def visit_type_var(self, tv: TypeVar) -> None:
        """Do nothing: a type variable has no parts."""

    def visit_incomplete_type(self, it: IncompleteType) -> None:
        """Do nothing: a type that is not inferred yet has no parts."""

    def visit_tensor_type(self, tt: TensorType) -> None:
        """Do nothing: a tensor type does not contain other types."""

    def visit_global_type_var(self, gtv: GlobalTypeVar) -> None:
        """Do nothing: the name of a data type has no parts."""

    def visit_func_type(self, ft: FuncType) -> None:
        """Visit parameters, result, type parameters and constraints."""
        self._all(*ft.params, ft.result, *ft.type_params, *ft.constraints)

    def visit_tuple_type(self, tt: TupleType) -> None:
        """Visit the fields."""
        self._all(*tt.fields)

    def visit_type_relation(self, tr: TypeRelation) -> None:
        """Visit the types that the relation is between."""
        self._all(*tr.types)

    def visit_ref_type(self, rt: RefType) -> None:
        """Visit the type of the content."""
        self.visit(rt.content)

    def visit_type_call(self, tc: TypeCall) -> None:
        """Visit the data type and its type arguments."""
        self._all(tc.head, *tc.args)

    def visit_type_data(self, td: TypeData) -> None:
        """Visit the name, the type parameters and the inputs of all constructors."""
        inputs = (each for constructor in td.constructors for each in constructor.inputs)
        self._all(td.header, *td.type_params, *inputs)

    def _all(self, *parts: Visited) -> None:
        for part in parts:
            self.visit(part)


class TypeMutator(TypeFunctor):
    """A visitor that returns a rewritten type.

    >>> class Half(TypeMutator):
    ...     def visit_tensor_type(self, tt):
    ...         return TensorType(tt.shape, "float16")
    >>> Half().visit(TupleType((TensorType((2,)), TensorType((3,)))))
    (Tensor[(2,), float16], Tensor[(3,), float16])
    """

    def visit_type_var(self, tv: TypeVar) -> Type:
        """Return the type variable unchanged."""
        return tv

    def visit_incomplete_type(self, it: IncompleteType) -> Type:
        """Return the type, which is not inferred yet, unchanged."""
        return it

    def visit_tensor_type(self, tt: TensorType) -> Type:
        """Return the tensor type unchanged."""
        return tt

    def visit_global_type_var(self, gtv: GlobalTypeVar) -> Type:
        """Return the name of a data type unchanged."""
        return gtv

    def visit_func_type(self, ft: FuncType) -> Type:
        """Visit parameters, result, type parameters and constraints, and return the new type."""
        changed = self._parts(ft)
        return replace(changed, type_params=tuple(map(self.visit, ft.type_params)))

    def visit_tuple_type(self, tt: TupleType) -> Type:
        """Visit the fields, and return the new type."""
        return self._parts(tt)

    def visit_type_relation(self, tr: TypeRelation) -> Type:
        """Visit the types that the relation is between, and return the new relation."""
        return self._parts(tr)

    def visit_ref_type(self, rt: RefType) -> Type:
        """Visit the type of the content, and return the new type."""
        return self._parts(rt)

    def visit_type_call(self, tc: TypeCall) -> Type:
        """Visit the data type and its type arguments, and return the new type."""
        return replace(self._parts(tc), head=self.visit(tc.head))

    def visit_type_data(self, td: TypeData) -> TypeData:
        """Visit the inputs of all constructors, and return the new definition."""
        constructors = tuple(
            replace(each, inputs=tuple(map(self.visit, each.inputs))) for each in td.constructors
        )
        return td if constructors == td.constructors else replace(td, constructors=constructors)

    def _parts(self, ty: Type) -> Type:
        return with_children(ty, [self.visit(part) for part in children(ty)])

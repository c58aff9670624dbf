"""Functions that visit values of algebraic data types (ADTs) for `vmap`, one for each type."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from relay.autodiff.fresh_names import Names
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, Type, TypeCall


class DataFunctions(ABC):
    """The functions that visit data, each of which is made when it is first needed.

    They take a value of the data type, and a tensor of type `more`. A subclass defines their
    results for the fields of a constructor.
    """

    name: str
    """How the functions are called, in front of the name of the data type."""

    def __init__(self, module: Module, names: Names, more: TensorType) -> None:
        self._module, self._names, self._more = module, names, more
        self._known: dict[TypeCall, GlobalVar] = {}
        self.functions: dict[str, Function] = {}

    def visited(self, value: Expr, ty: TypeCall, more: Expr, result: Type) -> Expr:
        """Return the call of the function for a value of a data type; it returns a `result`."""
        return Call(self._function(ty, result), (value, more))

    @abstractmethod
    def _of_fields(
        self, form: Constructor, fields: Sequence[Expr], more: Expr, result: Type
    ) -> Expr:
        """Return the result of a data type's function for a value of the constructor `form`."""

    def _field_type(self, ty: Type) -> Type:
        """Return the type in which a function reads a field of type `ty`."""
        return ty

    def _function(self, ty: TypeCall, result: Type) -> GlobalVar:
        if ty not in self._known:
            name = self._names.fresh(f"{self.name}_{ty.head.name}")
            self._known[ty] = GlobalVar(name, ty=FuncType((ty, self._more), result))
            value, more = Var("value", ty, ty=ty), Var("more", self._more, ty=self._more)
            forms = self._module.alternatives(ty.head)
            clauses = tuple(self._clause(each, more, result) for each in forms)
            self.functions[name] = Function((value, more), Match(value, clauses), result)
        return self._known[ty]

    def _clause(self, form: Constructor, more: Expr, result: Type) -> Clause:
        types = map(self._field_type, form.inputs)
        fields = [Var("field", each, ty=each) for each in types]
        pattern = PatternConstructor(form, tuple(map(PatternVar, fields)))
        return Clause(pattern, self._of_fields(form, fields, more, result))

"""The base class of executables whose inputs or results have algebraic data types (ADTs)."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from relay.runtime.arguments import Array
from relay.runtime.code.check_values import ValueChecker
from relay.runtime.code.interface_types import (
    DataField,
    ExternalTypes,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    leaves_of,
)
from relay.runtime.executable import Executable
from relay.runtime.explanation import GIVE_INPUTS
from relay.runtime.input_order import in_order
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


class Admitted(list[Array]):
    """The arrays of one call, with the objects that keep the values in them alive."""

    def __init__(self, arrays: Sequence[Array], held: Sequence[Any]) -> None:
        super().__init__(arrays)
        self.held = held


class DataSurface(Executable):
    """An executable that takes or returns values of data types, such as lists and trees.

    A value is passed as `relay.runtime.Data`, or as an object of a dataclass named like its
    constructor; a list as a Python list, an option as its content or None. Results are `Data`;
    `Data.plain` converts lists and options to Python. Tuples and other values may contain such
    values. Internally, a value is represented by a number among the arrays of a call, whose meaning
    depends on the kind of executable.
    """

    external_types: ExternalTypes

    def _called(self, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Run the program; raises `R051` for an argument that does not have the input's type."""
        return self.invoke(self.admit(args, named))[0]

    def run(self, /, *args: Any, **named: Any) -> dict[str, Any]:
        """Run the program, and return the parts of its result by name."""
        found = self(*args, **named)
        results = found if isinstance(self.external_types.result, TupleField) else (found,)
        return {f"output{place}": result for place, result in enumerate(results)}

    def admit(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Array]:
        """Return the arrays for the program's entry; values of data types become numbers."""
        held: list[Any] = []
        leaves = list(self._leaves(args, named, held))
        return Admitted(self._checker.admit(leaves, {}), held)

    def samples(self) -> list[Array]:
        """Return generated inputs; raises `U018` if one is not a tensor of static sizes."""
        fields = [field for _, field in self.external_types.inputs]
        if not all(isinstance(each, TensorField) for field in fields for each in leaves_of(field)):
            raise UsageError(
                ErrorCode.U018,
                "inputs cannot be generated for a model that takes lists, trees or other data "
                "types",
                notes=[repr(self)],
                help=GIVE_INPUTS,
            )
        return super().samples()

    def ordered(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Return the arguments of a call in the order of the inputs; raises `R001` or `R002`."""
        names = [
            name for name, _ in self.external_types.inputs
        ]  # the first may be a list of inputs
        listed = ", ".join(names) or "none"
        return in_order(names, args, self.completed(args, named), f"the inputs are {listed}")

    @property
    def input_names(self) -> Sequence[str]:
        """Return the names of the inputs, in order."""
        return [name for name, _ in self.external_types.inputs]

    @abstractmethod
    def enter(self, ty: int, given: Any, name: str, held: list[Any]) -> Any:
        """Return the number that represents a value of data type number `ty`.

        Objects that must stay alive during the call are added to `held`.
        """

    @abstractmethod
    def leave(self, ty: int, number: Any) -> Any:
        """Return the value of data type number `ty` that `number` in a result represents."""

    def outside(self, results: Sequence[Any]) -> Any:
        """Return the result of a call, converted from arrays and numbers."""
        return self._outside(self.external_types.result, iter(self.outer_results([*results])))

    def _leaves(
        self, args: Sequence[Any], named: Mapping[str, Any], held: list[Any]
    ) -> Iterator[Any]:
        given = self.ordered(args, named)
        for (name, field), each in zip(self.external_types.inputs, given, strict=True):
            yield from self._parts(field, each, name, held)

    def _parts(self, field: Field, given: Any, name: str, held: list[Any]) -> Iterator[Any]:
        """Yield the arrays that represent the argument `given`; its type bounds the recursion."""
        match field:
            case TupleField(fields):
                parts = ValueChecker(self.external_types.types, name).parts(field, given)
                for inner, part in zip(fields, parts, strict=True):
                    yield from self._parts(inner, part, name, held)
            case DataField(ty):
                yield self.enter(ty, given, name, held)
            case TensorField() | OpaqueField():
                yield given

    def _outside(self, field: Field, results: Iterator[Any]) -> Any:
        match field:
            case TupleField(fields):
                return tuple(self._outside(inner, results) for inner in fields)
            case DataField(ty):
                return self.leave(ty, next(results))
            case TensorField() | OpaqueField():
                return next(results)

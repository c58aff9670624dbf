"""The native executable for programs with inputs or results of algebraic data types (ADTs)."""

from collections.abc import Sequence
from typing import Any

from relay.runtime.adt_executable_base import DataSurface
from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.interface_types import ExternalTypes, Field, TensorField, TupleField
from relay.runtime.code.interface_types_json import external_types_from_json
from relay.runtime.code.native_values import Image, read_data
from relay.runtime.code.signature import data_signature
from relay.runtime.code.value_writers import ConstructorLayouts
from relay.runtime.data_json import fields_to_json
from relay.runtime.frame_pool import CallMemory
from relay.runtime.library.write_library import unexportable
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.program import Program
from relay.runtime.program_json import program_from_json


class DataExecutable(DataSurface, NativeExecutable):
    """A native program that takes or returns values of data types, such as lists and trees."""

    kind = "data"

    def __init__(
        self, program: Program, external: ExternalTypes, *, threads: int | None = None
    ) -> None:
        self.external_types = external
        self._forms = ConstructorLayouts(external.types)
        super().__init__(program, threads=threads)
        self.signature = data_signature(external)

    def enter(self, ty: int, given: Any, name: str, held: list[Any]) -> Any:
        """Return the 8-byte word for a value: usually the address of a copy (image) of it."""
        held.append(Image(self._forms, ty, given, name))
        return held[-1].words[:1].reshape(())

    def leave(self, ty: int, number: Any) -> Any:
        """Return the value for the word `number` in a result, read from the program's heap."""
        return read_data(self.external_types.types, ty, int(number))

    def _outputs(self, frame: CallMemory, results: list[Array]) -> list[Any]:
        """Return the one result, copied from the program's memory."""
        arrays = super(DataExecutable, self)._outputs(frame, results)
        return [self.outside(arrays)]

    def _crossing(self) -> tuple[ConstructorLayouts, Sequence[Field], Field]:
        """Return the types that cross the call boundary: data types, input fields, result field."""
        return (
            self._forms,
            [_real(field) for _, field in self.external_types.inputs],
            _real(self.external_types.result),
        )

    def _leaves_values(self) -> bool:
        """Return true: results are on the program's heap and must be copied."""
        return True

    def exportable(self) -> Program:
        """Raise `A017`: C code cannot create or read values of data types."""
        raise unexportable(
            f"{self!r} takes or returns data types or nested tuples, which C code cannot represent",
            "let main take tensors, and return a tensor or a flat tuple of tensors",
        )

    def _body(self, packer: Packer) -> dict[str, Any]:
        """Return the header of a file, which also has the external types."""
        found = super(DataExecutable, self)._body(packer)
        return {**found, **fields_to_json(self.external_types, packer)}

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "DataExecutable":
        """Return the executable in a file, with its program linked into this process."""
        program = program_from_json(container.body.get("program"), container)
        external = external_types_from_json(container.body, container, program.signature)
        return cls(program, external, threads=threads)


def _real(field: Field) -> Field:
    """Return a field in which complex tensors are real ones of the parts of their numbers."""
    match field:
        case TupleField(fields):
            return TupleField(tuple(map(_real, fields)))
        case TensorField(shape, dtype) if dtype.is_complex:
            return TensorField((*shape, 2), dtype.part)
        case _:
            return field

"""The executable whose inputs or results are values of data types."""

import time
from collections.abc import Iterator, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, cast

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.border import (
    DataField,
    DataType,
    Field,
    Image,
    TensorField,
    TupleField,
    read_data,
)
from relay.runtime.code.border_json import (
    field_from_json,
    field_to_json,
    type_from_json,
    type_to_json,
)
from relay.runtime.codec import program_from_json, program_to_json
from relay.runtime.explanation import GIVE_INPUTS
from relay.runtime.native import NativeExecutable, check_repeats
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import Program
from relay.support.errors import RunError, UsageError
from relay.support.node import Value, set_field, value


class _Admitted(list[Array]):
    """The arrays of one call, and the memory that the words among them point to."""

    def __init__(self, arrays: Sequence[Array], images: Sequence[Image]) -> None:
        super().__init__(arrays)
        self.images = images


@value
class DataBorder(Value):
    """What goes in and comes out: tensors, tuples, values of data types; inputs have names."""

    types: tuple[DataType, ...]
    inputs: tuple[tuple[str, Field], ...]
    result: Field

    def __post_init__(self) -> None:
        set_field(self, "types", tuple(self.types))
        set_field(self, "inputs", tuple(self.inputs))


class DataExecutable(NativeExecutable):
    """A native program that takes or returns lists, trees and the like.

    A value is passed as `relay.runtime.Data`, or as an object of a dataclass that has the name of
    its constructor; what comes back is `Data`. Tuples may hold such values.
    """

    kind = "data"

    def __init__(self, program: Program, border: DataBorder, *, threads: int | None = None) -> None:
        super().__init__(program, threads=threads)
        self.border = border
        self._finish = self._code.kernel("relay_finish", 0, 0)
        names = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name, _ in border.inputs]
        self._order = Signature(names)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}: {self._shown(field)}" for name, field in self.border.inputs)
        return f"<DataExecutable ({inputs}) -> {self._shown(self.border.result)}>"

    def _shown(self, field: Field) -> str:
        match field:
            case TensorField(shape, dtype):
                return f"{dtype}[{', '.join(map(str, shape))}]"
            case DataField(ty):
                return self.border.types[ty].name
            case TupleField(fields):
                return f"({', '.join(map(self._shown, fields))})"
            case _:
                return field.type

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the program; raises `R051` for an argument that is no value of its type."""
        return self.invoke(self.admit(args, named))[0]

    def run(self, *args: Any, **named: Any) -> dict[str, Any]:
        """Run the program like a call, and return its result by name."""
        return {"output0": self(*args, **named)}

    def admit(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Array]:
        """Return the arrays of the native entry: elements, or the word of a value in memory."""
        images: list[Image] = []
        leaves = list(self._leaves(args, named, images))
        return _Admitted(self._door.admit(leaves, {}), images)

    def samples(self) -> list[Array]:
        """Refuse to make values of data types up (`U018`); no inputs at all are easily made."""
        if self.border.inputs:
            raise UsageError(
                "U018",
                "values of data types are not made up",
                notes=[repr(self)],
                help=GIVE_INPUTS,
            )
        return []

    def invoke(self, arrays: Sequence[Array]) -> list[Any]:
        """Run the entry function and return the one result, whose memory is given back."""
        frame = self._frames.take()
        results = self._place(frame, arrays)
        trap = self._code.entry(
            frame.input_table, frame.output_table, self._constants, frame.arena, frame.workspace
        )
        if trap:
            self._frames.give(frame)
            raise self._trapped(trap)
        try:
            return [self._outside(self.border.result, iter(results))]
        finally:
            self._finish(frame.arena)
            self._frames.give(frame)

    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Time the program as a whole."""
        check_repeats(repeats)
        best = min(self._timed(arrays) for _ in range(repeats))
        return Profile((StepTime(self.program.entry, self.program.entry, best * 1e3, 0, 0),))

    def pack(self) -> Container:
        """Return the program and its border as the contents of a file."""
        packer = Packer()
        body = {
            "program": program_to_json(self.program, packer),
            "types": [type_to_json(each) for each in self.border.types],
            "inputs": [
                {"name": name, "field": field_to_json(field)} for name, field in self.border.inputs
            ],
            "result": field_to_json(self.border.result),
        }
        return packer.container(self.kind, body)

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "DataExecutable":
        """Link the program that a file holds."""
        record = container.record
        program = program_from_json(record.record("program"), container)
        listed = record.records("types")
        border = DataBorder(
            tuple(type_from_json(each, len(listed)) for each in listed),
            tuple(
                (each.text("name"), field_from_json(each.record("field"), len(listed)))
                for each in record.records("inputs")
            ),
            field_from_json(record.record("result"), len(listed)),
        )
        return cls(program, border, threads=threads)

    def _leaves(
        self, args: Sequence[Any], named: Mapping[str, Any], images: list[Image]
    ) -> Iterator[Any]:
        try:
            bound = self._order.bind(*args, **named).arguments
        except TypeError as error:
            listed = ", ".join(name for name, _ in self.border.inputs) or "none"
            raise RunError("R001", str(error), help=f"the inputs are {listed}") from None
        for name, field in self.border.inputs:
            yield from self._parts(field, bound[name], name, images)

    def _parts(self, field: Field, given: Any, name: str, images: list[Image]) -> Iterator[Any]:
        """Yield the arrays that stand for an argument; recursion is bounded by its type."""
        match field:
            case TupleField(fields):
                if not isinstance(given, tuple) or len(cast("tuple[Any, ...]", given)) != len(
                    fields
                ):
                    raise RunError("R051", f"input '{name}': expected a tuple of {len(fields)}")
                for inner, part in zip(fields, cast("tuple[Any, ...]", given), strict=True):
                    yield from self._parts(inner, part, name, images)
            case DataField(ty):
                images.append(Image(self.border.types, ty, given, name))
                yield images[-1].words[:1].reshape(())
            case _:
                yield given

    def _outside(self, field: Field, arrays: Iterator[Array]) -> Any:
        match field:
            case TupleField(fields):
                return tuple(self._outside(inner, arrays) for inner in fields)
            case DataField(ty):
                return read_data(self.border.types, ty, int(cast("np.int64", next(arrays))))
            case _:
                return next(arrays)

    def _timed(self, arrays: Sequence[Array]) -> float:
        start = time.perf_counter()
        self.invoke(arrays)
        return time.perf_counter() - start

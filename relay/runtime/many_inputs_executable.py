"""The native executable of a model that is compiled to map over many inputs in one run."""

from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, cast

from relay.runtime.adt_executable import DataExecutable
from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.interface_types import (
    Data,
    DataField,
    DataType,
    ExternalTypes,
    Field,
    TensorField,
    Variant,
)
from relay.runtime.code.interface_types_json import external_types_from_json
from relay.runtime.code.signature import DataSignature, signature_of_fields
from relay.runtime.explanation import Explanation
from relay.runtime.input_defaults import completed
from relay.runtime.profile import Profile
from relay.runtime.program import Program
from relay.runtime.program_json import program_from_json
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError


class ManyExecutable(DataExecutable):
    """A program that takes a list of inputs and returns a list of results.

    `names` are the parameters of the model; those in `varying` differ between inputs, and the
    others are shared. `numbers` means that results are scalars, which are stored in the list as
    one-element vectors. A call computes the result of one input, `each` those of many inputs.
    """

    kind = "many"

    def __init__(
        self,
        program: Program,
        external: ExternalTypes,
        names: Sequence[str],
        varying: Sequence[str],
        *,
        numbers: bool = False,
        threads: int | None = None,
    ) -> None:
        super().__init__(program, external, threads=threads)
        self.names, self.varying = tuple(names), tuple(varying)
        self._numbers = numbers
        self.signature = self._signature()
        self._signature_of_one = _signature(self.names)
        self._signature_of_rest = _signature([n for n in self.names if n not in self.varying])

    def __repr__(self) -> str:
        shown = f"{type(self).__name__} {self.signature}"
        return f"<{shown}, or each of many ({', '.join(self.varying)})>"

    def _signature(self) -> DataSignature:
        """Return the signature of a call with a single input."""
        types, (inputs, *rest) = (
            self.external_types.types,
            (field for _, field in self.external_types.inputs),
        )
        *parts, _ = _variants(types, inputs)[0].fields
        result, _ = _variants(types, self.external_types.result)[0].fields
        if self._numbers and isinstance(result, TensorField):
            result = TensorField((), result.dtype)
        varying, same = iter(parts), iter(rest)
        fields = [next(varying if name in self.varying else same) for name in self.names]
        return signature_of_fields(types, list(zip(self.names, fields, strict=True)), result)

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Return the result for a single input; raises `R051` for an invalid argument."""
        return self._listed(*self._one(args, named))[0]

    def each(self, inputs: Iterable[Any], *args: Any, **named: Any) -> list[Any]:
        """Return the result for each input; an input with several parts is a tuple.

        `args` and `named` are the other parameters of the model, which all inputs share.
        """
        return self._listed(*self._many(inputs, args, named))

    def admit_each(self, inputs: Iterable[Any], *args: Any, **named: Any) -> list[Array]:
        """Return the arrays of the entry function for many inputs, to be passed to `invoke`."""
        return super(ManyExecutable, self).admit(self._many(inputs, args, named), {})

    def profile_each(
        self, inputs: Iterable[Any], *args: Any, repeats: int = 10, **named: Any
    ) -> Profile:
        """Return the result of `profile` for many inputs, passed as for `each`, in one run."""
        return self.measure(self.admit_each(inputs, *args, **named), repeats)

    def explain_each(
        self, inputs: Iterable[Any], *args: Any, repeats: int = 10, **named: Any
    ) -> Explanation:
        """Return the result of `explain` for many inputs, passed as for `each`, in one run."""
        return self.explained(self.admit_each(inputs, *args, **named), repeats)

    @property
    def input_names(self) -> Sequence[str]:
        """Return the names of the model's parameters, in order."""
        return self.names

    def completed(self, args: Sequence[Any], named: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the named arguments unchanged: callers have added the defaults already."""
        del args
        return named

    def admit(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Array]:
        """Return the arrays of the entry function for a single input."""
        return super(ManyExecutable, self).admit(self._one(args, named), {})

    def _many(
        self, inputs: Iterable[Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Return the arguments of the entry function for many inputs."""
        if not isinstance(inputs, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            message = f"expected a list of inputs, found a value of type {type(inputs).__name__}"
            raise self._unlisted(message)
        listed = [self._parts_of_input(given) for given in inputs]
        names = list(self._signature_of_rest.parameters)
        known = completed(names, args, named, self.defaults)
        rest = _bound(self._signature_of_rest, args, known, "pass after the list the arguments")
        return self._chained(listed), *rest.values()

    def _one(self, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of the entry function for a single input."""
        known = completed(self.names, args, named, self.defaults)
        bound = _bound(self._signature_of_one, args, known)
        parts = tuple(bound.pop(name) for name in self.varying)
        return self._chained([parts]), *bound.values()

    def _parts_of_input(self, given: Any) -> tuple[Any, ...]:
        """Return the parts of one of many inputs as a tuple."""
        parts = cast("tuple[Any, ...]", (given,) if len(self.varying) == 1 else given)
        if not isinstance(parts, tuple) or len(parts) != len(self.varying):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            found = "a value of type " + type(given).__name__
            if isinstance(given, tuple):
                found = f"a tuple of {len(parts)}"
            expected = f"a tuple of {len(self.varying)} values ({', '.join(self.varying)})"
            raise self._unlisted(f"each input must be {expected}, not {found}")
        return parts

    def _unlisted(self, message: str) -> RunError:
        one = f"tuple ({', '.join(self.varying)})" if len(self.varying) > 1 else "value"
        help_ = f"pass a list that contains one {one} for each run of the model"
        return RunError(ErrorCode.R051, message, help=help_)

    def _chained(self, inputs: Sequence[tuple[Any, ...]]) -> Data:
        """Return the inputs as a list value of the program: a chain of `Data`."""
        more, end = _variants(self.external_types.types, self.external_types.inputs[0][1])
        chain = Data(end.name)
        for parts in reversed(inputs):
            chain = Data(more.name, (*parts, chain))
        return chain

    def _called(self, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the list that the entry function returns, through the Python call path."""
        return self.invoke(super(ManyExecutable, self).admit(args, named))[0]

    def _listed(self, *args: Any) -> list[Any]:
        """Return the items of a list that the entry function has returned, as a Python list."""
        found: list[Any] = []
        chain = super(ManyExecutable, self).__call__(*args)
        while chain.fields:
            value, chain = chain.fields
            found.append(value.reshape(()) if self._numbers else value)
        return found

    def _body(self, packer: Packer) -> dict[str, Any]:
        """Return the header of a file, which also has the names of the model's parameters."""
        names = {"names": list(self.names), "varying": list(self.varying)}
        return {**super()._body(packer), **names, "numbers": self._numbers}

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "ManyExecutable":
        """Return the executable in a file, with its program linked into this process."""
        record = container.record
        program = program_from_json(container.body.get("program"), container)
        names, varying = record.names("names"), record.names("varying")
        numbers = record.flag("numbers")
        external = external_types_from_json(container.body, container, program.signature)
        return cls(program, external, names, varying, numbers=numbers, threads=threads)


def _variants(types: Sequence[DataType], field: Field) -> tuple[Variant, ...]:
    """Return the constructors of a list type: `(item…, rest)`, then the empty list."""
    assert isinstance(field, DataField), "the entry takes and gives a list"
    return types[field.type].variants


def _signature(names: Sequence[str]) -> Signature:
    return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def _bound(
    signature: Signature,
    args: Sequence[Any],
    named: Mapping[str, Any],
    which: str = "pass these inputs:",
) -> dict[str, Any]:
    try:
        return dict(signature.bind(*args, **named).arguments)
    except TypeError as error:
        listed = ", ".join(signature.parameters) or "no inputs"
        raise RunError(ErrorCode.R001, str(error), help=f"{which} {listed}") from None

"""Builds the interface types of a program, for inputs and results that are not only tensors."""

from collections.abc import Collection, Sequence
from itertools import count
from typing import cast

from relay.build.program_signature import complex_numbers, crossing_shape, signature_of
from relay.ir.constructor_field_types import field_types
from relay.ir.expr import Function
from relay.ir.module import Module
from relay.ir.types import FuncType, GlobalTypeVar, TensorType, TupleType, Type, TypeCall
from relay.runtime.code.interface_types import (
    DataField,
    DataType,
    ExternalTypes,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
    leaves_of,
)
from relay.runtime.program import Signature, TensorSpec
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.transform.lower_complex import INPUTS, RESULTS
from relay.transform.monomorphization.data_type_uses import DataTypeUses
from relay.transform.monomorphization.instantiate_functions import instantiated
from relay.transform.monomorphize import Monomorphize


def has_data(main: Function) -> bool:
    """Whether a parameter is not a tensor, or the result neither a tensor nor a tuple of them."""
    result = cast("FuncType", main.type).result
    results = result.fields if isinstance(result, TupleType) else (result,)
    types = [*(param.type for param in main.params), *results]
    return not all(isinstance(ty, TensorType) for ty in types)


def external_types_of(module: Module) -> ExternalTypes:
    """Return the external types of `main`; raises `C102` for types that callers cannot pass."""
    return _Describing(module).external()


def entry_signature(module: Module) -> Signature:
    """Return the names, shapes and dtypes of the inputs and results of the compiled `main`."""
    if has_data(module.main):
        return native_signature(external_types_of(module))
    return signature_of(module.main)


def native_signature(external: ExternalTypes) -> Signature:
    """Return the signature of the native entry, in which a value on the heap is one word."""
    inputs = [spec for name, field in external.inputs for spec in _specs(name, field)]
    outputs = _specs("output0", external.result)
    leaves = [leaf for _, field in external.inputs for leaf in leaves_of(field)]
    leaves += leaves_of(external.result)
    holds = not all(isinstance(leaf, TensorField) for leaf in leaves)
    return Signature(tuple(inputs), tuple(outputs), is_tuple=True, holds_addresses=holds)


def _specs(name: str, field: Field) -> list[TensorSpec]:
    match field:
        case TensorField(shape, dtype) if dtype.is_complex:
            return [TensorSpec(name, (*shape, 2), dtype.part, is_complex=True)]
        case TensorField(shape, dtype):
            return [TensorSpec(name, shape, dtype)]
        case TupleField(fields):
            parts = enumerate(fields)
            return [spec for i, part in parts for spec in _specs(f"{name}.{i}", part)]
        case DataField() | OpaqueField():
            return [TensorSpec(name, (), int64)]


def outer_fields(fields: Sequence[Field], numbers: Collection[int]) -> list[Field]:
    """Return the fields, in which tensors of the parts of complex numbers are complex.

    `numbers` are those of these tensors among the leaves of all fields.
    """
    counter = count()

    def outer(field: Field) -> Field:
        if isinstance(field, TupleField):
            return TupleField(tuple(map(outer, field.fields)))
        if next(counter) not in numbers or not isinstance(field, TensorField):
            return field
        return TensorField(field.shape[:-1], field.dtype.as_complex)

    return list(map(outer, fields))


class _Describing:
    """A numbering of the data types that the entry's types reach, in order of discovery."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._numbers: dict[Type, int] = {}
        self._uses: DataTypeUses | None = None

    def external(self) -> ExternalTypes:
        main = self._module.main
        names = distinct([param.name for param in main.params])
        pairs = zip(names, main.params, strict=True)
        inputs = [(name, self._crossing(name, param.type)) for name, param in pairs]
        result = self._crossing("the result", cast("FuncType", main.type).result)
        outer = outer_fields([field for _, field in inputs], complex_numbers(main, INPUTS))
        inputs = [(name, field) for (name, _), field in zip(inputs, outer, strict=True)]
        (result,) = outer_fields([result], complex_numbers(main, RESULTS))
        types: list[DataType] = []
        while len(types) < len(self._numbers):
            types.append(self._data_type(list(self._numbers)[len(types)]))
        return ExternalTypes(tuple(types), tuple(inputs), result)

    def _crossing(self, name: str, ty: Type) -> Field:
        field = self._field(ty)
        if any(isinstance(leaf, OpaqueField) for leaf in leaves_of(field)):
            raise CompileError(
                ErrorCode.C102,
                f"'{name}' of type {ty!r} cannot be an input or a result of a compiled program",
                help="use tensors, tuples and data types as inputs and results",
            )
        return field

    def _field(self, ty: Type) -> Field:
        match ty:
            case TensorType():
                return TensorField(crossing_shape(ty), ty.dtype)
            case TupleType(fields):
                return TupleField(tuple(map(self._field, fields)))
            case GlobalTypeVar() | TypeCall():
                known = self._represented(ty)
                return DataField(self._numbers.setdefault(known, len(self._numbers)))
            case _:
                return OpaqueField(repr(ty))

    def _represented(self, ty: GlobalTypeVar | TypeCall) -> Type:
        """Return the type that determines the layout of a value; its sizes may be erased."""
        if not (isinstance(ty, TypeCall) and ty.args):
            return ty
        if self._uses is None:
            limit = Monomorphize().limit
            functions, values = instantiated(self._module, "main", limit)
            self._uses = DataTypeUses(self._module, functions.values(), values, limit)
        return self._uses.canonical(ty)

    def _data_type(self, ty: Type) -> DataType:
        head = ty.head if isinstance(ty, TypeCall) else ty
        assert isinstance(head, GlobalTypeVar)
        variants = [
            Variant(c.name, tuple(map(self._field, field_types(c, ty))))
            for c in self._module.types[head.name].constructors
        ]
        args = ty.args if isinstance(ty, TypeCall) else ()
        return DataType(head.name, tuple(variants), tuple(map(self._field, args)))


def distinct(names: list[str]) -> list[str]:
    """Return unique names derived from `names`, which may repeat."""
    found: dict[str, None] = {}
    for name in names:
        count = 0
        while (new := f"{name}_{count}" if count else name) in found:
            count += 1
        found[new] = None
    return list(found)

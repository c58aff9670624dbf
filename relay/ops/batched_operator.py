"""The operator `lifted`: another operator, applied along an additional batch axis."""

from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeAlias, TypeVar, cast

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Expr, Tuple
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.te.lift_over_axis import lift_formulas
from relay.opdef import checks
from relay.opdef.attribute_types import plain
from relay.opdef.definition import Arrays, Fusion, OperatorDef, Tensors
from relay.opdef.dim_constraints import record_constraints
from relay.opdef.example import Example
from relay.opdef.table import OPERATORS, operator
from relay.ops.tensor.dim_arithmetic import tensor_types
from relay.support.dtype import DType
from relay.support.node import set_field

Mapped: TypeAlias = bool | tuple[bool, ...]
"""Whether an argument has the batch axis; for a tuple argument, whether each of its fields has."""

_T = TypeVar("_T")


@operator("lifted")
class Lifted(OperatorDef):
    """Apply an operator `size` times along a new first axis of some arguments.

    `operator` and `attributes` are the name and the attributes of the base operator. The argument
    is a tuple of its tensor operands, in order. `mapped` has, for each argument of the operator
    (each field of a tuple argument), whether it has the batch axis. All results have it. Any shape,
    any dtype. Raises the errors of the base operator's type rule.
    """

    operator: str
    attributes: tuple[tuple[str, Any], ...]
    mapped: tuple[Mapped, ...]
    size: Dim

    undifferentiable = "the operator that it applies to each row has no derivative"
    examples = (
        Example(
            ["f32[3, 5]", "i64[3, 2]"], operator="take", attributes=(("mode", "wrap"),),
            mapped=(True, True), size=3, values={0: [np.eye(3, 5), [[0, 9], [-1, 2], [3, 3]]]},
        ),
        Example(["f32[4, 6]"], operator="sort", attributes=(), mapped=(True,), size=4),
        Example(
            ["f32[2, 3]", "f32[4]"], operator="concatenate", attributes=(("axis", 0),),
            mapped=((True, False),), size=2,
        ),
        Example(["f64[0, 7]"], operator="cumsum", attributes=(), mapped=(True,), size=0),
        Example(["i32[3, 2, 2]"], operator="shape_of", attributes=(), mapped=(True,), size=3),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "attributes", plain(self.attributes))
        named = all(len(each) == 2 for each in self.attributes)
        checks.attribute(self.name, named, "each attribute must be a pair of a name and a value")
        set_field(self, "mapped", plain(self.mapped))

    @classmethod
    def over(cls, op: OperatorDef, mapped: Sequence[Mapped], size: Dim) -> Self:
        """Return `op` applied to a batch of `size` elements; see the class for `mapped`."""
        values = ((name, getattr(op, name)) for name in op.__match_args__)
        attributes = ((name, str(v) if isinstance(v, DType) else v) for name, v in values)
        return cls(op.name, tuple(attributes), tuple(mapped), size)

    @property
    def called(self) -> OperatorDef:
        """Return the base operator, which is applied to each element of the batch."""
        made = OPERATORS.find(self.operator).made(dict(self.attributes))
        assert isinstance(made, OperatorDef), "the table has no others"
        return made

    @property
    def is_mapped(self) -> list[bool]:
        """Return, for each tensor operand, whether it has the batch axis."""
        return [*_flat(self.mapped)]

    def grouped(self, tensors: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the base operator's arguments: its tensor operands, some grouped into tuples."""
        groups = _grouped(tensors, self.mapped)
        return tuple(Tuple(each) if isinstance(each, tuple) else each for each in groups)

    @property
    def fusion(self) -> Fusion:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the base operator's fusion kind, since the batch axis only adds an outer loop."""
        return self.called.fusion

    @property
    def may_trap(self) -> bool:
        """Whether the base operator may trap."""
        return self.called.may_trap

    def infer(self, args: Type) -> Type:
        has_formula = self.called.has("compute") and not self.called.stateful
        checks.attribute(
            self.name,
            has_formula,
            (
                f"the operator {self.operator} has no tensor expression (`compute`), so it "
                "cannot be batched"
            ),
        )
        types = self._types_of_one(args)
        given = [TupleType(each) if isinstance(each, tuple) else each for each in types]
        typing = self.called.typing(given)
        record_constraints(*typing.constraints)
        result = typing.type
        is_known = isinstance(result, TensorType | TupleType)
        checks.attribute(
            self.name,
            is_known,
            f"the result type of the operator {self.operator} is unknown for these arguments",
        )
        fields = result.fields if isinstance(result, TupleType) else (result,)
        new = tuple(TensorType((self.size, *ty.shape), ty.dtype) for ty in _tensor_types(fields))
        return TupleType(new) if isinstance(result, TupleType) else new[0]

    def _types_of_one(self, args: Type) -> list[Type | tuple[Type, ...]]:
        """Return the argument types of a single call of the base operator."""
        fields = tensor_types(self.name, args)
        flags = self.is_mapped
        counts = f"{len(fields)} tensors are passed, but `mapped` has {len(flags)} entries"
        checks.attribute(self.name, len(fields) == len(flags), counts)
        types = [self._type_of_one(*each) for each in zip(fields, flags, strict=True)]
        return _grouped(types, self.mapped)

    def _type_of_one(self, ty: TensorType, is_mapped: bool) -> Type:
        if not is_mapped:
            return ty
        checks.attribute(
            self.name,
            ty.rank > 0,
            f"an argument to map over an axis has no axes: its type is {ty!r}",
        )
        checks.size(self.name, "the mapped axis", self.size, ty.shape[0])
        return TensorType(ty.shape[1:], ty.dtype)

    def compute(self, args: tuple[te.Tensor, ...]) -> Tensors:
        lifted = dict[te.Tensor, te.Tensor]()
        parts: list[te.Tensor] = []
        for arg, is_mapped in zip(args, _flat(self.mapped), strict=True):
            part = te.placeholder(arg.shape[1:], arg.dtype, arg.name) if is_mapped else arg
            parts.append(part)
            if is_mapped:
                lifted[part] = arg
        outputs = self.called.compute(*cast("Any", _grouped(parts, self.mapped)))
        listed = outputs if isinstance(outputs, tuple) else (outputs,)
        found = tuple(_spread(each, lifted, self.size) for each in listed)
        return found if isinstance(outputs, tuple) else found[0]

    def reference(self, args: tuple[Array, ...]) -> Arrays:
        flags = self.is_mapped
        types = TupleType(tuple(TensorType(arg.shape, str(arg.dtype)) for arg in args))
        result = self.infer(types)
        fields = _tensor_types(result.fields if isinstance(result, TupleType) else (result,))
        found = [np.empty(ty.static_shape, ty.dtype.numpy) for ty in fields]
        for i in range(cast("int", self.size)):
            parts = [arg[i] if flag else arg for arg, flag in zip(args, flags, strict=True)]
            value = self.called.reference(*cast("Any", _grouped(parts, self.mapped)))
            listed = value if isinstance(value, tuple) else (value,)
            for whole, part in zip(found, listed, strict=True):
                whole[i] = part
        return tuple(found) if isinstance(result, TupleType) else found[0]


def _flat(mapped: Sequence[Mapped]) -> Iterator[bool]:
    for each in mapped:
        yield from each if isinstance(each, tuple) else (each,)


def _grouped(parts: Sequence[_T], mapped: Sequence[Mapped]) -> list[_T | tuple[_T, ...]]:
    """Return `parts` grouped into arguments; where `mapped` has a tuple, they form a tuple."""
    waiting = iter(parts)
    return [
        tuple(next(waiting) for _ in each) if isinstance(each, tuple) else next(waiting)
        for each in mapped
    ]


def _tensor_types(types: Sequence[object]) -> tuple[TensorType, ...]:
    found = tuple(ty for ty in types if isinstance(ty, TensorType))
    assert len(found) == len(types), "operators take and return tensors"
    return found


def _spread(part: te.Tensor, lifted: dict[te.Tensor, te.Tensor], size: Dim) -> te.Tensor:
    """Return the batched formula of result `part`; a result without the batch axis is repeated.

    `lifted` maps the tensors that have the batch axis to their batched forms.
    """
    (whole,) = lift_formulas([part], lifted, size)
    if whole is not part:
        return whole

    def repeated(*i: te.Scalar) -> te.Scalar:
        return part[i[1:]]

    return te.compute((size, *part.shape), repeated, part.name)

"""Operators that take attributes as tensors: `dyn.reshape(x, newshape)` in addition to `reshape`.

The name of an operator with a tensor in place of an attribute begins with `dyn.`. Its other
attributes, arguments, type, value and derivative are derived from the static operator, which the
method `static` returns if the tensors are constants. The rank of the result is known, but its sizes
are not: `with_sizes` introduces dimension variables for the sizes, which the compiled program reads
from the tensors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from itertools import islice
from typing import Any, ClassVar, TypeVar, cast

from relay.ir.dims import ANY, Dim, DimVar, Shape
from relay.ir.expr import Array, Call, Expr, Operator
from relay.ir.types import TensorType, Type
from relay.opdef import checks
from relay.opdef.definition import Arrays, OperatorDef
from relay.opdef.table import operator
from relay.ops.tensor.dim_arithmetic import ints, require_integer
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_sizes import SizedAtRunTime, WithSizes
from relay.support.dtype import dtype
from relay.support.node import Value, set_field, value

_T = TypeVar("_T")


@value
class Operand(Value):
    """The rules by which a tensor argument determines an attribute.

    `open` is the attribute's value if nothing is known of it. `seen` returns the part of the value
    that the tensor's type determines, and raises an error for an invalid type; `read` returns the
    value for known elements.
    """

    open: Any
    seen: Callable[[str, str, TensorType], Any]
    read: Callable[[Array], Any]


class Dynamic(SizedAtRunTime):
    """The base of operators whose last arguments are attributes of a static operator."""

    __slots__ = ()
    always_read: ClassVar[bool] = True
    static_form: ClassVar[type[OperatorDef]]
    operands: ClassVar[Mapping[str, Operand]]
    left_out: ClassVar[tuple[str, ...]] = ()
    """The names of attributes of the static operator that always have their defaults."""
    carrier: ClassVar[int] = 0
    """The argument to which the reading of sizes is attached, so that it precedes their use."""

    def __post_init__(self) -> None:
        static = self.static_operator(*(each.open for each in self.operands.values()))
        for name in self.__match_args__:
            set_field(self, name, getattr(static, name))

    def static_operator(self, *values: Any) -> OperatorDef:
        """Return the static operator with these attribute values; it takes the other arguments."""
        kept = {name: getattr(self, name) for name in self.__match_args__}
        form = cast("Any", self.static_form)
        return form(**kept, **dict(zip(self.operands, values, strict=True)))

    def typed(self, *types: TensorType) -> Type:
        """Return the result type, as far as the types of attribute tensors determine it."""
        given, parameters = self._split(types)
        return self.static_operator(*self.seen(parameters)).infer(*given)

    def seen(self, types: Sequence[TensorType]) -> list[Any]:
        """Return what the types of the attribute tensors determine; raises if a type is invalid."""
        pairs = zip(self.operands.items(), types, strict=True)
        return [each.seen(self.name, name, ty) for (name, each), ty in pairs]

    def static(self, constants: Sequence[Array | None]) -> Operator | None:
        """Return the static operator if all attribute tensors are constants; else None.

        >>> import numpy as np
        >>> from relay.ops.tensor.dynamic_shapes import DynamicReshape
        >>> DynamicReshape().static((None, np.array([2, 3])))
        Reshape(newshape=(2, 3), allowzero=False)
        """
        known = [each for each in constants[-len(self.operands) :] if each is not None]
        return self._fixed(known) if len(known) == len(self.operands) else None

    def reference(self, *arrays: Array) -> Arrays:
        """Return the result of the static operator; raises the errors of its type rule."""
        given, parameters = self._split(arrays)
        fixed = self._fixed(parameters)
        fixed.result_type([TensorType(each.shape, dtype(each.dtype)) for each in given])
        return fixed.reference(*given)

    def derived(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the static operator; attribute tensors have none."""
        static = self.static_operator(*(each.open for each in self.operands.values()))
        count = len(call.args) - len(self.operands)
        return (*static.gradient(call, d_out)[:count], *[None] * len(self.operands))

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr | None:
        """Return the static operator with variables from `names`, read from the attribute tensor.

        The result is None unless there is exactly one such tensor, and another argument.
        """
        *given, parameter = args
        if len(self.operands) != 1 or not given:
            return None
        vector = parameter if self._is_list else Call(Reshape((1,)), (parameter,))
        return self.with_symbolic_sizes(given, vector, names)

    def with_symbolic_sizes(
        self, given: Sequence[Expr], sizes: Expr, names: Iterator[DimVar]
    ) -> Expr:
        """Return a call of the static operator, for attributes that are the elements of `sizes`.

        Each nonnegative element is bound to a dimension variable from `names`; `given` are the
        other arguments.
        """
        shape = sizes.tensor_type.static_shape
        read = tuple(islice(names, shape[0] if shape else 1))
        args = [*given]
        args[self.carrier] = Call(WithSizes(read), (args[self.carrier], sizes))
        return Call(self.static_operator(read if self._is_list else read[0]), args)

    @property
    def _is_list(self) -> bool:
        """Whether the only attribute that is a tensor is a list of sizes."""
        (operand,) = self.operands.values()
        return isinstance(operand.open, tuple)

    def _split(self, args: Sequence[_T]) -> tuple[Sequence[_T], Sequence[_T]]:
        """Split arguments into those of the static operator and the attribute tensors."""
        count = len(args) - len(self.operands)
        return args[:count], args[count:]

    def _fixed(self, arrays: Sequence[Array]) -> OperatorDef:
        pairs = zip(self.operands.values(), arrays, strict=True)
        return self.static_operator(*(operand.read(array) for operand, array in pairs))


def dynamic(
    static_form: type[OperatorDef], **operands: Operand
) -> Callable[[type[Dynamic]], type[Any]]:
    """Declare a class as the variant of a static operator in which some attributes are tensors.

    Its name, its other attributes and the names of its arguments are those of the static operator.
    The class defines examples, and rules that differ from the derived ones.
    """

    def declare(cls: type[Dynamic]) -> type[Any]:
        given = {each.name: each for each in fields(cast("Any", static_form))}
        kept = [given[name] for name in given if name not in (*operands, *cls.left_out)]
        cls.__annotations__ = {each.name: each.type for each in kept}
        for each in kept:
            if each.default is not MISSING:
                setattr(cls, each.name, each.default)
        cls.static_form, cls.operands = static_form, operands
        cls.infer = _type_rule((*static_form.arguments(), *operands))
        if not cls.undifferentiable and not cls.has("gradient"):
            cls.gradient = Dynamic.derived
        return operator(f"dyn.{static_form.name}")(cls)

    return declare


def _type_rule(names: Sequence[str]) -> Callable[..., Type]:
    """Return a type rule whose parameters have these names, which are those of the arguments."""

    def infer(self: Dynamic, *types: TensorType) -> Type:
        return self.typed(*types)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    params = [Parameter(name, kind, annotation=TensorType) for name in ("self", *names)]
    vars(infer)["__signature__"] = Signature(params)
    return infer


def length_of(name: str, parameter: str, ty: TensorType) -> int:
    """Return the length of a vector of integers, which must be static (`T100`, `T102`, `T104`)."""
    checks.rank(name, parameter, ty, 1)
    require_integer(name, parameter, ty)
    length = ty.shape[0]
    checks.attribute(name, isinstance(length, int), f"the length of {parameter} must be static")
    return length if isinstance(length, int) else 0


def integers(array: Array) -> tuple[int, ...]:
    """Return the elements of an integer array as a tuple, in row-major order."""
    return ints(array.reshape(-1).tolist())


def _integer(array: Array) -> int:
    (found,) = integers(array)
    return found


def _vector(name: str, parameter: str, ty: TensorType) -> Shape:
    return (ANY,) * length_of(name, parameter, ty)


def _scalar(name: str, parameter: str, ty: TensorType) -> Dim:
    """Require a tensor of one integer: rank 0, or a vector of length 1."""
    checks.rank(name, parameter, ty, 0, 1)
    require_integer(name, parameter, ty)
    for size in ty.shape:
        checks.size(name, parameter, 1, size)
    return ANY


SIZES = Operand((ANY,), _vector, integers)
"""An attribute tensor that is a vector of sizes."""

SIZE = Operand(ANY, _scalar, _integer)
"""An attribute tensor that is one size, of rank 0 or in a vector."""

NUMBERS = Operand((), length_of, integers)
"""An attribute tensor that is a vector of other integers; its type determines only its length."""

NUMBER = Operand(0, _scalar, _integer)
"""An attribute tensor that is one integer other than a size."""

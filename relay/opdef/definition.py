"""The base class of operators, whose members are all the properties that an operator may define.

An operator is a subclass that declares its attributes as typed fields and implements some of these
methods; the others have defaults. Required are a type rule (`infer`), `examples`, and either a
formula (`compute`) with a NumPy `reference`, or a decomposition into smaller operators
(`decompose`).
"""

from collections.abc import Sequence
from dataclasses import fields
from enum import Enum, auto
from functools import cache, lru_cache
from inspect import Parameter, signature
from typing import Any, ClassVar, Self, TypeAlias, cast

from relay.ir.dims import Dim, Shape, product
from relay.ir.expr import Array, Attributes, Call, Expr, Operator
from relay.ir.types import FuncType, RefType, TensorType, TupleType, Type, TypeCall, TypeVar
from relay.kernels import te
from relay.opdef.access_map import AccessMap, Fusion, access_maps
from relay.opdef.batched_call import Batched
from relay.opdef.broadcast_axes import BroadcastAxes
from relay.opdef.complex_rules import check_complex
from relay.opdef.dim_constraints import Typing, typing_of
from relay.opdef.example import Example
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.operator_from_attributes import operator_from_attributes
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

Arrays: TypeAlias = Array | tuple[Array, ...]
Tensors: TypeAlias = te.Tensor | tuple[te.Tensor, ...]


class Precision(Enum):
    """How an operator is treated when a program is converted to narrow floats."""

    ALWAYS = auto()  # narrow
    FOLLOW = auto()  # as narrow as the arguments
    NEVER = auto()  # wide
    KEEP = auto()  # its arguments keep their types, as scales of quantised numbers do
    UNSTATED = auto()  # as FOLLOW, but nobody has examined it: TVM calls this unregistered


class _FusionOfFormula:
    """The descriptor of `fusion` for operators that do not declare it."""

    def __get__(self, holder: object, cls: "type[OperatorDef]") -> Fusion:
        """Return the fusion kind that follows from the formula of the operator class."""
        del holder
        return fusion_of_formula(cls)


class OperatorDef(Operator):
    """The base class of operators."""

    __slots__ = ()
    examples: ClassVar[tuple[Example, ...]] = ()
    fusion: ClassVar[Fusion] = cast("Fusion", _FusionOfFormula())
    """How loops of the operator may be fused: derived from its formula unless declared."""
    precision: ClassVar[Precision] = Precision.UNSTATED
    result_dtype: ClassVar[str] = ""
    """The attribute that states the element type of the result; empty if operands determine it."""
    stateful: ClassVar[bool] = False
    quantised: ClassVar[bool] = False
    """Whether it reads or makes quantised numbers; scales and zero points are operands, too."""
    keeps_type: ClassVar[bool] = False
    """Whether the result has the first argument's type, so that each is inferred from the other."""
    identity: ClassVar[float | None] = None
    """The number `e` with `f(x, e) = x` for all `x`: 0 of addition, 1 of multiplication."""
    idempotent: ClassVar[bool] = False
    """Whether `f(f(x))` is `f(x)`; for a binary operator, whether `f(x, x)` is `x`."""
    picks: ClassVar[bool] = False
    """Whether it reads at most as many elements of its first argument as its result has."""
    derivative_attributes: ClassVar[tuple[str, ...]] = ()
    """The attributes that choose a derivative where there are several; values are independent."""
    gradient_level: ClassVar[int] = 10
    """The level of the derivative: rules that users register for lower levels do not replace it."""
    undifferentiable: ClassVar[str] = ""
    """Why there is no derivative, as a phrase after "because"; empty where there is one."""

    not_differentiated_by: ClassVar[tuple[str, ...]] = ()
    """The arguments that derivatives treat as constants, although the result depends on them."""

    @property
    def opened(self) -> Shape:
        """Return the dimension variables whose run-time sizes are elements of the last argument."""
        return ()

    @property
    def may_trap(self) -> bool:
        """Whether the operator traps for some arguments (by `te.inside`, for example)."""
        return False

    def may_trap_on(self, args: Sequence[Expr]) -> bool:
        """Whether a call with these arguments may trap, as far as constants among them tell."""
        del args
        return self.may_trap

    def precision_in(self, narrow: DType) -> Precision:
        """Return how the operator is treated with these attributes if floats become `narrow`."""
        del narrow
        return self.precision

    def without_derivative_attributes(self) -> Self:
        """Return the operator that computes the same values, with default derivatives."""
        if not self.derivative_attributes:
            return self
        kept = {name: getattr(self, name) for name in self.__match_args__}
        for name in self.derivative_attributes:
            del kept[name]
        return type(self)(**kept)

    def get_attr(self, name: str) -> object:
        """Return the property that has this name in TVM's Relay; None for unknown names."""
        return {"TOpPattern": int(self.fusion), "TOpIsStateful": self.stateful}.get(name)

    def infer(self, *types: TensorType) -> Type:
        """Return the type of the result from the types of the arguments.

        An argument that is a tuple of tensors (as of `concatenate`) arrives as a `TupleType`.
        Dimensions may be symbolic: requirements on them are recorded as constraints (`constrain`,
        or a check that calls it), which `typing` returns with the type. Raises `RelayTypeError`
        where the arguments do not fit.
        """
        raise AssertionError(f"{self.name} has no type rule")

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return all argument types as far as they follow from the known ones.

        An unknown type is None.
        """
        return types

    def compute(self, *inputs: te.Tensor) -> Tensors:
        """Return the tensor expression of the result, from which every backend generates code.

        Dimensions may be symbolic. An argument that is a tuple is passed as a tuple of tensors.
        """
        raise AssertionError(f"{self.name} has no tensor expression")

    def access_maps(self, types: Sequence[Type]) -> list[AccessMap] | None:
        """Return which argument elements each result is computed from, given argument types.

        The result is None for an operator whose loops are written by hand.
        """
        found = self.compute(*_inputs(types))
        return access_maps(found if isinstance(found, tuple) else (found,))

    def compute_changes(self, *inputs: te.Tensor) -> te.Tensor:
        """Return a tensor expression for the result that updates the first argument in place.

        Its loops write the elements that change, and may read them first; they read no other
        elements of the first argument. It is meant for operators whose result differs from their
        first argument in few elements.
        """
        raise AssertionError(f"{self.name} changes everything")

    def decompose(self, *args: Expr) -> Expr:
        """Return an expression of smaller operators that is equivalent to a call.

        The arguments are typed expressions.
        """
        raise AssertionError(f"{self.name} does not decompose")

    def partial_reference(self, *args: Array) -> tuple[Array, Array] | None:
        """Return a result in which some elements trap, and the mask of those elements.

        Masked elements have arbitrary values. The result is None if all elements trap or none does.
        """
        del args
        return None

    def reference(self, *arrays: Array) -> Arrays:
        """Return the result computed by NumPy, which defines the meaning of the operator."""
        raise AssertionError(f"{self.name} has no reference")

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the cotangent of each argument, given `d_out`, the cotangent of the result.

        An entry is None where the derivative is zero.

        This is the vector-Jacobian product of reverse-mode differentiation. An operator that has
        neither this rule nor a decomposition states the reason in `undifferentiable`. The rule is
        called only where an argument and the result contain floats.

        - **Arguments.** `call` is the typed call, whose result may be reused; its arguments
          are typed expressions. `d_out` has the type of the result.
        - **Result.** One entry for each argument, of exactly its type: its shape (sum over
          axes that were broadcast), and its element type, also where `out_dtype` changes that of
          the result (`cast_like`). The entries are ordinary expressions of differentiable
          operators, so that derivatives of every order exist.
        - **Zeros** are None: for integers and bools, for arguments of which only the type matters
          (`like`), and where the derivative vanishes almost everywhere (`floor`).
        - **Tuples.** For a tuple of tensors as an argument, the entry is None or an expression of
          the tuple's type. For a tuple as the result, `d_out` is an expression of the tuple's
          type; fields of integers and bools are arbitrary and must not be read.
        - **Constants.** Arguments in `not_differentiated_by`, such as regions of interest,
          also get None.
        - **Where there is no derivative** (at ties, jumps and poles) the rule returns one of the
          one-sided derivatives, or an average of them: `relu'(0) = 1`, `abs'(0) = 1`, the
          first maximum of a window, equal shares between equal elements of `max`.
        - **Dynamic sizes.** Dimensions may be symbolic wherever the type rule allows it.
        - **Errors.** A derivative that exists only for some attributes raises `T104` for others.
        """
        raise AssertionError(f"{self.name} has no derivative")

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether the result has the first argument's elements in the same order, in another shape.

        Such a call is free: its result aliases the argument's memory.
        """
        del types
        return False

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the operator that works on arguments in these layouts, and its result's layout.

        The result is None if the operator requires plain layouts. `types` are the arguments' types
        in plain layouts.
        """
        del types, layouts
        return None

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return one call that replaces `size` calls; arguments in `mapped` have a new first axis.

        `types` are the argument types of a single call. The call's result has the new axis, too. If
        this method returns None, `relay.transform.vmap` adds the axis to the operator's formula
        instead. Implement it if another operator computes the batch faster.
        """
        del types, mapped, size
        return None

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of axes that broadcast with each other.

        A group maps the number of an argument to the number of its axis. Dynamic sizes of these
        axes are compared with 1 at run time. `types` are those of the arguments,
        or of the fields of the argument that is a tuple.
        """
        del types
        return ()

    def flops(self, *types: TensorType) -> Dim:
        """Return the number of arithmetic operations of a call, for reports.

        By default, this is one for each element of the result.
        """
        result = self.infer(*types)
        fields = result.fields if isinstance(result, TupleType) else (result,)
        total: Dim = 0
        for field in fields:
            total += product(field.shape) if isinstance(field, TensorType) else 1
        return total

    def result_type(self, types: Sequence[Type]) -> Type | None:
        """Return the result type of a call; overrides `Operator.result_type`."""
        return self.typing(types).type

    def typing(self, types: Sequence[Type]) -> Typing:
        """Return the result type of a call and the constraints on dimensions, both from `infer`."""
        return _typing(self, tuple(types))

    @classmethod
    def made(cls, attributes: Attributes) -> Self:
        """Return the operator with the given attributes; overrides `Operator.made`."""
        return operator_from_attributes(cls, attributes)

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """Return the names of the arguments, which are the parameter names of the type rule."""
        return _argument_names(cls)

    @classmethod
    def has(cls, method: str) -> bool:
        """Whether the class implements the method `method` (`compute`, `gradient`, …)."""
        return getattr(cls, method) is not getattr(OperatorDef, method)


@lru_cache(maxsize=1 << 14)
def _typing(op: OperatorDef, types: tuple[Type, ...]) -> Typing:
    """Return the result of the type rule; it depends only on the types, so it is memoised."""
    return typing_of(lambda: _checked_type(op, types))


def _checked_type(op: OperatorDef, types: Sequence[Type]) -> Type | None:
    """Return the result type of a call, after checking the number and kinds of arguments."""
    expected = op.arguments()
    if len(types) != len(expected):
        raise _wrong_count(op, expected, len(types))
    for name, ty, takes_tuple in zip(expected, types, _takes_tuples(type(op)), strict=True):
        if not _is_tensors(ty, takes_tuple):
            message = f"{op.name}: the argument {name} must be a tensor, not {ty!r}"
            raise RelayTypeError(ErrorCode.T011, message, help=_way_to_a_tensor(ty))
    check_complex(op, types)
    result = op.infer(*types)  # pyright: ignore[reportArgumentType] - just checked
    check_complex(op, (result,))
    return result


@cache
def fusion_of_formula(cls: type[OperatorDef]) -> Fusion:
    """Return the most restrictive fusion kind among the formulas of an operator's examples.

    Operators that are stateful or have no formula are `OPAQUE`.
    """
    if cls.stateful or not cls.has("compute") or not cls.examples:
        return Fusion.OPAQUE
    most = Fusion.ELEMENTWISE
    for example in cls.examples:
        maps = cls.made(example.attributes).access_maps(example.types)
        most = max(most, *(each.fusion for each in maps)) if maps else Fusion.OPAQUE
        if most >= Fusion.ANCHOR:
            return most
    return most


def _inputs(types: Sequence[Type]) -> list[Any]:
    """Return placeholder tensors of these types, as arguments of the method `compute`."""
    return [
        tuple(_inputs(ty.fields))
        if isinstance(ty, TupleType)
        else te.placeholder(cast("TensorType", ty).shape, cast("TensorType", ty).dtype)
        for ty in types
    ]


@cache
def _argument_names(cls: type[OperatorDef]) -> tuple[str, ...]:
    """Return the parameter names of the type rule; memoised, because every call needs them."""
    params = list(signature(cls.infer).parameters.values())[1:]
    assert all(p.kind is Parameter.POSITIONAL_OR_KEYWORD for p in params), cls.name
    return tuple(p.name for p in params)


@cache
def _takes_tuples(cls: type[OperatorDef]) -> tuple[bool, ...]:
    """Return for each argument whether it may be a tuple: its parameter in `infer` is a `Type`."""
    params = list(signature(cls.infer).parameters.values())[1:]
    return tuple(p.annotation is not TensorType for p in params)


def _is_tensors(ty: Type, takes_tuple: bool) -> bool:
    if isinstance(ty, TupleType) and takes_tuple:
        return all(isinstance(field, TensorType) for field in ty.fields)
    return isinstance(ty, TensorType)


def _wrong_count(op: OperatorDef, expected: Sequence[str], found: int) -> RelayTypeError:
    """Return the error for a call with too many or too few arguments."""
    several = "" if len(expected) == 1 else "s"
    message = f"{op.name} takes {len(expected)} argument{several} ({', '.join(expected)})"
    attributes = fields(cast("Any", op))[:1] if found > len(expected) else ()
    words = [*(f"%{name}" for name in expected), *(f"{field.name}=…" for field in attributes)]
    is_tuple = _takes_tuples(type(op)) == (True,) and found > 1
    help_ = (
        f"put the tensors into a tuple: {op.name}((%x, %y), …)"
        if is_tuple
        else f"write {op.name}({', '.join(words)})"
    )
    return RelayTypeError(ErrorCode.T010, f"{message}, not {found}", help=help_)


def _way_to_a_tensor(ty: Type) -> str | None:
    """Return advice on how to get a tensor from a value of type `ty`, or None."""
    match ty:
        case TupleType():
            return "pass a field of the tuple instead: %t.0"
        case FuncType():
            return "pass the result of the function: %f(%x)"
        case RefType():
            return "pass the value that the reference holds: ref_read(%r)"
        case TypeCall(head):
            return f"read the fields of the {head.name} with match, and pass a tensor"
        case TypeVar(name):
            return (
                f"replace the type parameter {name} by a tensor type in the annotation: "
                "Tensor[(n), float32]"
            )
        case _:
            return None

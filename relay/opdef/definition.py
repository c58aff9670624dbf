"""The base class of operators: everything that an operator says of itself, in one class.

A leaf class states its attributes as typed fields and fills in some of these methods; the rest
is generic. Required are a type rule (`infer`) and a value (`compute`, or `decompose` into smaller
operators), `reference` unless it decomposes, and `examples`.
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
from relay.opdef.batching import Batched
from relay.opdef.broadcast_axes import Meeting
from relay.opdef.constraints import Typing, typing_of
from relay.opdef.construction import make_operator
from relay.opdef.example import Example
from relay.opdef.relayout import ArgLayout, Relayout
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

Arrays: TypeAlias = Array | tuple[Array, ...]
Tensors: TypeAlias = te.Tensor | tuple[te.Tensor, ...]


class Precision(Enum):
    """What floats an operator computes in where a program is made to compute in narrow ones."""

    ALWAYS = auto()  # narrow
    FOLLOW = auto()  # as narrow as the arguments
    NEVER = auto()  # wide


class _FusionOfFormula:
    """The fusion of an operator that states none."""

    def __get__(self, holder: object, cls: "type[OperatorDef]") -> Fusion:
        """Return what the formula tells."""
        del holder
        return fusion_of_formula(cls)


class OperatorDef(Operator):
    """The base of every operator's class."""

    __slots__ = ()
    examples: ClassVar[tuple[Example, ...]] = ()
    fusion: ClassVar[Fusion] = cast("Fusion", _FusionOfFormula())
    """How its loops join others: what the formula tells, unless a row states something else."""
    precision: ClassVar[Precision] = Precision.FOLLOW
    stateful: ClassVar[bool] = False
    keeps_type: ClassVar[bool] = False
    """Whether the result has the type of the first argument, so that each tells the other."""
    identity: ClassVar[float | None] = None
    """The number that, as the right operand, gives the left one."""
    idempotent: ClassVar[bool] = False
    """Whether `f(f(x))` is `f(x)`; of two operands, whether `f(x, x)` is `x`."""
    picks: ClassVar[bool] = False
    """Whether it reads of its first argument no more elements than it gives."""
    undifferentiable: ClassVar[str] = ""
    """Why there is no derivative, in words that follow "because"; empty where there is one."""

    not_differentiated_by: ClassVar[tuple[str, ...]] = ()
    """The arguments that derivatives take as constants, although the result varies with them."""

    @property
    def opened(self) -> Shape:
        """Return the dimensions that the elements of the last argument are from the call on."""
        return ()

    @property
    def may_trap(self) -> bool:
        """Whether the operator has no value for some arguments, so that it traps (`te.inside`)."""
        return False

    def get_attr(self, name: str) -> object:
        """Return what the row says under a classic name; None for names that it does not know."""
        return {"TOpPattern": int(self.fusion), "TOpIsStateful": self.stateful}.get(name)

    def infer(self, *types: TensorType) -> Type:
        """Return the type of the result from the types of the arguments.

        An argument that is a tuple of tensors (as of `concatenate`) arrives as a `TupleType`.
        Dimensions may be symbolic: what they must be is noted (`constrain`, or a check that does
        it), and `typing` returns it beside the type. Raises `RelayTypeError` where the arguments do
        not fit.
        """
        raise AssertionError(f"{self.name} has no type rule")

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return what is known of each argument's type from the others (None: nothing).

        Only operators through which information flows backwards say more than they are given: a
        dense layer, say, that knows its weight's shape from the data and its own `units`.
        """
        return types

    def compute(self, *inputs: te.Tensor) -> Tensors:
        """Return the tensor expression of the result; it drives every machine.

        Sizes may be symbolic dimensions. A tuple argument arrives as a tuple of tensors.
        """
        raise AssertionError(f"{self.name} has no tensor expression")

    def access_maps(self, types: Sequence[Type]) -> list[AccessMap] | None:
        """Return which elements of arguments of these types each result is computed from.

        None for an operator whose loops are written by hand.
        """
        found = self.compute(*_inputs(types))
        return access_maps(found if isinstance(found, tuple) else (found,))

    def compute_changes(self, *inputs: te.Tensor) -> te.Tensor:
        """Return what `compute` does to memory that holds the elements of the first argument.

        Its loops write the elements that change, and may read them before; they read the other
        arguments only. For operators whose result is mostly their first argument.
        """
        raise AssertionError(f"{self.name} changes everything")

    def decompose(self, *args: Expr) -> Expr:
        """Return the same value in terms of smaller operators; the arguments are typed."""
        raise AssertionError(f"{self.name} does not decompose")

    def partial_reference(self, *args: Array) -> tuple[Array, Array] | None:
        """Return the result where some elements trap, and a mask of those, whose values are open.

        None, if there is a result for all elements or for none.
        """
        del args
        return None

    def reference(self, *arrays: Array) -> Arrays:
        """Return the value by NumPy: the definition of what the operator means."""
        raise AssertionError(f"{self.name} has no reference")

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by each argument from that by the result; None where it is zero.

        This is the product of `d_out` with the Jacobian, from the left. An operator that has
        neither this rule nor a decomposition says why in `undifferentiable`. The rule is asked only
        where an argument holds floats, and the result does.

        - **Arguments.** `call` is the typed call, whose result may be used again; its arguments
          are variables or whatever else has a type. `d_out` has the type of the result.
        - **Result.** One entry for each argument, of exactly its type: its shape (sum back what
          broadcast), and its element type, also where `out_dtype` gives the result another one
          (`cast_like`). The entries are ordinary expressions of operators that have derivatives
          themselves, so that derivatives of every order exist.
        - **Zeros** are None: for integers and bools, for arguments of which only the type counts
          (`like`), and where the derivative vanishes almost everywhere (`floor`).
        - **Tuples.** For a tuple of tensors as an argument, the entry is None or an expression of
          the tuple's type. For a tuple as the result, `d_out` is an expression of the tuple's
          type; fields of integers and bools hold anything, and are not read.
        - **Constants.** Arguments in `not_differentiated_by` get None as well: regions, say.
        - **Where there is no derivative** (at ties, jumps and poles) the rule takes one of the
          derivatives beside the point, or an average of them: `relu'(0) = 1`, `abs'(0) = 1`, the
          first maximum of a window, equal shares between equal elements of `max`.
        - **Open sizes.** Sizes may be symbolic wherever the type rule allows it.
        - **Errors.** A derivative that exists for some attributes only raises `T104` for others.
        """
        raise AssertionError(f"{self.name} has no derivative")

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether the result is the first argument's elements, in order, under another shape.

        Such a call costs nothing: its result is the argument's memory.
        """
        del types
        return False

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return how the operator works on arguments that are at hand in these layouts.

        None means that it needs plain ones. `types` are those of the plain arguments.
        """
        del types, layouts
        return None

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return one call for `size` of them, whose mapped arguments lie along a new leading axis.

        `types` are those of one call's arguments; the result has the new axis too. None leaves it
        to `relay.transform.vmap`, which lifts the operator's formula over the new axis: answer
        where another operator does it with fewer or better loops.
        """
        del types, mapped, size
        return None

    def meetings(self, types: Sequence[TensorType]) -> Sequence[Meeting]:
        """Return which axes broadcast: where their sizes are open, the program looks if one is 1.

        `types` are those of the arguments, or of the fields of the one that is a tuple.
        """
        del types
        return ()

    def flops(self, *types: TensorType) -> Dim:
        """Return the arithmetic operations of one call, for reports: one an element by default."""
        result = self.infer(*types)
        fields = result.fields if isinstance(result, TupleType) else (result,)
        total: Dim = 0
        for field in fields:
            total += product(field.shape) if isinstance(field, TensorType) else 1
        return total

    def result_type(self, types: Sequence[Type]) -> Type | None:
        """Return the type of a call; see `Operator`."""
        return self.typing(types).type

    def typing(self, types: Sequence[Type]) -> Typing:
        """Return the type of a call, and the constraints on its sizes: those of `infer`."""
        return _typing(self, tuple(types))

    @classmethod
    def made(cls, attributes: Attributes) -> Self:
        """Return the operator with these attributes; see `Operator`."""
        return make_operator(cls, attributes)

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """Return the names of the arguments, as the type rule names its parameters."""
        return _argument_names(cls)

    @classmethod
    def has(cls, method: str) -> bool:
        """Whether the class fills in that rule (`compute`, `decompose`, `gradient`, …)."""
        return getattr(cls, method) is not getattr(OperatorDef, method)


@lru_cache(maxsize=1 << 14)
def _typing(op: OperatorDef, types: tuple[Type, ...]) -> Typing:
    """Run a type rule, once while it is remembered: it is a function of the types alone."""
    return typing_of(lambda: _checked_type(op, types))


def _checked_type(op: OperatorDef, types: Sequence[Type]) -> Type | None:
    """Return the type of a call, whose arguments may be of the wrong number or kind."""
    expected = op.arguments()
    if len(types) != len(expected):
        raise _wrong_count(op, expected, len(types))
    for name, ty, takes_tuple in zip(expected, types, _takes_tuples(type(op)), strict=True):
        if not _is_tensors(ty, takes_tuple):
            message = f"{op.name}: {name} must be a tensor, not {ty!r}"
            raise RelayTypeError(ErrorCode.T011, message, help=_way_to_a_tensor(ty))
    return op.infer(*types)  # pyright: ignore[reportArgumentType] - just checked


@cache
def fusion_of_formula(cls: type[OperatorDef]) -> Fusion:
    """Return the most restrictive fusion that the formulas of an operator's examples have.

    An operator without a formula, or whose results differ from call to call, is opaque.
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
    """Return arguments of these types for a formula."""
    return [
        tuple(_inputs(ty.fields))
        if isinstance(ty, TupleType)
        else te.placeholder(cast("TensorType", ty).shape, cast("TensorType", ty).dtype)
        for ty in types
    ]


@cache
def _argument_names(cls: type[OperatorDef]) -> tuple[str, ...]:
    """Look at the type rule once for each operator: every call that is built asks."""
    params = list(signature(cls.infer).parameters.values())[1:]
    assert all(p.kind is Parameter.POSITIONAL_OR_KEYWORD for p in params), cls.name
    return tuple(p.name for p in params)


@cache
def _takes_tuples(cls: type[OperatorDef]) -> tuple[bool, ...]:
    """Return which arguments may be tuples: the type rule says that they are of any `Type`."""
    params = list(signature(cls.infer).parameters.values())[1:]
    return tuple(p.annotation is not TensorType for p in params)


def _is_tensors(ty: Type, takes_tuple: bool) -> bool:
    if isinstance(ty, TupleType) and takes_tuple:
        return all(isinstance(field, TensorType) for field in ty.fields)
    return isinstance(ty, TensorType)


def _wrong_count(op: OperatorDef, expected: Sequence[str], found: int) -> RelayTypeError:
    """Return the error of a call with too many or too few arguments."""
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
    """Return how one gets from a value of some other type to a tensor."""
    match ty:
        case TupleType():
            return "take one of its fields: %t.0"
        case FuncType():
            return "call the function: %f(%x)"
        case RefType():
            return "read the reference: ref_read(%r)"
        case TypeCall(head):
            return f"take the {head.name} apart with match"
        case TypeVar(name):
            return f"{name} stands for every type: annotate a tensor, such as Tensor[(n), float32]"
        case _:
            return None

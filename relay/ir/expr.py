"""Expressions, the nodes of Relay programs.

Every expression stores its type, which its constructor computes from typed operands in constant
time, so passes need not infer types again. `ty` is None only before inference, in an unannotated
variable and in expressions that depend on it.

Sharing has a meaning: an expression object that is used twice is computed once (see Note
[Sharing]).
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from reprlib import repr as short
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from relay.ir import tvm_names
from relay.ir.call_attributes import read_call_attributes
from relay.ir.dims import DimVar
from relay.ir.field_validation import (
    require,
    require_attributes,
    require_index,
    require_items,
    require_name,
)
from relay.ir.match_dims import result_of_call
from relay.ir.nesting_limits import enclosing_depth
from relay.ir.number_operands import number_like
from relay.ir.operand_errors import with_operands
from relay.ir.operator_overloads import OperatorOverloads, overload
from relay.ir.operator_without_attributes import OperatorKind
from relay.ir.printable import Printable
from relay.ir.type_comparison import join
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    dim_variables,
)
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError
from relay.support.late_binding import module_above
from relay.support.node import Alias, Value, node, set_field, value
from relay.support.span import Span

Array: TypeAlias = npt.NDArray[Any]
Attributes: TypeAlias = Mapping[str, object]

NO_ATTRIBUTES: Attributes = MappingProxyType({})

_NOTHING: tuple[()] = ()  # compared by identity: `==` on arrays is elementwise


class Expr(OperatorOverloads["Call", "Expr | complex"], tvm_names.ExprNames, Printable):
    """The base of all expressions.

    Python operators build calls: `x + 1`, `-x`, `x < y`, `x ** 2`, `x @ w`; a number is converted
    to the element type of the other operand. `f(x)` is a call, `t[0]` a field of a tuple, and a
    tuple can be unpacked. `==` compares identity; `relay.equal` compares elements. An expression
    has no truth value (`T009`): conditions are joined with `&`, as in `(0 < x) & (x < 1)`.
    """

    __slots__ = ()
    made_by: ClassVar[str] = (
        'write a number as relay.const(1.0), and a variable as relay.var("x", shape=(2, 3))'
    )
    __array_ufunc__: ClassVar[None] = None  # NumPy scalars leave `number + expr` to `__radd__`
    span: Span | None
    ty: Type | None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # its fields are never modified, and variables are identified by the object

    def astext(
        self,
        show_meta_data: bool = True,
        annotate: "Callable[[Expr], str] | None" = None,
        *,
        show_types: bool = True,
        width: int = 100,
    ) -> str:
        """Return the version line and the text form, with known types as comments.

        `relay.parse_expr` reads it back; `str(expr)` is shorter. The arguments are those of
        modules.
        """
        text = super().astext(show_meta_data, annotate, show_types=show_types, width=width)
        return f"{module_above('relay.text.printer').VERSION}\n{text}"

    @property
    def type(self) -> Type:
        """Return the expression's type, which must have been inferred."""
        assert self.ty is not None, f"the type of this {type(self).__name__} is not known yet"
        return self.ty

    @property
    def tensor_type(self) -> TensorType:
        """Return the type of an expression, which must be a tensor."""
        ty = self.type
        assert isinstance(ty, TensorType), f"expected a tensor, not {ty!r}"
        return ty

    @property
    def origin(self) -> str | None:
        """Return a phrase on where the expression is written, for error messages; or None."""
        return None if self.span is None else f"computed at {self.span}"

    def astype(self, dtype: object) -> "Call":  # noqa: D102 - the cast of its elements
        return Call(overload("astype")(dtype), (self,))

    def __call__(self, *args: "Expr | complex") -> "Call":  # noqa: D102 - a call of what it is
        return Call(self, operands(args))

    def __getitem__(self, index: int) -> "TupleGetItem":
        if isinstance(self.ty, TensorType):
            _field_count(self)  # raises the error for tensors
        number = require_index("the number of a field", index)
        count = _field_count(self) if number < 0 or self.ty is not None else 0
        return TupleGetItem(self, number + count if number < 0 else number)

    def __len__(self) -> int:
        return _field_count(self)

    def __bool__(self) -> NoReturn:
        message = (
            "if, and, or, not and while of Python cannot test an expression of the program, whose "
            "value is known only when it runs"
        )
        help_ = (
            "write relay.If or relay.where; combine conditions with `&` and `|`, and negate "
            "them with `~`"
        )
        raise RelayTypeError(ErrorCode.T009, message, span=self.span, help=help_)

    def __iter__(self) -> "Iterator[TupleGetItem]":
        return (TupleGetItem(self, index) for index in range(_field_count(self)))

    def __pos__(self) -> "Expr":
        return self

    def _apply(self, symbol: str, *args: "Expr | complex") -> "Call":
        """Return a call of the operator that a Python operator such as `+` stands for."""
        return Call(overload(symbol)(), operands(args))


@node
class Located(Expr):
    """The base of expressions that store a source span and their own type."""

    span: Span | None = field(default=None, kw_only=True, repr=False)
    ty: Type | None = field(default=None, kw_only=True, repr=False)

    def __str__(self) -> str:
        return Printable.astext(self, show_meta_data=False)


class Operator(tvm_names.OperatorNames, Expr, Value):
    """A primitive operation together with its attributes, which are its fields.

    Subclasses are in `relay.ops`; `relay.opdef` describes the members that they define.
    """

    __slots__ = ()
    name: ClassVar[str]
    commutative: ClassVar[bool] = False
    """Whether swapping the two arguments of the operator does not change its result."""
    span: ClassVar[Span | None] = None  # pyright: ignore[reportIncompatibleVariableOverride]
    ty: ClassVar[Type | None] = None  # pyright: ignore[reportIncompatibleVariableOverride]

    @abstractmethod
    def result_type(self, types: Sequence[Type]) -> Type | None:
        """Return the type of a call with arguments of these types, which are fully known.

        None means that it cannot be inferred yet. Raises `RelayTypeError` if the types are invalid.
        """

    @classmethod
    @abstractmethod
    def made(cls, attributes: Attributes) -> Self:
        """Return an operator with the given attributes and the defaults of the others.

        Raises `T016` for a missing or unknown attribute and `T008` for a value of the wrong type.
        """

    def with_attributes(self, attributes: Attributes) -> Self:
        """Return the operator with some attributes changed.

        Raises `T016` for an unknown attribute and `T008` for a value of the wrong type.
        """
        own = {name: getattr(self, name) for name in self.__match_args__}
        return self.made({**own, **attributes})


@node
class Var(tvm_names.VarNames, Located):
    """A local variable, identified by its object; its name is only a hint for printing."""

    made_by: ClassVar[str] = 'write relay.var("x", shape=(2, 3))'
    name: str
    annotation: Type | None = None

    @property
    def origin(self) -> str:
        """Return a phrase with the variable's name and the location of its binding."""
        return f"%{self.name}" + ("" if self.span is None else f", declared at {self.span}")

    def __post_init__(self) -> None:
        require_name("the name of a variable", self.name)
        if self.annotation is not None:
            require(Type, f"the type of %{self.name}", self.annotation)
            if self.ty is None and self.annotation.complete:
                set_field(self, "ty", self.annotation)


@node
class GlobalVar(tvm_names.NamedNames, Located):
    """A reference to the function with this name in the module."""

    name: str

    def __post_init__(self) -> None:
        require_name("the name of a function", self.name)


@node
class Constant(tvm_names.ConstantNames, Located):
    """A tensor that is known at compile time; its array is never modified."""

    array: Array

    def __post_init__(self) -> None:
        given: object = self.array
        if type(given) is not np.ndarray:
            if not isinstance(given, np.generic | np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
                message = f"relay.Constant holds a NumPy array, not {short(given)}"
                help_ = "call relay.const, which makes a constant from a number or a list"
                raise RelayTypeError(ErrorCode.T007, message, help=help_)
            set_field(self, "array", np.asarray(given))  # subclasses may redefine operators
        if self.ty is None:
            set_field(self, "ty", TensorType(self.array.shape, dtype(self.array.dtype)))


@node
class Tuple(tvm_names.TupleNames, Located):
    """A tuple of values; the empty tuple is the unit value."""

    fields: tuple[Expr, ...]

    def __post_init__(self) -> None:
        set_field(self, "fields", require_items(Expr, "the fields of a tuple", self.fields))
        types = types_of(self.fields)
        if self.ty is None and types is not None:
            try:
                set_field(self, "ty", TupleType(types))
            except RelayError as error:
                raise error.at(self.span) from None


@node
class TupleGetItem(Located):
    """The field of a tuple at an index, which counts from 0."""

    tuple_value: Expr
    index: int

    def __post_init__(self) -> None:
        require(Expr, "the tuple of a field", self.tuple_value)
        set_field(self, "index", require_index("the number of a field", self.index))
        if self.index < 0:
            message = f"the index of a tuple's field must not be negative, but is {self.index}"
            raise RelayTypeError(
                ErrorCode.T004, message, span=self.span, help="count the fields from 0"
            )
        whole = self.tuple_value.ty
        if self.ty is None and isinstance(whole, TupleType):
            if not self.index < len(whole.fields):
                message = f"the field index {self.index} is out of range for the tuple {whole!r}"
                help_ = f"use an index from 0 to {len(whole.fields) - 1}"
                raise RelayTypeError(ErrorCode.T004, message, span=self.span, help=help_)
            set_field(self, "ty", whole.fields[self.index])


@node
class Let(Located):
    """A let binding: `value` is computed once, then `body`, in which `var` stands for it.

    If `value` is a function literal, it may refer to itself by `var`.
    """

    var: Var
    value: Expr
    body: Expr
    variable = Alias[Var]("var")

    def __post_init__(self) -> None:
        require(Var, "the variable of a let", self.var)
        require(Expr, "the value of a let", self.value)
        require(Expr, "the body of a let", self.body)
        if self.ty is None:
            set_field(self, "ty", self.body.ty)


@node
class If(Located):
    """A conditional: a bool of rank 0 selects one of two branches, and only that one is computed.

    Dimensions in which the types of the branches differ are `Any` in its type.
    """

    condition: Expr
    then: Expr
    other: Expr
    cond = Alias[Expr]("condition")
    true_branch = Alias[Expr]("then")
    false_branch = Alias[Expr]("other")

    def __post_init__(self) -> None:
        require(Expr, "the condition of an if", self.condition)
        require(Expr, "a branch of an if", self.then)
        require(Expr, "the other branch of an if", self.other)
        then, other = self.then.ty, self.other.ty
        if self.ty is None and then is not None and other is not None:
            set_field(self, "ty", join(then, other))


class _Referable:
    """The base of nodes to which weak references can be made; others are smaller without."""

    __slots__ = ("__weakref__",)


@node
class Function(tvm_names.FunctionNames, Located, _Referable):
    """A function literal; free variables of the body are captured.

    Keys of `attrs` are those of TVM's Relay (`Primitive`, `Compiler`, `Composite`, `global_symbol`
    …).
    """

    params: tuple[Var, ...]
    body: Expr
    result: Type | None = None
    type_params: tuple[TypeVar, ...] = ()
    attrs: Attributes = field(default_factory=lambda: NO_ATTRIBUTES)

    def __post_init__(self) -> None:
        set_field(self, "params", require_items(Var, "the parameters of a function", self.params))
        require(Expr, "the body of a function", self.body)
        if self.result is not None:
            require(Type, "the result of a function", self.result)
        of = "the type parameters of a function"
        set_field(self, "type_params", require_items(TypeVar, of, self.type_params))
        attrs = NO_ATTRIBUTES if self.attrs is None else self.attrs  # pyright: ignore[reportUnnecessaryComparison] - classically None for none
        set_field(self, "attrs", require_attributes("the attributes of a function", attrs))
        if self.ty is None:
            set_field(self, "ty", _function_type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return a function and its arguments that restore the expression, for pickle."""
        names = (*self.__match_args__, "span", "ty")
        return _restored, (
            {name: getattr(self, name) for name in names} | {"attrs": {**self.attrs}},
        )

    @property
    def is_primitive(self) -> bool:
        """Whether the function is one fused kernel, whose body passes do not change."""
        return bool(self.attrs.get("Primitive"))

    @property
    def is_composite(self) -> bool:
        """Whether the function is a composite: calls that a device or compiler computes as one."""
        return bool(self.attrs.get("Composite"))

    @property
    def dim_params(self) -> frozenset[DimVar]:
        """Return the dimension variables in the parameter types.

        Each call may instantiate them anew.

        Those that an enclosing scope of a local function binds are the same in all calls.
        """
        types = (param.ty or param.annotation for param in self.params)
        return dim_variables(*(ty for ty in types if ty is not None))


def _restored(fields: dict[str, Any]) -> Function:
    return Function(**fields)


@node
class Call(tvm_names.TupleNames, Located):
    """The application of an operator, a constructor or any function expression to arguments.

    The third argument of the constructor is a list of type arguments or, as in TVM's Relay, the
    attributes of the operator (`relay.ir.call_attributes`), after which type arguments may follow.
    """

    op: Expr
    args: tuple[Expr, ...]
    type_arguments: tuple[Type, ...] = ()
    type_args = tvm_names.TypeArgs("type_arguments")

    def __init__(
        self,
        op: Expr | OperatorKind,
        args: Sequence[Expr],
        attrs: object = _NOTHING,
        type_arguments: Sequence[Type] | None = _NOTHING,
        span: Span | None = None,
        *,
        ty: Type | None = None,
    ) -> None:
        attributes = None
        if attrs is not _NOTHING or type_arguments is not _NOTHING:
            attributes, type_arguments = read_call_attributes(attrs, type_arguments, span)
        callee = _callee(op, attributes, span)
        set_field(self, "op", callee)
        set_field(self, "args", require_items(Expr, "the arguments of a call", args))
        is_generic = not isinstance(callee, Operator)
        set_field(self, "type_arguments", type_arguments if is_generic else ())
        set_field(self, "span", span)
        set_field(self, "ty", _call_type(self) if ty is None else ty)

    @property
    def attrs(self) -> Expr | None:
        """Return the attributes of the called operator, which is the operator itself; else None."""
        return self.op if isinstance(self.op, Operator) else None


@value
class Constructor(tvm_names.ConstructorNames, Expr, Value):
    """A constructor of an algebraic data type, which can be called like a function.

    Its type parameters and its index come from the definition of the data type; a constructor that
    is only referred to by name has no type.
    """

    name: str
    inputs: tuple[Type, ...]
    belongs_to: GlobalTypeVar
    type_params: tuple[TypeVar, ...] = ()
    index: int = -1
    made_by: ClassVar[str] = 'a module has its own: module.get_constructor("List", "Cons")'
    span: ClassVar[Span | None] = None  # pyright: ignore[reportIncompatibleVariableOverride]

    def __post_init__(self) -> None:
        require_name("the name of a constructor", self.name)
        set_field(self, "inputs", require_items(Type, f"the fields of {self.name}", self.inputs))
        enclosing_depth(f"the type of {self.name}", self.inputs)
        require(GlobalTypeVar, f"the data type of {self.name}", self.belongs_to)

    @property
    def ty(self) -> Type | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the function type of the constructor; None if its definition is unknown."""
        if self.index < 0:
            return None
        return FuncType(self.inputs, TypeCall(self.belongs_to, self.type_params), self.type_params)


def operands(args: Sequence[Expr | complex]) -> tuple[Expr, ...]:
    """Return arguments as expressions; numbers are converted to the first tensor's element type.

    Raises `T012` if no tensor has a type, or if its element type cannot represent the number.
    """
    if all(isinstance(arg, Expr) for arg in args):
        return tuple(arg for arg in args if isinstance(arg, Expr))
    types = (arg.ty for arg in args if isinstance(arg, Expr))
    beside = next((ty for ty in types if isinstance(ty, TensorType)), None)
    return tuple(
        arg if isinstance(arg, Expr) else Constant(number_like(arg, beside)) for arg in args
    )


def _callee(op: Expr | OperatorKind, attributes: Attributes | None, span: Span | None) -> Expr:
    """Return the callee of a call: an operator with `attributes` set, or another expression."""
    try:
        if isinstance(op, OperatorKind):
            return op.made(attributes or NO_ATTRIBUTES)
        if attributes is None:
            if not isinstance(op, Expr):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
                message = f"the callee of a call must be an Expr, not {short(op)}"
                raise RelayTypeError(ErrorCode.T007, message, help=_how_to_call(op))
            return op
        if isinstance(op, Operator):
            return op.with_attributes(attributes)
    except RelayError as error:
        raise error.at(span) from None
    what = (
        "the third argument of a call holds the attributes of an operator, but the callee is "
        "not an operator"
    )
    help_ = "omit the argument, or pass type arguments as type_args=[…]"
    raise RelayTypeError(ErrorCode.T016, what, span=span, help=help_)


def _how_to_call(given: object) -> str:
    """Return the help for a callee that is no expression."""
    match given:
        case str():
            return f"an operator is found by its name with relay.op.get({given!r})"
        case type() if issubclass(given, Operator):
            return f"make an operator of the class: relay.Call({given.__name__}(…), args)"
        case type():
            return Expr.made_by
        case _ if callable(given):
            return "call the function itself, f(x): functions of operators return calls"
        case _:
            return Expr.made_by


def _field_count(expr: Expr) -> int:
    if not isinstance(expr.ty, TupleType):
        of = "an expression of unknown type" if expr.ty is None else repr(expr.ty)
        help_ = (
            "select parts of a tensor with relay.take or relay.strided_slice; only tuples have "
            "fields"
        )
        raise RelayTypeError(
            ErrorCode.T013,
            f"a field is read from {of}, which is not a tuple",
            span=expr.span,
            help=help_,
        )
    return len(expr.ty.fields)


def types_of(exprs: Sequence[Expr]) -> tuple[Type, ...] | None:
    """Return the types of expressions; None if one of them is not inferred yet."""
    types = tuple(expr.ty for expr in exprs if expr.ty is not None)
    return types if len(types) == len(exprs) else None


def _function_type(function: Function) -> Type | None:
    params, result = types_of(function.params), function.body.ty or function.result
    if params is None or result is None or not result.complete:
        return None
    try:
        return FuncType(params, result, function.type_params)
    except RelayError as error:
        raise error.at(function.span) from None


def with_arguments(error: RelayError, call: Call, types: Sequence[Type | None]) -> RelayError:
    """Return an operator's error with the source span and the arguments of the call added."""
    if isinstance(call.op, Operator):
        operands = [
            (name, ty, arg.origin, arg.array if isinstance(arg, Constant) else None)
            for name, ty, arg in zip(call.op.arguments(), types, call.args, strict=False)
        ]
        error = with_operands(error, call.op.name, operands)
    return error.at(call.span)


def _call_type(call: Call) -> Type | None:
    if isinstance(call.op, Operator):
        types = types_of(call.args)
        try:
            return None if types is None else call.op.result_type(types)
        except RelayError as error:
            raise with_arguments(error, call, types or ()) from None
    if isinstance(call.op, Constructor):
        _check_fields(call, call.op)
    callee = call.op.ty
    if not isinstance(callee, FuncType):
        return None
    try:
        return result_of_call(callee, call.type_arguments, types_of(call.args))
    except RelayError as error:
        raise error.at(call.span) from None


def _check_fields(call: Call, constructor: Constructor) -> None:
    """Raise `T023` unless the call has one argument for each field of the constructor."""
    wanted, given = len(constructor.inputs), len(call.args)
    if wanted != given:
        several = "" if wanted == 1 else "s"
        message = f"{constructor.name} takes {wanted} argument{several}, not {given}"
        fields = ", ".join(map(repr, constructor.inputs)) or "none"
        help_ = f"pass one argument for each field of {constructor.name}; its fields: {fields}"
        raise RelayTypeError(ErrorCode.T023, message, span=call.span, help=help_)


# Note [Sharing]
# An expression is a directed acyclic graph. A node that is reached twice is computed once, when it
# is first needed, and belongs to the scope of its uses' lowest common ancestor (function body,
# branch, clause, let): a node that may trap is not computed for branches that are not taken
# (`relay.transform.lazy_placement`), others may be computed earlier. So code that transforms
# programs memoises on identity (`relay.ir.walk` does), and never compares shared graphs with a
# plain recursive `==`, which would take exponential time (`relay.ir.equality` does not).

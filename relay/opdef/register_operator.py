"""Functions by which users register operators by name, and add their rules one by one.

Rules have the signatures of TVM's Relay: the operator, whose fields are the attributes, is passed
as `attrs`.
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, cast

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS, operator
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

TypeRule: TypeAlias = Callable[..., Type]
"""A function from the operator and the argument types to the result type."""

_Rule = TypeVar("_Rule", bound=Callable[..., Any])
_NOTHING: Mapping[str, object] = MappingProxyType({})


class RegisteredOperator(OperatorDef):
    """The base of operators that users register by name."""

    @classmethod
    def has_only_reference(cls) -> bool:
        """Whether compiled programs have to call the operator's NumPy reference.

        Other operators without a formula, such as those with sizes as operands, have code of
        their own.
        """
        return cls.has("reference") and not cls.has("compute") and not cls.has("decompose")


def register(
    op_name: str,
    describe: str = "",
    *,
    arguments: Sequence[str] = ("data",),
    attributes: Mapping[str, object] = _NOTHING,
    type_rule: TypeRule | None = None,
) -> type[OperatorDef]:
    """Declare an operator by its name in programs, and return its class.

    `arguments` are the names of its operands, `attributes` the defaults of its attributes by name.
    `type_rule` takes the operator and the operand types, and returns the result type; without it,
    the result has the type of the first operand. Raises `T059` for a name that is already taken.

    >>> from relay.ir.expr import Call, Var
    >>> cls = register("doc.twice", "Twice the data.")
    >>> Call(cls(), (Var("x", TensorType((2,), "float32")),)).type
    Tensor[(2,), float32]
    """
    if op_name in OPERATORS:
        raise RelayTypeError(
            ErrorCode.T059,
            f"an operator named '{op_name}' exists already",
            help="register the operator under another name",
        )
    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=TensorType)
        for name in ("self", *arguments)
    ]

    def infer(self: OperatorDef, *types: TensorType) -> Type:
        return types[0] if type_rule is None else type_rule(self, *types)

    vars(infer)["__signature__"] = Signature(parameters)
    members: dict[str, Any] = {
        "__doc__": describe or f"The operator {op_name} of a user.",
        "__annotations__": {name: _kind(default) for name, default in attributes.items()},
        "infer": infer,
        **attributes,
    }
    return operator(op_name)(type(_class_name(op_name), (RegisteredOperator,), members))


def _kind(default: object) -> Any:
    """Return the declared type of an attribute with this default; None allows all values.

    >>> _kind((1, 2)), _kind(0.5)
    (tuple[int, ...], <class 'float'>)
    """
    if default is None:
        return Any
    if not isinstance(default, tuple | list):
        return type(default)
    kinds = set(map(_kind, cast("Sequence[object]", default)))
    return tuple[kinds.pop() if len(kinds) == 1 else Any, ...]


def _class_name(op_name: str) -> str:
    return "".join(part.title() for part in op_name.replace(".", "_").split("_")) or "Operator"


def register_compute(op_name: str, compute: Any = None) -> Any:
    """Register an operator's formula: `rule(attrs, inputs, out_type)` returns tensor expressions.

    Use it as a decorator, or pass the rule as an argument; it replaces an earlier rule.
    """

    def filled(rule: Callable[..., Any]) -> Callable[..., Any]:
        def compute(self: OperatorDef, *inputs: te.Tensor) -> Any:
            types = [TensorType(tuple(each.shape), each.dtype) for each in inputs]
            found = rule(self, list(inputs), self.infer(*types))
            if not isinstance(found, list | tuple):
                return found
            results = cast("Sequence[te.Tensor]", found)
            return results[0] if len(results) == 1 else tuple(results)

        return compute

    return _registered(op_name, "compute", compute, filled)


def register_reference(op_name: str, reference: Any = None) -> Any:
    """Register the NumPy reference `rule(attrs, *arrays)`, which defines the operator's meaning.

    Use it like `register_compute`.
    """

    def filled(rule: Callable[..., Any]) -> Callable[..., Any]:
        def reference(self: OperatorDef, *arrays: Array) -> Any:
            return rule(self, *arrays)

        return reference

    return _registered(op_name, "reference", reference, filled)


def register_gradient(op_name: str, fgradient: Any = None, level: int = 10) -> Any:
    """Register the derivative `rule(call, d_out)`, which returns each argument's cotangent or None.

    See `OperatorDef.gradient`. Use it like `register_compute`. A rule of a lower `level` than that
    of the present derivative does not replace it; derivatives of Relay have the level 10.
    """
    cls: Any = OPERATORS.find(op_name)

    def filled(rule: Callable[..., Any]) -> Callable[..., Any]:
        def gradient(self: OperatorDef, call: Call, d_out: Expr) -> Sequence[Expr | None]:
            del self
            return rule(call, d_out)

        if level < cls.gradient_level:
            return cls.gradient
        cls.gradient_level = level
        return gradient

    return _registered(op_name, "gradient", fgradient, filled)


def _registered(
    op_name: str, method: str, rule: Any, filled: Callable[[Any], Callable[..., Any]]
) -> Any:
    cls = OPERATORS.find(op_name)

    def register(each: _Rule) -> _Rule:
        setattr(cls, method, filled(each))
        return each

    return register if rule is None else register(rule)

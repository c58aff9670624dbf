"""Kind checking: types written in a program must exist and have the right arguments.

A data type must be applied to one argument for each of its parameters, a type variable must be
bound by an enclosing function, and a data type must have a finite value.
"""

from collections.abc import Iterator, Mapping, Sequence

from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.module import APPLIED, HasModule, Module, TypeData, module_of
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    Kind,
    RefType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    children,
)
from relay.ir.walk import post_order
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError
from relay.support.span import Span


def kind_errors(module: Module, functions: Mapping[str, Function]) -> list[RelayError]:
    """Return the errors of types in a module's data types and in the given functions.

    They are `T027` for an unknown data type, `T036` for something that is not a type, `T037` for a
    data type without a finite value, and `T038` for an unbound type variable.
    """
    checker = _Checker(module)
    for data in module.types.values():
        checker.check_params(data.type_params, data.span)
        for constructor in data.constructors:
            checker.check(constructor.inputs, frozenset(data.type_params), data.span)
    for function in functions.values():
        checker.function(function)
    return [*checker.errors, *_without_values(module)]


def check_kind(ty: Type, module: HasModule | None = None) -> Kind:
    """Return the kind of a type, `TYPE` for types of values; it may have free type variables.

    >>> check_kind(TupleType(()))
    <Kind.TYPE: 0>
    """
    if isinstance(ty, TypeVar | IncompleteType):
        return ty.kind
    if isinstance(ty, GlobalTypeVar):
        return Kind.ADT_HANDLE
    checker = _Checker(Module({}) if module is None else module_of(module))
    checker.check((ty,), None, None)
    for error in checker.errors:
        raise error
    return Kind.TYPE


class _Checker:
    """The kind checker, which reports at most one error for each type."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.errors: list[RelayError] = []
        self._seen: set[Type] = set()
        self._refused: set[Type] = set()

    def function(self, function: Function) -> None:
        """Check the types in a function, where the type parameters that it binds are in scope."""
        order = post_order(function)
        bound = frozenset(v for e in order if isinstance(e, Function) for v in e.type_params)
        for expr in order:
            if isinstance(expr, Function):
                self.check_params(expr.type_params, expr.span)
        for expr in order:
            self.check(written_types(expr), bound, expr.span)

    def check_params(self, type_params: Sequence[TypeVar], span: Span | None) -> None:
        """Raise an error unless type parameters have the kind `TYPE`."""
        for var in type_params:
            if var.kind is not Kind.TYPE:
                message = (
                    f"the type parameter {var.name} must stand for a type, but stands for a "
                    f"{var.kind.name.lower()}"
                )
                help_ = (
                    "remove it from the type parameters: sizes need no declaration, "
                    f"Tensor[({var.name}), float32]"
                )
                self.errors.append(
                    RelayTypeError(ErrorCode.T036, message, span=var.span or span, help=help_)
                )
                self._refused.add(var)

    def check(
        self, types: Sequence[Type], bound: frozenset[TypeVar] | None, span: Span | None
    ) -> None:
        """Check types at a source location.

        `bound` are the type variables in scope; None means that any may occur.
        """
        for ty in types:
            if ty not in self._seen:
                self._seen.add(ty)
                try:
                    self._check(ty, bound)
                except RelayError as error:
                    self.errors.append(error.at(span))

    def _check(self, ty: Type, bound: frozenset[TypeVar] | None) -> None:
        stack = [ty]
        local: set[TypeVar] = set()
        seen: set[Type] = set()
        while stack:
            top = stack.pop()
            if top in seen:
                continue
            seen.add(top)
            match top:
                case TypeVar(name) if not (bound is None or top in bound or top in local):
                    message = f"no enclosing function declares the type parameter {name}"
                    raise RelayTypeError(
                        ErrorCode.T038, message, help=f"declare it: fn [{name}](…) {{ … }}"
                    )
                case TypeVar() if top in self._refused:
                    pass  # reported at the declaration
                case TypeVar() | IncompleteType() if top.kind is not Kind.TYPE:
                    raise _no_type(
                        f"{top!r} is a {top.kind.name.lower()}, where a type is expected",
                        "write the size in the shape of a tensor type: Tensor[(n, 3), float32]",
                    )
                case GlobalTypeVar(name):
                    raise _no_type(f"the type {name} lacks its type arguments", APPLIED)
                case TypeCall(head, args):
                    self._check_count(head, args)
                case FuncType(_, _, type_params):
                    local.update(type_params)
                case _:
                    pass
            stack.extend(children(top))

    def _check_count(self, head: GlobalTypeVar, args: Sequence[Type]) -> None:
        self.module.alternatives(head)
        self.module.types[head.name].check_count(len(args))


def _no_type(message: str, help_: str) -> RelayTypeError:
    return RelayTypeError(ErrorCode.T036, message, help=help_)


def written_types(expr: Expr) -> tuple[Type, ...]:
    """Return the types that are written at a node: annotations and type arguments."""
    match expr:
        case Var(_, annotation) if annotation is not None:
            return (annotation,)
        case Function(_, _, result) if result is not None:
            return (result,)
        case Call(_, _, type_args):
            return type_args
        case _:
            return ()


def _without_values(module: Module) -> Iterator[RelayTypeError]:
    """Yield an error for each data type that has no finite value.

    Each of its constructors needs a value of that type as a field.
    """
    alive: set[str] = set()
    waiting: dict[str, list[tuple[str, set[str]]]] = {}
    ready = [name for name, data in module.types.items() if not data.constructors]
    for name, data in module.types.items():
        for needed in _needs(data):
            if not needed:
                ready.append(name)
            for each in needed:
                waiting.setdefault(each, []).append((name, needed))
    while ready:
        name = ready.pop()
        if name not in alive:
            alive.add(name)
            for other, needed in waiting.pop(name, ()):
                needed.discard(name)
                if not needed:
                    ready.append(other)
    for name, data in module.types.items():
        if name not in alive:
            yield RelayTypeError(
                ErrorCode.T037,
                (
                    f"the data type {name} has no value, because every constructor needs a "
                    f"value of {name} first"
                ),
                span=data.span,
                help="add a constructor without a field of this type, as `Nil` of a list",
            )


def _needs(data: TypeData) -> Iterator[set[str]]:
    """Yield, for each constructor, the names of the data types whose values it contains."""
    for constructor in data.constructors:
        found: set[str] = set()
        stack = list(constructor.inputs)
        while stack:
            match stack.pop():
                case TypeCall(head):
                    found.add(head.name)
                case TupleType(fields):
                    stack.extend(fields)
                case RefType(content):
                    stack.append(content)
                case _:
                    pass
        yield found

"""The last step of type inference: rebuilding the program with its inferred types."""

from collections.abc import Sequence
from typing import cast

from relay.ir.expr import Call, Constant, Constructor, Expr, Function, Operator, Var
from relay.ir.types import FuncType, IncompleteType, Type, scalar_type, substitute_types
from relay.ir.walk import children, post_order, with_children
from relay.semantics.unify import Unifier
from relay.support.dtype import float32
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError
from relay.support.node import replace

_FLOAT = scalar_type(float32)


class TypedRebuilder:
    """The rebuilding of functions with inferred types; nodes that have their type are kept."""

    def __init__(
        self,
        unifier: Unifier,
        types: dict[Expr, Type],
        type_args: dict[Expr, tuple[Type, ...]],
    ) -> None:
        self.unifier = unifier
        self.types = types
        self.type_args = type_args
        self.errors: list[RelayError] = []
        self.has_type_params = False

    def function(self, name: str, function: Function) -> Function:
        """Return a function with all types filled in; unknown types are reported as `T024`."""
        self._check_result(name, function)
        order = post_order(function)
        params = {var for e in order if isinstance(e, Function) for var in e.params}
        new: dict[Expr, Expr] = {}
        for expr in order:
            inner = [new[child] for child in children(expr)]
            new[expr] = self._node(expr, inner, is_param=expr in params)
        return cast("Function", new[function])

    def _node(self, expr: Expr, inner: Sequence[Expr], *, is_param: bool) -> Expr:
        if isinstance(expr, Constant | Constructor | Operator):
            return expr
        ty = self._resolved(expr)
        if not self.unifier.is_complete(ty):
            self._unknown(expr)
            return expr
        match expr:
            case Var(_, annotation):
                keeps = annotation is None and not is_param
                return replace(expr, annotation=annotation if keeps else ty, ty=ty)
            case Function():
                found = cast("FuncType", ty)
                new = with_children(expr, inner, ty)
                self.has_type_params |= bool(found.type_params)
                return replace(new, result=found.result, type_params=found.type_params, ty=ty)
            case Call():
                new = with_children(expr, inner, ty)
                return replace(new, type_arguments=self._args(expr), ty=ty)
            case _:
                return replace(with_children(expr, inner, ty), ty=ty)

    def _resolved(self, expr: Expr) -> Type:
        try:
            return self.unifier.resolve(self.types[expr])
        except RelayError as error:
            raise error.at(expr.span) from None

    def _args(self, call: Call) -> tuple[Type, ...]:
        chosen = self.type_args.get(call, ())
        found = tuple(map(self.unifier.resolve, chosen))
        if not all(map(self.unifier.is_complete, found)):
            self._unknown(call)
        return call.type_arguments if found == call.type_arguments else found

    def _check_result(self, name: str, function: Function) -> None:
        """Report an unknown result type of a function before any errors in its body."""
        ty = self.unifier.resolve(self.types[function])
        assert isinstance(ty, FuncType), "a function has the type of one"
        known = map(self.unifier.is_complete, map(self.unifier.resolve, ty.params))
        if all(known) and not self.unifier.is_complete(self.unifier.resolve(ty.result)):
            what = f"the result of {name}"
            found = self._example(ty.result, "float32")
            self._note(what, function, f"declare the result type: def {name}(…) -> {found} {{ … }}")

    def _unknown(self, expr: Expr) -> None:
        match expr:
            case Var(name):
                ty = self._example(self.types[expr], "Tensor[(2, 3), float32]")
                self._note(f"%{name}", expr, f"annotate the variable: %{name}: {ty}")
            case Function():
                self._note(
                    "this function", expr, "annotate the parameters and the result of the function"
                )
            case Call(Constructor(name, _, _, params)) if params:
                args = ", ".join("float32" for _ in params)
                self._note(f"this {name}", expr, f"write the type arguments: {name}[{args}]")
            case _:
                help_ = "annotate the variables or parameters that it uses, such as %x: float32"
                self._note("this expression", expr, help_)

    def _example(self, ty: Type, otherwise: str) -> str:
        """Return a type as text for messages, with examples for unknown parts; or `otherwise`."""
        known = self.unifier.resolve(ty)
        if isinstance(known, IncompleteType):
            return otherwise
        filled: dict[Type, Type] = dict.fromkeys(self.unifier.holes(known), _FLOAT)
        return repr(substitute_types(known, filled))

    def _note(self, what: str, expr: Expr, help_: str) -> None:
        if not self.errors:  # then the types of its users are unknown, too
            message = f"the type of {what} cannot be inferred"
            self.errors.append(RelayTypeError(ErrorCode.T024, message, span=expr.span, help=help_))

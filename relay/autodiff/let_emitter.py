"""A builder of a scope: collects let bindings in order, and wraps them around a result."""

from relay.ir.expr import Constant, Expr, Let, Tuple, TupleGetItem, Var
from relay.ir.types import TupleType, Type


class Emitter:
    """The let bindings of one scope, in order; each value is computed once.

    Bound variables are also added to `bound`.

    >>> emitter = Emitter()
    >>> one = emitter.let(Tuple(()), "unit")
    >>> emitter.around(one).value.fields
    ()
    """

    def __init__(self, bound: dict[Var, None] | None = None) -> None:
        self._bindings: list[tuple[Var, Expr]] = []
        self._bound = dict[Var, None]() if bound is None else bound

    def bind(self, var: Var, value: Expr) -> Var:
        """Append a binding of a variable to a value; return the variable."""
        self._bindings.append((var, value))
        self._bound[var] = None
        return var

    def let(self, value: Expr, name: str = "d") -> Expr:
        """Return a variable bound to a value; variables and constants are returned unchanged."""
        if isinstance(value, Var | Constant):
            return value
        return self.bind(Var(name, value.ty, span=value.span, ty=value.ty), value)

    def typed(self, value: Expr, ty: Type, name: str = "d") -> Expr:
        """Return a variable of type `ty` bound to a value whose own type has more unknown sizes."""
        same = value.ty is ty
        return self.let(value, name) if same else self.bind(Var(name, ty, ty=ty), value)

    def field(self, value: Expr, index: int) -> Expr:
        """Return a variable for a field of a tuple."""
        if isinstance(value, Tuple):
            return self.let(value.fields[index])
        return self.let(TupleGetItem(value, index))

    def fields(self, value: Expr) -> list[Expr]:
        """Return variables for all fields of a tuple."""
        assert isinstance(value.type, TupleType), "only tuples have fields"
        return [self.field(value, index) for index in range(len(value.type.fields))]

    def around(self, result: Expr) -> Expr:
        """Return an expression that evaluates all bindings, and then the result."""
        for var, bound in reversed(self._bindings):
            result = Let(var, bound, result, span=bound.span, ty=result.ty)
        return result

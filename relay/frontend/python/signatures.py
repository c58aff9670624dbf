"""The signature of a function, what its annotations say, and the way through its body."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from relay.frontend.python.analysis import returns
from relay.frontend.python.annotations import Annotations
from relay.frontend.python.errors import Code
from relay.frontend.python.joining import Rest
from relay.frontend.python.parameters import parameters
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.values import Static
from relay.ir.expr import Expr, Function, Var
from relay.ir.types import UNIT, FuncType, Type, TypeVar, children, dim_variables
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


def annotations(statements: Sequencer, scope: Scope) -> Annotations:
    """Return what reads annotations inside a function."""
    return Annotations(scope.outside, statements.expressions.conversion.unit.data)


class Signature:
    """A definition's parameters and types, as far as they are annotated.

    A `generic` one binds the type variables that occur; a nested one has those around it. What
    Python made of an annotation is in `evaluated`, where Python has run the definition.
    """

    def __init__(
        self,
        at: ast.FunctionDef,
        scope: Scope,
        types: Annotations,
        evaluated: Mapping[str, object] | None = None,
        *,
        generic: bool = False,
    ) -> None:
        self.at = at
        made = evaluated or {}
        self.names = parameters(at.args, scope)
        args = [*at.args.posonlyargs, *at.args.args, *at.args.kwonlyargs]
        self.unannotated = [arg for arg in args if arg.annotation is None and arg.arg not in made]
        self.params = [
            types.type_of(_annotation(arg, made), scope.span(arg.annotation or arg))
            for arg in args
            if arg not in self.unannotated
        ]
        self.result = (
            None
            if at.returns is None
            else types.type_of(made.get("return", _text(at.returns)), scope.span(at.returns))
        )
        named = [*self.params, *([] if self.result is None else [self.result])]
        self.variables = tuple(dict.fromkeys(_variables(named))) if generic else ()

    @property
    def type(self) -> FuncType | None:
        """Return the type if it is declared in full."""
        known = not self.unannotated and self.result is not None
        if not known or self.result is None:
            return None
        return FuncType(tuple(self.params), self.result, self.variables)

    def translate(self, statements: Sequencer, scope: Scope) -> Function:
        """Return the function; `scope` has what is visible around it."""
        args = self.at.args
        places = [scope.span(each) for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        span = places[0] if places else scope.span(self.at.body[0])
        rows = zip(self.names, self.params, places, strict=True)
        params = tuple(Var(name, ty, span=place) for name, ty, place in rows)
        flow = flow_of(statements, self.result)
        inner = scope.inside(self.at, flow)
        inner.names.update(zip(self.names, params, strict=True))
        inner.certain = True
        inner.sizes = scope.sizes | dim_variables(*self.params)
        scope.memory.owners |= dict.fromkeys(params, "the caller's array")
        body = statements.run(self.at.body, inner, end_of(self.at, flow))
        return Function(params, body, self.result or body.ty, self.variables, span=span)


def _variables(types: Sequence[Type]) -> Iterator[TypeVar]:
    """Return the type variables in types, by first appearance; types are not deep."""
    for each in types:
        if isinstance(each, TypeVar):
            yield each
        yield from _variables(children(each))


def _annotation(at: ast.arg, made: Mapping[str, object]) -> object:
    """Return what Python made of an annotation, or its text."""
    return made[at.arg] if at.arg in made else _text(at.annotation)


def _text(annotation: ast.expr | None) -> object:
    """Return an annotation's text, which is evaluated where the function stands."""
    assert annotation is not None
    return annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)


def flow_of(statements: Sequencer, result: Type | None) -> Flow:
    """Return where control goes from the body of a function: `return` leaves it."""
    typed = statements.expressions.conversion.typed
    return Flow(result, lambda value, span: typed(value, result, span))


def end_of(at: ast.FunctionDef, flow: Flow) -> Rest:
    """Return what happens where a function ends without `return`: `F115`, unless it may."""

    def end(scope: Scope) -> Expr:
        if not returns(at.body) and flow.result is None:
            what = f"{at.name} returns nothing"
            raise mistake(
                ErrorCode.F115, what, _name_span(at, scope.code), "end it with `return value`"
            )
        if flow.result is UNIT:
            return flow.leave(Static(None), scope.span(at))
        what = f"{at.name} may end without a return"
        raise mistake(
            ErrorCode.F115, what, _name_span(at, scope.code), "return a value on every path"
        )

    return end


def _name_span(at: ast.FunctionDef, code: Code) -> Span:
    whole = code.span(at)
    start = whole.column + len("def ")
    return Span(whole.source, whole.line, start, whole.line, start + len(at.name))

"""Function definitions: nested ones, and those that become functions of the module."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType

from relay.frontend.python.analysis import makes_new, reads, returns
from relay.frontend.python.annotations import Annotations, with_variables
from relay.frontend.python.errors import Code, mistake
from relay.frontend.python.joining import Rest
from relay.frontend.python.parameters import defaults, parameters
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.source import namespace, read
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.unit import Unit
from relay.frontend.python.values import Local, Static, Template, Value
from relay.ir.expr import Expr, Function, Var
from relay.ir.types import UNIT, FuncType, Type, TypeVar, children
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
        span = (
            scope.span(self.at.args.args[0]) if self.at.args.args else scope.span(self.at.body[0])
        )
        pairs = zip(self.names, self.params, strict=True)
        params = tuple(Var(name, ty, span=span) for name, ty in pairs)
        flow = _flow(statements, self.result)
        inner = Scope(scope.code, scope.outside, scope.names, flow, scope.memory)
        inner.names.update(zip(self.names, params, strict=True))
        inner.function, inner.python, inner.certain = self.at, scope.python, True
        scope.memory.owners |= dict.fromkeys(params, "the caller's array")
        body = statements.run(self.at.body, inner, _end(self.at, flow))
        scope.memory.check()
        return Function(params, body, self.result or body.ty, self.variables, span=span)


def _variables(types: Sequence[Type]) -> Iterator[TypeVar]:
    """Return the type variables in types, by first appearance; types are not deep."""
    for each in types:
        if isinstance(each, TypeVar):
            yield each
        yield from _variables(children(each))


def _receiver(function: FunctionType, at: ast.FunctionDef, unit: Unit) -> dict[str, object]:
    """Return the type of a method's first parameter, which has no annotation."""
    first = next(iter(at.args.args), None)
    known = function in unit.receivers and first is not None and first.annotation is None
    return {first.arg: unit.receivers[function]} if known and first is not None else {}


def _annotation(at: ast.arg, made: Mapping[str, object]) -> object:
    """Return what Python made of an annotation, or its text."""
    return made[at.arg] if at.arg in made else _text(at.annotation)


def _text(annotation: ast.expr | None) -> object:
    """Return an annotation's text, which is evaluated where the function stands."""
    assert annotation is not None
    return annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)


def _flow(statements: Sequencer, result: Type | None) -> Flow:
    typed = statements.expressions.conversion.typed
    return Flow(result, lambda value, span: typed(value, result, span))


def _end(at: ast.FunctionDef, flow: Flow) -> Rest:
    """Return what happens where a function ends without `return`."""

    def end(scope: Scope) -> Expr:
        if not returns(at.body) and flow.result is None:
            what = f"{at.name} returns nothing"
            raise mistake("F115", what, _name_span(at, scope.code), "end it with `return value`")
        if flow.result is UNIT:
            return flow.leave(Static(None), scope.span(at))
        what = f"{at.name} may end without a return"
        raise mistake("F115", what, _name_span(at, scope.code), "return a value on every path")

    return end


def _name_span(at: ast.FunctionDef, code: Code) -> Span:
    whole = code.span(at)
    start = whole.column + len("def ")
    return Span(whole.source, whole.line, start, whole.line, start + len(at.name))


def define(statements: Sequencer, at: ast.FunctionDef, scope: Scope, span: Span) -> None:
    """Add a nested function: with types of its own, or translated anew for each call."""
    signature = Signature(at, scope, annotations(statements, scope))
    captured = {name: scope.names[name] for name in reads(at) if name in scope.names}
    known = defaults(statements.expressions, at.args, scope)
    if signature.unannotated or (signature.type is None and at.name in reads(at)):
        scope.names[at.name] = _template(statements, signature, scope, captured, known)
        return
    if signature.type is None:
        function = signature.translate(statements, scope)
        var = scope.block.bind(at.name, function, span)
    else:
        var = Var(at.name, ty=signature.type, span=span)
        inner = scope.branch()
        inner.names[at.name] = Local(var, signature.names, {}, known)
        scope.block.define(var, signature.translate(statements, inner), span)
    assert isinstance(var, Var), "functions are bound to variables"
    scope.memory.note(var, *captured.values())
    if makes_new(at):
        scope.memory.makers.add(var)
    scope.names[at.name] = Local(var, signature.names, captured, known)


def _template(
    statements: Sequencer,
    signature: Signature,
    scope: Scope,
    captured: Mapping[str, Value],
    known: Mapping[str, Value],
) -> Template:
    at, active = signature.at, list[bool]()
    around = scope.branch()

    def expand(values: Sequence[Value], span: Span) -> Value:
        if active:
            what = f"{at.name} calls itself, so its parameters and result need annotations"
            raise mistake("F103", what, span, f"write `def {at.name}(x: float32) -> float32:`")
        flow = _flow(statements, signature.result)
        inner = Scope(scope.code, scope.outside, around.names, flow, scope.memory)
        inner.function, inner.python = at, scope.python
        inner.names[at.name] = template
        lent = (f"{each} outside of {at.name}" for each in signature.names)  # names of nobody
        inner.names.update(zip(lent, values, strict=True))
        inner.names.update(zip(signature.names, values, strict=True))
        active.append(True)
        try:
            if isinstance(at.body[-1], ast.Return) and len(at.body) == 1 and at.returns is None:
                return _returned(statements, at.body[-1], inner)
            return statements.run(at.body, inner, _end(at, flow))
        finally:
            active.clear()

    template = Template(at.name, signature.names, expand, captured, known)
    return template


def _returned(statements: Sequencer, at: ast.Return, scope: Scope) -> Value:
    """Return the value of a function that is one `return`: anything, such as another function."""
    found = Static(None) if at.value is None else statements.expressions.value(at.value, scope)
    return scope.block.finish(found) if isinstance(found, Expr) else found


class Definition:
    """A function of the module: its signature at once, its body when it is asked for."""

    def __init__(self, statements: Sequencer, unit: Unit, function: FunctionType) -> None:
        at, code = read(function)
        outside = with_variables(namespace(function))
        self._statements = statements
        self._scope = Scope(code, outside, {}, Flow(None, _nowhere), unit.memory)
        self._scope.python = function
        # A name that only an annotation uses is not in the closure, so Python's value counts.
        self._signature = Signature(
            at,
            self._scope,
            Annotations(outside, unit.data),
            {**function.__annotations__, **_receiver(function, at, unit)},
            generic=True,
        )
        if self._signature.unannotated:
            arg = self._signature.unannotated[0]
            raise mistake(
                "F102",
                f"the parameter {arg.arg} has no type",
                code.span(arg),
                f'annotate it: {arg.arg}: float32, or {arg.arg}: Tensor["n", 128, float32]',
            )
        self.name = function.__name__
        self.params = self._signature.names
        self.makes_new = makes_new(at)
        self.type = self._signature.type

    def translate(self) -> Function:
        """Return the function with its body."""
        return self._signature.translate(self._statements, self._scope)


def _nowhere(_value: Value, _span: Span) -> Expr:
    raise AssertionError("no statement stands outside of a function's body")

"""Functions that stand inside of a function: typed ones, and those that each call translates anew.

A function may read what has no value yet where it is defined: another one that comes later, such as
one that calls it back. Such a function is translated where it is used.
"""

import ast
from collections.abc import Mapping, Sequence

from relay.frontend.python.analysis import makes_new, mutated, reads, variables
from relay.frontend.python.parameters import defaults, shared_defaults
from relay.frontend.python.scope import Scope
from relay.frontend.python.signatures import Signature, annotations, end_of, flow_of
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.values import Group, Late, Local, Static, Template, Undefined, Value
from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Var
from relay.ir.types import dim_variables
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.node import replace
from relay.support.span import Span

_DEPTH, _EXPANSIONS = 16, 256
"""How deep, and how often, a function without types calls itself with arguments of others."""


def define(statements: Sequencer, at: ast.FunctionDef, scope: Scope) -> None:
    """Add a nested function to a scope."""
    known = defaults(statements.expressions, at.args, scope)
    scope.names.pop(_key(at), None)  # of another round, if a loop around is written out
    if any(_is_missing(name, scope) for name in reads(at) if name != at.name):
        scope.names[at.name] = _late(statements, at, scope, known)
    else:
        scope.names[at.name] = _defined(statements, at, scope, known)


def inlined(
    statements: Sequencer, at: ast.FunctionDef, scope: Scope, known: Mapping[str, Value]
) -> Value:
    """Return a function of a file without types; one that calls itself has to be decorated."""
    signature = Signature(at, scope, annotations(statements, scope))
    advice = f"decorate it, @relay.function above def {at.name}, and annotate its parameters"
    return _template(statements, signature, scope, {}, known, advice)


def _is_missing(name: str, scope: Scope) -> bool:
    """Whether a variable of the functions around is not, or may not be, ready to be read."""
    value = scope.names.get(name)
    return isinstance(value, Late | Undefined) or (value is None and name in scope.own)


def _late(
    statements: Sequencer, at: ast.FunctionDef, scope: Scope, known: Mapping[str, Value]
) -> Late:
    """Return a function that is translated where it is used, with what its names are there."""
    active = list[bool]()

    def use(reader: Scope, around: Mapping[str, Value] | None, span: Span) -> Value:
        ready = reader.names.get(_key(at))
        names = reader.names if around is None else around
        closures = statements.expressions.conversion.unit.closures
        if ready is not None and closures.outdated(ready, names) is None:
            return ready
        if active:
            raise _endless(at, span)
        home = scope.branch()
        home.names, home.block = dict(names), reader.block
        for name in reads(at):
            if name != at.name and not isinstance(home.names.get(name), Late):
                _refuse_missing(at, name, home, span)
        active.append(True)
        try:
            reader.names[_key(at)] = made = _defined(statements, at, home, known)
        finally:
            active.clear()
        return made

    return Late(at, use)


def _key(at: ast.FunctionDef) -> str:
    """Return the name, which no program has, of what a late function is at some place."""
    return f"{at.name} of line {at.lineno}"


def _refuse_missing(at: ast.FunctionDef, name: str, scope: Scope, span: Span) -> None:
    if _is_missing(name, scope):
        what = f"{at.name} reads {name}, which has no value yet where {at.name} is used"
        raise mistake(
            ErrorCode.F109, what, span, f"assign {name} before, or pass it as an argument"
        )


def _refuse_writes(at: ast.FunctionDef, scope: Scope) -> None:
    """Refuse what changes a value of the function around: there nobody would see it."""
    own = variables(at)
    for name, place in mutated(at.body).items():
        if name not in own:
            what = f"{at.name} writes into {name}, which is a variable of the function around it"
            advice = f"let {at.name} take {name} and return it, or write it out where it is called"
            raise mistake(ErrorCode.F116, what, scope.span(place), advice)


def _endless(at: ast.FunctionDef, span: Span, advice: str | None = None) -> Exception:
    what = f"{at.name} calls itself, so its parameters and result need annotations"
    return mistake(
        ErrorCode.F103, what, span, advice or f"write `def {at.name}(x: float32) -> float32:`"
    )


def _defined(
    statements: Sequencer, at: ast.FunctionDef, scope: Scope, known: Mapping[str, Value]
) -> Value:
    """Return a function that reads the names as they are now."""
    _refuse_writes(at, scope)
    signature = Signature(at, scope, annotations(statements, scope))
    captured = _captured(at, scope)
    if signature.unannotated or (signature.type is None and at.name in reads(at)):
        return _template(statements, signature, scope, captured, known)
    span = scope.span(at)
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
    statements.expressions.conversion.unit.closures.note(var, captured)
    if makes_new(at):
        scope.memory.makers.add(var)
    if makes_new(at, fields=True):
        scope.memory.field_makers.add(var)
    sizes = dim_variables(*signature.params) - _sizes_around(scope)
    return Local(var, signature.names, captured, known, sizes)


def _sizes_around(scope: Scope) -> frozenset[DimVar]:
    """Return the names of sizes that the functions around have given to something."""
    types = (each.ty for each in scope.names.values() if isinstance(each, Expr))
    seen = dim_variables(*(ty for ty in types if ty is not None))
    return scope.sizes | seen


def _captured(at: ast.FunctionDef, scope: Scope) -> dict[str, Value]:
    """Return what a function reads around it, also by way of those that come later."""
    found: dict[str, Value] = {}
    pending = [at]
    while pending:
        for name in reads(pending.pop()):
            if name in scope.names and name != at.name and name not in found:
                found[name] = value = scope.names[name]
                pending += [value.at] if isinstance(value, Late) else []
    return found | shared_defaults(at.args, scope)


def _template(
    statements: Sequencer,
    signature: Signature,
    scope: Scope,
    captured: Mapping[str, Value],
    known: Mapping[str, Value],
    advice: str | None = None,
) -> Template:
    at, active, made = signature.at, list[object](), list[object]()
    around = scope.branch()

    def expand(values: Sequence[Value], span: Span) -> Value:
        form = tuple(map(_form, values))
        made[:] = [*made, form] if active else []
        if form in active or len(active) == _DEPTH or len(made) == _EXPANSIONS:
            raise _endless(at, span, advice)
        flow = flow_of(statements, signature.result)
        inner = around.inside(at, flow)
        lent = (f"{each} outside of {at.name}" for each in signature.names)  # names of nobody
        inner.names.update(zip(lent, values, strict=True))
        inner.names.update(zip(signature.names, values, strict=True))
        active.append(form)
        try:
            if isinstance(at.body[-1], ast.Return) and len(at.body) == 1 and at.returns is None:
                return _returned(statements, at.body[-1], inner)
            return statements.run(at.body, inner, end_of(at, flow))
        finally:
            active.pop()

    place = around.span(at)
    template = Template(at.name, signature.names, expand, captured, known, place)
    around.names[at.name] = replace(template, captured={})  # in its own body it is as it is
    return template


def _form(value: Value) -> object:
    """Return what decides how a body is translated: types, and what is known."""
    match value:
        case Expr(ty=ty):
            return ty
        case Static(content):
            return type(content), repr(content)
        case Group(items):
            return tuple(map(_form, items))
        case _:
            return value


def _returned(statements: Sequencer, at: ast.Return, scope: Scope) -> Value:
    """Return the value of a function that is one `return`: anything, such as another function."""
    found = Static(None) if at.value is None else statements.expressions.value(at.value, scope)
    return scope.block.finish(found) if isinstance(found, Expr) else found

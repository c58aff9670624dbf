"""Python expressions as Relay expressions; recursion follows their nesting, which Python bounds."""

import ast
import builtins
import operator
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from relay.frontend.python import calls, indexing, logic, operators
from relay.frontend.python.analysis import assigned, reads
from relay.frontend.python.arithmetic import binary, refuse_sign
from relay.frontend.python.attributes import Receiver, member, tensor_attribute
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.errors import FILLING, mistake
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.operations import (
    describe,
    group_of,
    items_of,
    outside,
    plain_value,
    together,
)
from relay.frontend.python.scope import Scope
from relay.frontend.python.source import present
from relay.frontend.python.unsupported import unsupported_expression
from relay.frontend.python.values import (
    Group,
    Local,
    Pending,
    Size,
    Static,
    Template,
    Undefined,
    Value,
)
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.types import BOOL, TensorType, TupleType, Type, TypeCall, TypeVar
from relay.opdef.table import OPERATORS
from relay.ops.elementwise import Copy
from relay.support.span import Span

_OF_LISTS = ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")
_SIGNS: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


class Expressions:
    """Translates the expressions of one program."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion

    def typed(self, at: ast.expr, scope: Scope, wanted: Type | None = None) -> Expr:
        """Return an expression, of the wanted type if there is one (`F111` otherwise)."""
        return self.conversion.typed(self.value(at, scope), wanted, scope.span(at))

    def condition(self, at: ast.expr, scope: Scope) -> "Expr | Static":
        """Return a bool: an expression, or a plain one that is known now. Raises `F114`."""
        match at:
            case ast.BoolOp(op=sign, values=(first, *rest)):
                found = self.condition(first, scope)
                return self._decided(sign, found, rest, scope) if rest else found
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return logic.negated(self.condition(operand, scope), scope.span(at))
            case _:
                return logic.truth(self.value(at, scope), scope.span(at))

    def _decided(
        self, sign: ast.boolop, first: "Expr | Static", rest: list[ast.expr], scope: Scope
    ) -> "Expr | Static":
        """Return whether all or any of several conditions hold, asking no further than needed."""
        stops = isinstance(sign, ast.Or)
        others = ast.copy_location(ast.BoolOp(sign, rest), rest[0])
        if isinstance(first, Static):
            return first if first.content is stops else self.condition(others, scope)
        span = scope.span(rest[0])
        other = self.conversion.typed(self.condition(others, scope), BOOL, span)
        stop = Constant(np.asarray(stops))
        return If(first, *((stop, other) if stops else (other, stop)), span=span)

    def value(self, at: ast.expr, scope: Scope) -> Value:
        """Return what an expression stands for."""
        span = scope.span(at)
        match at:
            case ast.Constant(value=bool() | int() | float() | str() | None as content):
                return Static(content)
            case ast.Name(id=name):
                return self._name(name, scope, span)
            case ast.BinOp():
                return self._binary(at, scope)
            case ast.UnaryOp(op=sign, operand=operand):
                return self._unary(sign, operand, scope, span)
            case ast.BoolOp(op=sign, values=values):
                return self._boolean(sign, values, scope, span)
            case ast.Compare(left=left, ops=signs, comparators=others):
                return self._compare(signs, [left, *others], scope, span)
            case ast.IfExp(test=test, body=then, orelse=other):
                return self._choice(test, then, other, scope, span)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return Group(tuple(part for item in items for part in self.parts(item, scope)))
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(at, scope, span)
            case ast.Subscript(value=whole, slice=part):
                found = self.value(whole, scope)
                return indexing.index(found, part, lambda each: self.value(each, scope), span)
            case ast.Attribute(value=whole, attr=name):
                return self._attribute(self.value(whole, scope), name, scope, span)
            case ast.Call():
                return calls.call(self, at, scope)
            case ast.Lambda():
                return self._lambda(at, scope)
            case ast.JoinedStr(values=parts):
                return self._text(at, parts, scope)
            case _:
                raise unsupported_expression(at, span)

    def _text(self, at: ast.expr, parts: Sequence[ast.expr], scope: Scope) -> Static:
        """Return a formatted text of what is known now: a key, say, or what an error says."""
        said: list[str] = []
        for part in parts:
            if isinstance(part, ast.FormattedValue):
                known = plain_value(self.value(part.value, scope))
                if known is None:
                    raise unsupported_expression(at, scope.span(at))
                form = "" if part.format_spec is None else self.value(part.format_spec, scope)
                shown = repr(known[0]) if part.conversion == ord("r") else known[0]
                said.append(format(shown, str(form.content) if isinstance(form, Static) else ""))
            elif isinstance(part, ast.Constant):
                said.append(str(part.value))
        return Static("".join(said))

    def parts(self, at: ast.expr, scope: Scope) -> Sequence[Value]:
        """Return the items that one part of a written list stands for: `*rows` for several."""
        if not isinstance(at, ast.Starred):
            return [self.value(at, scope)]
        found = self.value(at.value, scope)
        listed = items_of(found, scope.span(at))
        if listed is not None:
            return listed.items
        what = f"only a list that is written out can be unpacked, not {describe(found)}"
        raise mistake("F126", what, scope.span(at), "write its parts: x[0], x[1]")

    def _comprehension(
        self, at: ast.ListComp | ast.GeneratorExp, scope: Scope, span: Span
    ) -> Group:
        """Translate the element once for each item of lists whose lengths are known."""
        made: list[Value] = []
        self._rounds(at, at.generators, scope, made, span)
        return Group(tuple(made))

    def _rounds(
        self,
        at: ast.ListComp | ast.GeneratorExp,
        generators: Sequence[ast.comprehension],
        scope: Scope,
        made: list[Value],
        span: Span,
    ) -> None:
        """Go through the lists of a comprehension; recursion follows how many it has."""
        if not generators:
            made.append(self._element(at.elt, scope))
            return
        first, *others = generators
        found = items_of(self.value(first.iter, scope), span)
        if found is None:
            raise unsupported_expression(at, span)
        for item in found.items:
            inner = scope.branch()
            inner.block, inner.fresh = (
                scope.block,
                scope.fresh | {*assigned([ast.Expr(first.target)])},
            )
            self._bind(first.target, item, inner)
            if all(self._chosen(test, inner) for test in first.ifs):
                self._rounds(at, others, inner, made, span)

    def _chosen(self, test: ast.expr, scope: Scope) -> bool:
        condition = self.condition(test, scope)
        if isinstance(condition, Static):
            return bool(condition.content)
        what = "how long the list is depends on what the program computes"
        advice = "choose by value: np.where(x > 0, x, 0), or x[x > 0] of a tensor"
        raise mistake("F107", what, scope.span(test), advice)

    def _bind(self, target: ast.expr, item: Value, scope: Scope) -> None:
        """Give the names of a comprehension an item, or its parts."""
        listed = group_of(item, scope.span(target))
        match target:
            case ast.Name(id=name):
                scope.names[name] = item
            case ast.Tuple(elts=parts) if listed is not None and len(parts) == len(listed.items):
                for part, each in zip(parts, listed.items, strict=True):
                    self._bind(part, each, scope)
            case _:
                what = f"cannot unpack {describe(item)} into {ast.unparse(target)}"
                raise mistake("F126", what, scope.span(target), "use as many names as parts")

    def _element(self, at: ast.expr, scope: Scope) -> Value:
        found = self.value(at, scope)
        if isinstance(found, Template) and scope.fresh & found.captured.keys():
            what = "functions made in a list all see the last item in Python"
            advice = "give the item to the function as an argument"
            raise mistake("F127", what, scope.span(at), advice)
        return found

    # Names

    def _name(self, name: str, scope: Scope, span: Span) -> Value:
        if name in scope.names:
            return _usable(name, scope, span)
        if name in scope.outside:
            return self._outside(name, scope, span)
        if hasattr(builtins, name):
            return Static(getattr(builtins, name))
        raise mistake(
            "F108", f"{name} is not defined", span, "assign it first, or mend its spelling"
        )

    def _outside(self, name: str, scope: Scope, span: Span) -> Value:
        """Return what a name from outside stands for; the program depends on it."""
        found, python = scope.outside[name], scope.python
        if python is not None and not isinstance(found, TypeVar):
            found = self.conversion.unit.look(lambda: present(python, name))
        return self._owned(outside(found, span), scope)

    def _owned(self, value: Value, scope: Scope) -> Value:
        """Note that an array from outside belongs to others, too."""
        if isinstance(value, Constant) and value.tensor_type.rank:
            scope.memory.owners[value] = "an array from outside of the function"
        return value

    def _attribute(self, whole: Value, name: str, scope: Scope, span: Span) -> Value:
        if isinstance(whole, Static) and whole.number is None:
            return self._owned(member(whole.content, name, self.conversion.unit, span), scope)
        if isinstance(whole, Expr) and isinstance(whole.ty, TensorType):
            return tensor_attribute(whole, name, span)
        listed = isinstance(whole, Group) or (
            isinstance(whole, Expr) and isinstance(whole.ty, TupleType)
        )
        if listed and name in _OF_LISTS:
            advice = (
                "in a loop over a written list: rows = [*rows, row]; else fill a tensor: " + FILLING
            )
            raise mistake("F116", "lists do not change", span, advice)
        if isinstance(whole, Expr) and isinstance(whole.ty, TypeCall):
            return self._of_data(whole, whole.ty, name, span)
        return self.conversion.field(whole, name, span)

    def _of_data(self, whole: Expr, ty: TypeCall, name: str, span: Span) -> Value:
        """Return a field of data, a property, or a method of a class that is its only form."""
        unit = self.conversion.unit
        classes = [unit.data.classes[each] for each in unit.data.alternatives(ty.head)]
        found: object = getattr(classes[0], name, None) if len(classes) == 1 else None
        getter = found.fget if isinstance(found, property) else found
        if not isinstance(getter, FunctionType):
            return self.conversion.field(whole, name, span)
        unit.receivers[getter] = ty
        method = Static(Receiver(getter, whole))
        if getter is found:
            return method
        return calls.called(Invocation(self.conversion, method, [], {}, span))

    # Operators

    def _binary(self, at: ast.BinOp, scope: Scope) -> Value:
        """Walk down the left side, so that long sums are no deep recursion."""
        pending: list[ast.BinOp] = []
        left: ast.expr = at
        while isinstance(left, ast.BinOp):
            pending.append(left)
            left = left.left
        value = self.value(left, scope)
        for each in reversed(pending):
            right, span = self.value(each.right, scope), scope.span(each)
            product = isinstance(each.op, ast.MatMult)
            value = (
                operators.matmul(value, right, span)
                if product
                else binary(type(each.op), value, right, span)
            )
        return value

    def _unary(self, sign: ast.unaryop, at: ast.expr, scope: Scope, span: Span) -> Value:
        if isinstance(sign, ast.Not):
            return logic.negated(self.condition(at, scope), span)
        value = self.value(at, scope)
        if isinstance(value, Static) and value.number is not None:
            return Static(_SIGNS[type(sign)](value.number))
        if isinstance(value, Size) and isinstance(sign, ast.USub):
            return binary(ast.Sub, Static(0), value, span)
        (operand,) = together([value], span)
        refuse_sign(sign, operand, span)
        if isinstance(sign, ast.UAdd):
            return Call(Copy(), (operand,), span=span)
        return _call("negative" if isinstance(sign, ast.USub) else "bitwise_not", [operand], span)

    def _boolean(
        self, sign: ast.boolop, parts: Sequence[ast.expr], scope: Scope, span: Span
    ) -> Value:
        """Return the operand that decides, as Python does: `x or 1.0` is `x` unless that is 0."""
        first, rest = self.value(parts[0], scope), parts[1:]
        if not rest:
            return first
        stops, known = isinstance(sign, ast.Or), logic.truth(first, scope.span(parts[0]))
        if isinstance(known, Static):
            return first if known.content is stops else self._boolean(sign, rest, scope, span)
        other = self._boolean(sign, rest, scope, span)
        left, right = self.conversion.joined("the expression", [first, other], span)
        return If(known, *((left, right) if stops else (right, left)), span=span)

    def _compare(
        self, signs: Sequence[ast.cmpop], parts: Sequence[ast.expr], scope: Scope, span: Span
    ) -> Value:
        values = [self.value(part, scope) for part in parts]
        pairs = enumerate(signs)
        return logic.chained(
            [logic.compared(sign, values[i], values[i + 1], span) for i, sign in pairs], span
        )

    def _choice(
        self, test: ast.expr, then: ast.expr, other: ast.expr, scope: Scope, span: Span
    ) -> Value:
        condition = self.condition(test, scope)
        if isinstance(condition, Static):
            return self.value(then if condition.content else other, scope)
        values = [self.value(then, scope), self.value(other, scope)]
        if isinstance(values[0], Pending) and isinstance(values[1], Pending):
            return self._pending_choice(condition, values, span)
        first, second = self.conversion.joined("the expression", values, span)
        return If(condition, first, second, span=span)

    def _pending_choice(self, condition: Expr, values: Sequence[Value], span: Span) -> Pending:
        def complete(wanted: Type) -> Expr:
            first, second = (self.conversion.typed(value, wanted, span) for value in values)
            return If(condition, first, second, span=span)

        assert isinstance(values[0], Pending), "the caller looked"
        return Pending(values[0].name, values[0].head, complete, span)

    # Functions

    def _lambda(self, at: ast.Lambda, scope: Scope) -> Template:
        params = parameters(at.args, scope)
        defaults = self.defaults(at.args, scope)
        captured = {name: scope.names[name] for name in reads(at) if name in scope.names}

        def expand(values: Sequence[Value], _span: Span) -> Value:
            inner = scope.branch()
            for name, value in zip(params, values, strict=True):
                inner.names[name] = value
            return self.value(at.body, inner)

        return Template("lambda", params, expand, captured, defaults)

    def defaults(self, args: ast.arguments, scope: Scope) -> dict[str, Value]:
        """Return what parameters are where a call leaves them out, evaluated once."""
        placed = [each.arg for each in (*args.posonlyargs, *args.args)]
        last = zip(placed[len(placed) - len(args.defaults) :], args.defaults, strict=True)
        named = zip((each.arg for each in args.kwonlyargs), args.kw_defaults, strict=True)
        pairs = [*last, *((name, at) for name, at in named if at is not None)]
        return {name: self.value(at, scope) for name, at in pairs}


def parameters(args: ast.arguments, scope: Scope) -> tuple[str, ...]:
    """Return the parameters of a function; raises `F104` for `*args` and the like."""
    odd = [each for each in (args.vararg, args.kwarg) if each is not None]
    if odd:
        raise mistake(
            "F104",
            f"{odd[0].arg}: every parameter has its place",
            scope.span(odd[0]),
            "write the parameters out; a tuple can hold several values",
        )
    return tuple(each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs))


def _usable(name: str, scope: Scope, span: Span) -> Value:
    """Return a variable's value; raises `F109` if it may have none, `F127` if it is out of date."""
    value = scope.names[name]
    if isinstance(value, Undefined):
        raise mistake("F109", f"{name} {value.why}", span, value.help)
    if isinstance(value, Template | Local):
        for each, then in value.captured.items():
            if each != name and scope.names.get(each, then) is not then:
                raise mistake(
                    "F127",
                    f"{name} reads {each}, which has been assigned since {name} was defined",
                    span,
                    f"pass {each} to {name} as an argument",
                )
    return value


def _call(name: str, args: Sequence[Expr], span: Span) -> Call:
    return Call(OPERATORS.find(name)(), tuple(args), span=span)

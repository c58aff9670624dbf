"""Python expressions as Relay expressions; recursion follows their nesting, which Python bounds."""

import ast
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relay.frontend.python import calls, choices, indexing, logic, operators
from relay.frontend.python.analysis import reads
from relay.frontend.python.arithmetic import binary, refuse_sign
from relay.frontend.python.attributes import member, tensor_attribute
from relay.frontend.python.comprehensions import Comprehension
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.errors import FILLING
from relay.frontend.python.members import member_of_data
from relay.frontend.python.names import look_up
from relay.frontend.python.operations import describe, items_of, plain_value, together
from relay.frontend.python.parameters import defaults, parameters, shared_defaults
from relay.frontend.python.scope import Scope
from relay.frontend.python.unit import is_method
from relay.frontend.python.unsupported import unsupported_expression
from relay.frontend.python.values import Group, Series, Static, Template, Undefined, Value
from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.opdef.table import OPERATORS
from relay.ops.elementwise import Copy
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_GROWS = f"in a loop over a written list: rows = [*rows, row]; else fill a tensor: {FILLING}"
_OF_LISTS: Mapping[str, str] = {
    **dict.fromkeys(("append", "extend", "insert"), _GROWS),
    "clear": "write rows = []",
    "pop": "write row = rows[-1], and rows = rows[:-1]",
    "remove": "write a new list without the item: rows = [*rows[:i], *rows[i + 1:]]",
    "reverse": "write rows = rows[::-1]",
    "sort": "write np.sort(x) of a tensor, or sorted(…) of plain numbers",
}
_NOTHING = Undefined("has no value yet", "assign it before")
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
        return choices.condition(self, at, scope)

    def value(self, at: ast.expr, scope: Scope) -> Value:
        """Return what an expression stands for."""
        span = scope.span(at)
        match at:
            case ast.Constant(value=bool() | int() | float() | str() | None as content):
                return Static(content)
            case ast.Name(id=name):
                return look_up(name, scope, self.conversion.unit, span)
            case ast.BinOp():
                return self._binary(at, scope)
            case ast.UnaryOp(op=sign, operand=operand):
                return self._unary(sign, operand, scope, span)
            case ast.BoolOp(op=sign, values=values):
                return choices.boolean(self, sign, values, scope, span)
            case ast.Compare():
                return choices.comparison(self, at, scope)
            case ast.IfExp():
                return choices.choice(self, at, scope)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                found = tuple(part for item in items for part in self.parts(item, scope))
                return _group(found, list if isinstance(at, ast.List) else tuple, span)
            case ast.ListComp() | ast.GeneratorExp():
                return Comprehension(self, at).translate(scope)
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
        raise mistake(ErrorCode.F126, what, scope.span(at), "write its parts: x[0], x[1]")

    def _attribute(self, whole: Value, name: str, scope: Scope, span: Span) -> Value:
        if isinstance(whole, Static) and _has_method(whole.content, name):
            whole = self.conversion.typed(whole, None, span)
        if isinstance(whole, Static) and whole.number is None:
            return scope.memory.lent(member(whole.content, name, self.conversion.unit, span))
        if isinstance(whole, Expr) and isinstance(whole.ty, TensorType):
            return tensor_attribute(whole, name, span)
        listed = isinstance(whole, Group | Series) or (
            isinstance(whole, Expr) and isinstance(whole.ty, TupleType)
        )
        if listed and name in _OF_LISTS:
            what = f"{name}: this list does not change"
            if _OF_LISTS[name] is _GROWS:
                what = f"{name}: how long the list becomes is known only when the program runs"
            raise mistake(ErrorCode.F116, what, span, _OF_LISTS[name])
        if isinstance(whole, Expr) and isinstance(whole.ty, TypeCall):
            return member_of_data(self.conversion, whole, whole.ty, name, span)
        return self.conversion.field(whole, name, span)

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

    def _lambda(self, at: ast.Lambda, scope: Scope) -> Template:
        params = parameters(at.args, scope)
        captured = {
            name: scope.names.get(name, _NOTHING)
            for name in reads(at)
            if name in scope.names or name in scope.own
        } | shared_defaults(at.args, scope)

        def expand(values: Sequence[Value], _span: Span) -> Value:
            inner = scope.branch()
            for name, value in zip(params, values, strict=True):
                inner.names[name] = value
            return self.value(at.body, inner)

        known, place = defaults(self, at.args, scope), scope.span(at)
        return Template("lambda", params, expand, captured, known, place)


def _has_method(content: object, name: str) -> bool:
    """Whether a Python object is data, and a name that of one of its methods."""
    data = hasattr(content, "__relay_data__") and not isinstance(content, type)
    return data and is_method(inspect.getattr_static(content, name, None))


def _call(name: str, args: Sequence[Expr], span: Span) -> Call:
    return Call(OPERATORS.find(name)(), tuple(args), span=span)


def _group(
    items: tuple[Value, ...], brackets: type[list[Any] | tuple[Any, ...]], span: Span
) -> Group:
    try:
        return Group(items, brackets)
    except RelayError as error:
        raise error.at(span) from None

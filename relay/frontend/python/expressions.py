"""Python expressions as Relay expressions; recursion follows their nesting, which Python bounds."""

import ast
import builtins
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from relay.frontend.python import calls, indexing, operators
from relay.frontend.python.analysis import reads
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.errors import FILLING, mistake
from relay.frontend.python.operations import BINARY, binary, describe, outside, together
from relay.frontend.python.operators import Path
from relay.frontend.python.scope import Scope
from relay.frontend.python.unit import Decorated
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
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.types import BOOL, TensorType, Type
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType
from relay.support.node import node
from relay.support.span import Span


@node
class Method:
    """A method of a tensor, before it is called."""

    name: str
    tensor: Expr


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

    def condition(self, at: ast.expr, scope: Scope) -> Value:
        """Return a bool: an expression, or a plain one that is known now. Raises `F114`."""
        value = self.value(at, scope)
        if isinstance(value, Static) and isinstance(value.content, bool | int):
            return Static(bool(value.content))
        if isinstance(value, Expr) and value.ty is BOOL:
            return value
        raise mistake(
            "F114",
            f"a condition is one bool, not {describe(value)}",
            scope.span(at),
            "compare (x > 0); of a tensor take .all() or .any(), or choose with np.where",
        )

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
                return Group(tuple(part for item in items for part in self._parts(item, scope)))
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(at, scope, span)
            case ast.Subscript(value=whole, slice=part):
                found = self.value(whole, scope)
                return indexing.index(found, part, lambda each: self.value(each, scope), span)
            case ast.Attribute(value=whole, attr=name):
                return self._attribute(self.value(whole, scope), name, span)
            case ast.Call():
                return calls.call(self, at, scope)
            case ast.Lambda():
                return self._lambda(at, scope)
            case _:
                raise unsupported_expression(at, span)

    def _parts(self, at: ast.expr, scope: Scope) -> Sequence[Value]:
        """Return the items that one part of a written list stands for: `*rows` for several."""
        if not isinstance(at, ast.Starred):
            return [self.value(at, scope)]
        found = self.value(at.value, scope)
        if isinstance(found, Group):
            return found.items
        what = f"only a list that is written out can be unpacked, not {describe(found)}"
        raise mistake("F126", what, scope.span(at), "write its parts: x[0], x[1]")

    def _comprehension(
        self, at: ast.ListComp | ast.GeneratorExp, scope: Scope, span: Span
    ) -> Group:
        """Translate the element once for each item of a list whose length is known."""
        (first, *others) = at.generators
        found = self.value(first.iter, scope)
        if others or first.ifs or not isinstance(found, Group):
            raise unsupported_expression(at, span)
        return Group(
            tuple(self._element(at.elt, first.target, item, scope) for item in found.items)
        )

    def _element(self, at: ast.expr, target: ast.expr, item: Value, scope: Scope) -> Value:
        inner = scope.branch()
        inner.block = scope.block
        match target, item:
            case ast.Name(id=name), _:
                inner.names[name] = item
            case ast.Tuple(elts=names), Group(items) if len(names) == len(items):
                pairs = zip(names, items, strict=True)
                inner.names |= {each.id: part for each, part in pairs if isinstance(each, ast.Name)}
            case _:
                what = f"cannot unpack {describe(item)} into {ast.unparse(target)}"
                raise mistake("F126", what, scope.span(target), "use as many names as parts")
        found = self.value(at, inner)
        if (
            isinstance(found, Template)
            and (inner.names.keys() - scope.names.keys()) & found.captured.keys()
        ):
            what = "functions made in a list all see the last item in Python"
            advice = "give the item to the function as an argument"
            raise mistake("F127", what, scope.span(at), advice)
        return found

    # Names

    def _name(self, name: str, scope: Scope, span: Span) -> Value:
        if name in scope.names:
            return _usable(name, scope, span)
        if name in scope.outside:
            return outside(scope.outside[name], span)
        if hasattr(builtins, name):
            return Static(getattr(builtins, name))
        raise mistake(
            "F108", f"{name} is not defined", span, "assign it first, or mend its spelling"
        )

    def _attribute(self, whole: Value, name: str, span: Span) -> Value:
        if isinstance(whole, Static) and isinstance(whole.content, ModuleType | Path):
            return _member(whole.content, name, span)
        if isinstance(whole, Expr) and isinstance(whole.ty, TensorType):
            return _tensor_attribute(whole, name, span)
        if isinstance(whole, Group) and name in ("append", "extend", "insert", "pop"):
            advice = (
                "in a loop over a written list: rows = [*rows, row]; else fill a tensor: " + FILLING
            )
            raise mistake("F116", "lists do not change", span, advice)
        return self.conversion.field(whole, name, span)

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
            value = self.condition(at, scope)
            if isinstance(value, Static):
                return Static(not value.content)
            return _call("logical_not", together([value], span), span)
        value = self.value(at, scope)
        if isinstance(value, Static) and value.number is not None:
            return Static(_SIGNS[type(sign)](value.number))
        (operand,) = together([value], span)
        if isinstance(sign, ast.UAdd):
            return operand
        return _call("negative" if isinstance(sign, ast.USub) else "bitwise_not", [operand], span)

    def _boolean(
        self, sign: ast.boolop, parts: Sequence[ast.expr], scope: Scope, span: Span
    ) -> Value:
        """Evaluate from the left, and no further than needed, as Python does."""
        first, rest = self.condition(parts[0], scope), parts[1:]
        if not rest:
            return first
        stops = isinstance(sign, ast.Or)
        if isinstance(first, Static):
            return first if first.content is stops else self._boolean(sign, rest, scope, span)
        other = self.conversion.typed(self._boolean(sign, rest, scope, span), BOOL, span)
        stop = Constant(np.asarray(stops))
        then, otherwise = (stop, other) if stops else (other, stop)
        return If(self.conversion.typed(first, BOOL, span), then, otherwise, span=span)

    def _compare(
        self, signs: Sequence[ast.cmpop], parts: Sequence[ast.expr], scope: Scope, span: Span
    ) -> Value:
        values = [self.value(part, scope) for part in parts]
        results = [_compared(s, values[i], values[i + 1], span) for i, s in enumerate(signs)]
        whole = results[0]
        for each in results[1:]:
            known = isinstance(whole, Static) and isinstance(each, Static)
            whole = Static(whole.content and each.content) if known else _both(whole, each, span)  # pyright: ignore
        return whole

    def _choice(
        self, test: ast.expr, then: ast.expr, other: ast.expr, scope: Scope, span: Span
    ) -> Value:
        condition = self.condition(test, scope)
        if isinstance(condition, Static):
            return self.value(then if condition.content else other, scope)
        assert isinstance(condition, Expr), "it is static or an expression"
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
        captured = {name: scope.names[name] for name in reads(at) if name in scope.names}

        def expand(values: Sequence[Value], _span: Span) -> Value:
            inner = scope.branch()
            for name, value in zip(params, values, strict=True):
                inner.names[name] = value
            return self.value(at.body, inner)

        return Template("lambda", params, expand, captured)


def parameters(args: ast.arguments, scope: Scope) -> tuple[str, ...]:
    """Return the parameters of a function; raises `F104` for `*args` and the like."""
    odd = [each for each in (args.vararg, args.kwarg, *args.kwonlyargs) if each is not None]
    if odd:
        raise mistake(
            "F104",
            f"{odd[0].arg}: every parameter has its place",
            scope.span(odd[0]),
            "write the parameters out; a tuple can hold several values",
        )
    return tuple(each.arg for each in (*args.posonlyargs, *args.args))


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


def _member(module: "ModuleType | Path", name: str, span: Span) -> Value:
    if isinstance(module, Path):
        return Static(Path(f"{module.name}.{name}", module.is_relay))
    found: Any = getattr(module, name, None)
    if module.__name__ == "relay" and not isinstance(found, Decorated | DType):
        return Static(Path(name, is_relay=True))
    if (
        module in (np, np.linalg, math)
        and (found is None or callable(found))
        and not isinstance(found, type)
    ):
        return Static(Path(name, is_relay=False))
    if found is None:
        raise mistake("F108", f"{module.__name__} has no {name}", span, "mend its spelling")
    return outside(found, span)


def _tensor_attribute(tensor: Expr, name: str, span: Span) -> Value:
    shape = tensor.tensor_type.shape
    match name:
        case "shape":
            return Group(
                tuple(
                    Size(d, tensor, i) if not isinstance(d, int) else Static(d)
                    for i, d in enumerate(shape)
                )
            )
        case "ndim":
            return Static(len(shape))
        case "dtype":
            return Static(tensor.tensor_type.dtype)
        case "size":
            if is_static(shape):
                return Static(math.prod(tensor.tensor_type.static_shape))
            return _call("ndarray_size", [tensor], span)
        case "T":
            return _call("transpose", [tensor], span)
        case _:
            return Static(Method(name, tensor))


def _compared(sign: ast.cmpop, left: Value, right: Value, span: Span) -> Value:
    """Return one comparison; `in` compares with each item, or each element."""
    if type(sign) in BINARY:
        return binary(type(sign), left, right, span)
    if not isinstance(sign, ast.In | ast.NotIn):
        raise unsupported_expression(sign, span)
    items = right.items if isinstance(right, Group) else (right,)
    found: Value = Static(False)
    for item in items:
        same = binary(ast.Eq, left, item, span)
        if isinstance(same, Expr) and same.tensor_type.rank:
            same = _call("any", [same], span)
        found = binary(ast.BitOr, found, same, span)
    if isinstance(sign, ast.In):
        return found
    if isinstance(found, Static):
        return Static(not found.content)
    return _call("logical_not", together([found], span), span)


def _both(a: Value, b: Value, span: Span) -> Expr:
    return _call("logical_and", together([a, b], span), span)


def _call(name: str, args: Sequence[Expr], span: Span) -> Call:
    return Call(OPERATORS.find(name)(), tuple(args), span=span)

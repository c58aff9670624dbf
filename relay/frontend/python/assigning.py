"""Assignments: to variables, to parts of tensors and lists, to several of them, `x += 1`."""

import ast
from collections.abc import Sequence
from functools import partial

from relay.frontend.python.analysis import computes
from relay.frontend.python.arithmetic import BINARY, binary
from relay.frontend.python.errors import FILLING
from relay.frontend.python.indexing import is_mask, with_item
from relay.frontend.python.operations import describe, items_of
from relay.frontend.python.operators import matmul
from relay.frontend.python.scope import Scope
from relay.frontend.python.sharing import refuse_item
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Group, Series, Static, Value
from relay.frontend.python.writing import kept, refuse_stale, where_masked, written
from relay.ir.expr import Call, Expr, Operator
from relay.ir.types import TensorType, TupleType
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


def _is_of_user(value: Value) -> bool:
    """Whether a value is what a function of the program gives, whatever that is called."""
    return isinstance(value, Call) and not isinstance(value.op, Operator)


class Assignments:
    """Translates what gives variables their values."""

    def __init__(self, expressions: Translator) -> None:
        self._expressions = expressions

    def assign(self, at: ast.Assign, scope: Scope) -> None:
        """Translate `a = b = value`."""
        found = self._expressions.value(at.value, scope)
        if len(at.targets) > 1 and isinstance(found, Expr):
            found = scope.block.bind("value", found, scope.span(at))
        match at.targets:
            case [ast.Name(id=name)] if computes(at.value) and not _is_of_user(found):
                scope.assign_new(name, found, scope.span(at.targets[0]))
            case targets:
                for target in targets:
                    self.unpack(target, found, scope)

    def unpack(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Assign a value to a target, and its parts to the parts of it."""
        span = scope.span(target)
        match target:
            case ast.Name(id=name):
                scope.assign(name, value, span)
            case ast.Subscript(value=ast.Name(id=name), slice=at):
                self._write(name, at, value, scope, span)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                items = self._parts(parts, value, scope, span)
                refuse_stale(parts, items, span)
                for part, item in zip(parts, items, strict=True):
                    self.unpack(part.value if isinstance(part, ast.Starred) else part, item, scope)
            case ast.Attribute(value=whole):
                made = f"{ast.unparse(whole)} = …(…), with all its fields"
                raise _fixed(target, span, f"make a new value: {made}")
            case ast.Subscript(value=ast.Subscript() as part):
                what = f"{ast.unparse(target)} is a part of a part, which cannot be assigned"
                raise mistake(ErrorCode.F116, what, span, self._at_once(target, part, scope))
            case _:
                raise _fixed(target, span, f"make a new value: {FILLING}")

    def augmented(self, at: ast.AugAssign, scope: Scope) -> None:
        """Translate `x += value`, `x[i] += value` and the like."""
        target, span = at.target, scope.span(at)
        if isinstance(target, ast.Name):
            scope.write(target.id, span)
        elif not isinstance(target, ast.Subscript):
            self.unpack(target, Static(None), scope)
        masked = self._masked(target, scope)
        old = self._expressions.value(_read(target) if masked is None else masked, scope)
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            name = target.value.id
            refuse_item(scope.memory, name, old, scope.read_later(name), span)
        new = self._expressions.value(at.value, scope)
        sign = type(at.op)
        if sign is ast.Add and isinstance(old, Group | Series) and isinstance(new, Expr | Series):
            _refuse_growth(old, span)
        made = binary(sign, old, new, span) if sign in BINARY else matmul(old, new, span)
        if masked is not None and isinstance(target, ast.Subscript):
            made = where_masked(old, self._expressions.value(target.slice, scope), made, new, span)
            target = masked
        made = kept(old, made, new, target, span)
        if isinstance(target, ast.Name):  # nobody else sees the array that is changed in place
            scope.assign_new(target.id, made, scope.span(target))
        else:
            self.unpack(target, made, scope)

    def grow(self, name: str, method: str, at: ast.Call, scope: Scope) -> None:
        """Give a variable the list that it holds, with more items: a list of another length."""
        span = scope.span(at)
        scope.write(name, span)
        given = (self._expressions.value(arg, scope) for arg in at.args)
        old, (*places, new) = scope.names[name], given
        assert isinstance(old, Group), "the caller looked"
        items = items_of(new, span) if method == "extend" else Group((new,))
        place = places[0].content if places and isinstance(places[0], Static) else len(old.items)
        if items is None or not isinstance(place, int):
            advice = "how long a list is is known before the program runs"
            raise mistake(ErrorCode.F116, f"{method} of {describe(new)}", span, advice)
        listed = list(old.items)
        listed[place:place] = items.items
        scope.assign(name, Group(tuple(listed), old.brackets), span)

    def pops(self, at: ast.Call, scope: Scope) -> bool:
        """Whether a call takes an item out of a list that a variable holds."""
        match at.func:
            case ast.Attribute(ast.Name(name), "pop"):
                return isinstance(scope.names.get(name), Group)
            case _:
                return False

    def pop(self, at: ast.Call, scope: Scope) -> Value:
        """Return the item that `rows.pop()` takes out; the variable gets a shorter list."""
        assert isinstance(at.func, ast.Attribute), "the caller looked"
        assert isinstance(at.func.value, ast.Name), "the caller looked"
        name, span = at.func.value.id, scope.span(at)
        scope.write(name, span)
        old, given = scope.names[name], [self._expressions.value(arg, scope) for arg in at.args]
        assert isinstance(old, Group), "the caller looked"
        listed = list(old.items)
        places = [
            each.content
            for each in given
            if isinstance(each, Static) and isinstance(each.content, int)
        ]
        if len(places) < len(given):
            advice = "which item it is is known before the program runs: write its number"
            raise mistake(ErrorCode.F121, f"pop of {describe(Group(tuple(given)))}", span, advice)
        try:
            item = listed.pop(*places)
        except IndexError as error:
            raise mistake(
                ErrorCode.F121, str(error), span, "look at how long the list is"
            ) from None
        scope.assign(name, Group(tuple(listed), old.brackets), span)
        return item

    def _write(self, name: str, at: ast.expr, new: Value, scope: Scope, span: Span) -> None:
        """Write to a part of a tensor, or an item of a list: the variable gets a new value."""
        held = scope.names.get(name)
        if isinstance(held, Series):
            what = f"{name} is a list whose length is known only when the program runs"
            raise mistake(ErrorCode.F116, what, span, f"make it a tensor: {name} = np.array([…])")
        if isinstance(held, Group):
            scope.write(name, span)
            changed = with_item(held, self._expressions.value(at, scope), new, span)
            scope.assign(name, changed, span)
            return
        whole = self._expressions.typed(ast.copy_location(ast.Name(name, ast.Load()), at), scope)
        if not isinstance(whole.ty, TensorType):
            raise _unchanging(name, whole, span)
        scope.write(name, span)
        evaluate = partial(self._expressions.value, scope=scope)
        scope.assign_new(name, written(whole, at, new, evaluate, span), span)

    def _parts(
        self, targets: Sequence[ast.expr], value: Value, scope: Scope, span: Span
    ) -> Sequence[Value]:
        """Return the parts of a value, as many as there are targets; `*rest` takes several."""
        if isinstance(value, Expr):
            value = scope.block.bind("parts", value, span)
        listed = items_of(value, span)
        stars = [i for i, each in enumerate(targets) if isinstance(each, ast.Starred)]
        items = [] if listed is None else list(listed.items)
        if stars and len(items) >= len(targets) - 1:
            (first,), after = stars, len(items) - (len(targets) - 1 - stars[0])
            return [*items[:first], Group(tuple(items[first:after]), list), *items[after:]]
        if listed is not None and len(items) == len(targets):
            return items
        what = f"cannot unpack {describe(value)} into {len(targets)} variables"
        advice = "unpack a tuple with as many fields; take parts of a tensor with x[0], x[1]"
        raise mistake(ErrorCode.F126, what, span, advice)

    def _at_once(self, target: ast.expr, part: ast.Subscript, scope: Scope) -> str:
        """Return what to write for `y[i][j] = 1`: `y[i, j] = 1` where that is the same."""
        places: list[str] = []
        while isinstance(target, ast.Subscript):
            single = isinstance(target.slice, ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp)
            places.insert(0, ast.unparse(target.slice) if single else "")
            target = target.value
        held = scope.names.get(target.id) if isinstance(target, ast.Name) else None
        if isinstance(held, Group) or not all(places):
            return f"give the whole part anew: {ast.unparse(part)} = …"
        return f"write one index: {ast.unparse(target)}[{', '.join(places)}] = …"

    def _masked(self, target: ast.expr, scope: Scope) -> ast.Name | None:
        """Return the variable of `x[mask] += 1`; None for other targets."""
        whole = target.value if isinstance(target, ast.Subscript) else None
        if not isinstance(whole, ast.Name) or not isinstance(target, ast.Subscript):
            return None
        if not isinstance(target.slice, ast.Name | ast.Compare | ast.UnaryOp | ast.BinOp):
            return None
        if not is_mask(self._expressions.value(target.slice, scope)):
            return None
        scope.write(whole.id, scope.span(target))
        return whole


def _fixed(target: ast.expr, span: Span, advice: str) -> RelayError:
    what = f"{ast.unparse(target)} cannot be assigned: values do not change"
    return mistake(ErrorCode.F116, what, span, advice)


def _unchanging(name: str, whole: Expr, span: Span) -> RelayError:
    """Return the error for a write into what is no tensor, such as a list that a loop carries."""
    if isinstance(whole.ty, TupleType):
        what = f"{name} is a list or a tuple, which does not change while the program runs"
        return mistake(ErrorCode.F116, what, span, f"make it a tensor before: {name} = np.zeros(…)")
    what = f"{name} is {whole.ty!r}, and does not change"
    return mistake(ErrorCode.F116, what, span, f"make a new value: {name} = …")


def _refuse_growth(listed: Group | Series, span: Span) -> None:
    """Raise `F116` for `rows += x`, which in Python gives a list the items of an array."""
    if isinstance(listed, Series) or listed.brackets is not tuple:
        advice = "write x = x + y for numbers; a list of known length grows by rows = [*rows, *x]"
        raise mistake(ErrorCode.F116, "+= gives a list the items of a tensor", span, advice)


def _read(target: ast.expr) -> ast.expr:
    """Return the target of an augmented assignment as something to read."""
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    assert isinstance(target, ast.Name), "others have been refused"
    return ast.copy_location(ast.Name(target.id, ast.Load()), target)

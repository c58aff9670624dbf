"""Comprehensions: the element is translated once for each item of lists of known lengths."""

import ast
from collections.abc import Sequence

from relay.frontend.python.analysis import assigned
from relay.frontend.python.gathering import Gathering
from relay.frontend.python.operations import describe, group_of, items_of
from relay.frontend.python.scope import Block, Scope
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Group, Series, Static, Template, Value
from relay.frontend.python.walking import Walk
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode

_ONE_FOR = (
    "write one for in each: sum(sum(a * b for b in y) for a in x), or loops that fill a tensor"
)


class Comprehension:
    """One comprehension, and the items that it has made so far."""

    def __init__(self, translator: Translator, at: ast.ListComp | ast.GeneratorExp) -> None:
        self._translator = translator
        self._at = at
        self._made: list[Value] = []

    def translate(self, scope: Scope) -> Group | Series:
        """Return the list; raises `F107` where it cannot be told how long it is."""
        if len(self._at.generators) == 1 and self._is_open(self._at.generators[0].iter, scope):
            inner = self._inside(self._at.generators[0], scope)
            inner.block = Block(scope.memory)
            return Gathering(self._translator, self._at).translate(scope, inner, self._bind)
        self._rounds(self._at.generators, scope)
        return Group(tuple(self._made), list)

    def _rounds(self, generators: Sequence[ast.comprehension], scope: Scope) -> None:
        """Go through the lists of a comprehension; recursion follows how many it has."""
        if not generators:
            self._made.append(self._element(scope))
            return
        first, *others = generators
        span = scope.span(self._at)
        found = items_of(self._translator.value(first.iter, scope), span)
        if found is None:
            what = "how long this list is is known only when the program runs"
            raise mistake(ErrorCode.F107, what, span, _ONE_FOR)
        for item in found.items:
            inner = self._inside(first, scope)
            inner.block = scope.block
            self._bind(first.target, item, inner)
            if all(self._chosen(test, inner) for test in first.ifs):
                self._rounds(others, inner)

    def _inside(self, over: ast.comprehension, scope: Scope) -> Scope:
        inner = scope.branch()
        inner.fresh = scope.fresh | {*assigned([ast.Expr(over.target)])}
        return inner

    def _is_open(self, over: ast.expr, scope: Scope) -> bool:
        """Whether only the program knows how long a list is."""
        return Walk(self._translator, scope).is_open(over)

    def _chosen(self, test: ast.expr, scope: Scope) -> bool:
        condition = self._translator.condition(test, scope)
        if isinstance(condition, Static):
            return bool(condition.content)
        what = "how long the list is depends on what the program computes"
        advice = "choose by value: np.where(x > 0, x, 0), or x[x > 0] of a tensor"
        raise mistake(ErrorCode.F107, what, scope.span(test), advice)

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
                raise mistake(
                    ErrorCode.F126, what, scope.span(target), "use as many names as parts"
                )

    def _element(self, scope: Scope) -> Value:
        found = self._translator.value(self._at.elt, scope)
        if isinstance(found, Template) and scope.fresh & found.captured.keys():
            what = "functions made in a list all see the last item in Python"
            advice = "give the item to the function as an argument"
            raise mistake(ErrorCode.F127, what, scope.span(self._at.elt), advice)
        return found

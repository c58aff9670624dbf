"""Let-polymorphism: generalises local functions that are used at several types.

An unknown type in the type of a let-bound function literal is generalised if nothing else depends
on it: neither a captured variable has it in its type, nor does a deferred operator wait for it.
Each use of the function then chooses the type. If all calls choose the same types, the function
stays monomorphic; otherwise it gets type parameters.
"""

from collections import Counter
from collections.abc import Sequence
from string import ascii_uppercase

from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.types import FuncType, IncompleteType, Type, TypeVar, substitute_types
from relay.ir.walk import children, post_order, value_parts
from relay.semantics.captures import Captures
from relay.semantics.unify import Unifier
from relay.support.node import node


@node
class _Generic:
    """A generalised function: its variable, and a type parameter for each unknown type in it."""

    var: Var
    function: Function
    holes: tuple[IncompleteType, ...]
    params: tuple[TypeVar, ...]


class Generaliser:
    """Generalises the local functions in one global function.

    In the end, functions whose calls all choose the same types become monomorphic again.
    """

    def __init__(
        self,
        root: Function,
        unifier: Unifier,
        types: dict[Expr, Type],
        type_args: dict[Expr, tuple[Type, ...]],
    ) -> None:
        self._root = root
        self._captures: Captures | None = None
        self._uses = Counter[Expr]()
        self._unifier = unifier
        self._types = types
        self._type_args = type_args
        self._generic: list[_Generic] = []

    def visit(self, let: Let) -> None:
        """Generalise the unknown types of a let-bound function, once its body is typed."""
        function = let.value
        if not isinstance(function, Function) or let.var.annotation or function.type_params:
            return
        mono = self._unifier.resolve(self._types[function])
        holes = self._unifier.free_holes(mono)
        if holes and self._stands_alone(function):
            fixed = {h for ty in self._captured(let.var, function) for h in self._unifier.holes(ty)}
            self._choose(let.var, function, mono, [h for h in holes if h not in fixed])

    def _stands_alone(self, function: Function) -> bool:
        """Whether a function literal has no use other than its `let`."""
        if not self._uses:
            self._uses.update(c for e in post_order(self._root) for c in children(e))
        return self._uses[function] == 1

    def _captured(self, var: Var, function: Function) -> list[Type]:
        """Return the types of the values that a function captures, other than its own variable."""
        self._captures = self._captures or Captures(self._root)
        outer = (each for each in self._captures.of(function) if each is not var)
        return [self._types[each] for each in outer if each in self._types]

    def _choose(
        self, var: Var, function: Function, mono: Type, holes: Sequence[IncompleteType]
    ) -> None:
        if not holes:
            return
        params = tuple(TypeVar(_name(index)) for index in range(len(holes)))
        opened = substitute_types(mono, dict(zip(holes, params, strict=True)))
        assert isinstance(opened, FuncType), "a function stays one"
        self._types[var] = FuncType(opened.params, opened.result, params, opened.constraints)
        self._generic.append(_Generic(var, function, tuple(holes), params))

    def finish(self, order: Sequence[Expr]) -> None:
        """Decide for each function whether it becomes generic, from the outermost inwards."""
        if not self._generic:
            return
        calls: dict[Expr, list[Call]] = {}
        for expr in order:
            if isinstance(expr, Call) and isinstance(expr.op, Var):
                calls.setdefault(expr.op, []).append(expr)
        escaping = {e for expr in order for e in _passed(expr)}
        for generic in reversed(self._generic):
            own = calls.get(generic.var, [])
            choices = {self._choice(call) for call in own if call in self._type_args}
            if len(choices) == 1 and generic.var not in escaping:
                self._simplify(generic, own, *choices)
            else:
                self._name_types(generic, own)

    def _choice(self, call: Call) -> tuple[Type, ...]:
        return tuple(map(self._unifier.resolve, self._type_args[call]))

    def _simplify(self, generic: _Generic, calls: Sequence[Call], choice: Sequence[Type]) -> None:
        for hole, chosen in zip(generic.holes, choice, strict=True):
            self._unifier.unify(hole, chosen)
        self._types[generic.var] = self._types[generic.function]
        for call in calls:
            self._type_args.pop(call, None)

    def _name_types(self, generic: _Generic, calls: Sequence[Call]) -> None:
        for hole, param in zip(generic.holes, generic.params, strict=True):
            self._unifier.unify(hole, param)
        self._types[generic.function] = self._types[generic.var]
        for call in calls:  # recursive calls use the function's own type parameters
            self._type_args.setdefault(call, generic.params)


def _passed(expr: Expr) -> list[Expr]:
    return [part for part in value_parts(expr) if isinstance(part, Var)]


def _name(index: int) -> str:
    """Return the name of the type parameter with this number: A to Z, then A1, B1 and so on."""
    letter = ascii_uppercase[index % 26]
    return letter if index < 26 else f"{letter}{index // 26}"

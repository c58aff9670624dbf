"""Parts of programs that are computed again on the way back, and are not kept: `checkpoint`.

`annotation.checkpoint(data)` becomes a call of a function with the attribute `CHECKPOINT`, which
computes the data from the checkpoints and variables before it.

1. In the function is what only the data needs: calls of operators, constructors and functions, and
   tuples.
2. What something else needs, too, is an argument, and kept. So are branches, matches and functions.
"""

from collections import defaultdict
from collections.abc import Sequence

from relay.autodiff.names import Names
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module
from relay.ir.walk import children, fold, post_order, rewrite, with_children
from relay.opdef.definition import OperatorDef
from relay.ops.annotation import Checkpoint

CHECKPOINT = "Checkpoint"
"""The attribute of functions that are computed again on the way back."""

_FIXED = Constant | Constructor | GlobalVar | Operator
"""What a function may use without being given it."""


def with_checkpoints(module: Module) -> Module:
    """Return a module in graph form in which checkpoints are calls of functions."""
    names = Names(module)
    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        made = _Regions(function, names)
        functions |= {name: made.rewritten(), **made.functions}
    return module.with_functions(functions)


class _Regions:
    """The checkpoints of one function."""

    def __init__(self, function: Function, names: Names) -> None:
        self._function = function
        self._names = names
        self._users: dict[Expr, set[Expr]] = defaultdict(set)
        self._new: dict[Expr, Expr] = {}
        self.functions: dict[str, Function] = {}

    def rewritten(self) -> Function:
        """Return the function with calls in the places of checkpoints."""
        order = post_order(self._function)
        if not any(isinstance(each, Call) and each.op is Checkpoint() for each in order):
            return self._function
        for each in order:
            for child in children(each):
                self._users[child].add(each)

        def visit(expr: Expr, inner: Sequence[Expr]) -> Expr:
            match expr:
                case Call(Checkpoint(), (data,)):
                    self._new[expr] = self._called(expr, data)
                case _:
                    self._new[expr] = with_children(expr, inner)
            return self._new[expr]

        found = fold(self._function, visit)
        assert isinstance(found, Function), "a function stays one"
        return found

    def _called(self, checkpoint: Expr, data: Expr) -> Expr:
        """Return the call of a new function that computes the data."""
        region = self._region(checkpoint, data)
        if not region:
            return self._new[data]
        inputs = self._inputs(region)
        params = {each: Var("kept", each.type) for each in inputs}

        def inside(expr: Expr) -> Sequence[Expr]:
            return children(expr) if expr in region else ()

        body = rewrite(data, lambda expr: params.get(expr, expr), edges=inside)
        function = Function(tuple(params.values()), body, attrs={CHECKPOINT: 1})
        name = self._names.fresh("checkpoint")
        self.functions[name] = function
        callee = GlobalVar(name, ty=function.ty)
        return Call(callee, tuple(self._new[each] for each in inputs), span=checkpoint.span)

    def _region(self, checkpoint: Expr, data: Expr) -> set[Expr]:
        """Return what only the data needs: case 1."""
        region: set[Expr] = set()
        order = post_order(data)
        for each in reversed(order):
            needed = self._users[each] - region - {checkpoint}
            if not needed and _is_dataflow(each):
                region.add(each)
        for each in order:  # fields of what is outside are arguments, not the whole
            if isinstance(each, TupleGetItem) and each.tuple_value not in region:
                region.discard(each)
        return region

    def _inputs(self, region: set[Expr]) -> list[Expr]:
        """Return the arguments in order: case 2."""
        found: dict[Expr, None] = {}
        for each in post_order(self._function):
            if each in region:
                found |= {child: None for child in children(each) if child not in region}
        return [each for each in found if not isinstance(each, _FIXED)]


def _is_dataflow(expr: Expr) -> bool:
    match expr:
        case Call(OperatorDef() as op):
            return not isinstance(op, Checkpoint)
        case Call(GlobalVar() | Constructor()) | Tuple() | TupleGetItem():
            return True
        case _:
            return False

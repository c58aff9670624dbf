"""The structure of a loop: its branches, the nodes of each step, and self calls or results."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

from relay.ir.alpha_rename import fresh_var
from relay.ir.analysis.tail_positions import branches, tail_values
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr, Function, If, Let, Var
from relay.ir.types import TensorType, Type, is_dynamic
from relay.ir.types import children as parts
from relay.ir.walk import children, post_order, with_children
from relay.transform.effects import Unspeculatable, unspeculatable_nodes
from relay.transform.loops.recognize_loops import loop_variant_nodes


@dataclass(frozen=True)
class Branch:
    """A branch in a step of a loop, with the code of each side."""

    condition: Expr
    then: "LoopRegion"
    other: "LoopRegion"


@dataclass(frozen=True)
class LoopRegion:
    """A part of a loop's step: the nodes to compute, then a branch, a self call or a result."""

    order: list[Expr]
    end: "End"


End: TypeAlias = Branch | Expr


def need_no_size_checks(params: Sequence[Var], args: Sequence[Expr]) -> bool:
    """Whether arguments certainly have all sizes in the types of the parameters.

    Otherwise a call would check their sizes.
    """
    stack = [(param.type, arg.type) for param, arg in zip(params, args, strict=True)]
    seen: set[tuple[Type, Type]] = set()
    while stack:
        wanted, given = pair = stack.pop()
        if wanted is given or pair in seen:
            continue
        seen.add(pair)
        if isinstance(wanted, TensorType) and isinstance(given, TensorType):
            sizes = zip(wanted.shape, given.shape, strict=True)
            if not all(size in (ANY, found) for size, found in sizes):
                return False
        stack.extend(zip(parts(wanted), parts(given), strict=True))
    return True


class SelfCallArguments:
    """The arguments of a loop's calls to itself, some of which are bound by lets before the call.

    Arguments that may trap or have effects are bound there: otherwise they would be computed
    lazily, at the first use in one of several branches.

    >>> SelfCallArguments().of([])
    []
    """

    def __init__(self) -> None:
        self._unspeculatable = Unspeculatable()
        self._lets: list[tuple[Var, Expr]] = []

    def of(self, args: Sequence[Expr]) -> list[Expr]:
        """Return arguments with variables in place of those that are bound before the call."""
        return [self._bound(each) if each in self._unspeculatable else each for each in args]

    def _bound(self, arg: Expr) -> Var:
        var = Var("arg", arg.ty, span=arg.span, ty=arg.ty)
        self._lets.append((var, arg))
        return var

    def before(self, body: Expr) -> Expr:
        """Return the expression `body` preceded by the let bindings of arguments so far."""
        for var, arg in reversed(self._lets):
            body = Let(var, arg, body, span=arg.span, ty=body.ty)
        return body


class Loop:
    """A local function with self tail calls, prepared for copying its steps.

    `whole` is the code of a step, with `nodes` nodes; `is_static` is true if the types of all
    loop-carried values are static. The nodes in `outside` are computed before the loop. Any
    other node that may trap is copied into each step: a single copy for all steps would be computed
    before any of them decides whether it is needed.
    """

    def __init__(self, function: Function, var: Var, outside: AbstractSet[Expr]) -> None:
        self.function, self.var = function, var
        uncertain = unspeculatable_nodes(function.body)
        self._changing = loop_variant_nodes(function).union(uncertain) - outside
        self.whole = self._region(function.body)
        self.nodes = max(1, len(self._changing))
        carried = [*(param.type for param in function.params), function.body.type]
        self.is_static = not any(map(is_dynamic, carried))

    @staticmethod
    def written(expr: Expr, new: Mapping[Expr, Expr]) -> Expr:
        """Return a copy of a node of a step, with the children that `new` maps its own to.

        Variables that nested functions bind are replaced by fresh ones.
        """
        if isinstance(expr, Var):
            return fresh_var(expr)
        written = with_children(expr, [new.get(child, child) for child in children(expr)])
        return copy(expr) if written is expr else written

    def _region(self, root: Expr) -> LoopRegion:
        """Return the nodes that `root` needs, and the branch, self call or result after them."""
        match root:
            case If(condition) if self._goes_on(root):
                branch = Branch(condition, self._region(root.then), self._region(root.other))
                return LoopRegion(self._order(condition), branch)
            case Call(op, args) if op is self.var:
                return LoopRegion(self._order(*args), root)
            case _:
                return LoopRegion(self._order(root), root)

    def _goes_on(self, root: Expr) -> bool:
        ends = tail_values(root, branches)
        return any(isinstance(end, Call) and end.op is self.var for end in ends)

    def _order(self, *roots: Expr) -> list[Expr]:
        """Return the nodes that `roots` need and that change between steps, in order."""

        def edges(expr: Expr) -> Sequence[Expr]:
            return children(expr) if expr in self._changing else ()

        return [each for each in post_order(*roots, edges=edges) if each in self._changing]

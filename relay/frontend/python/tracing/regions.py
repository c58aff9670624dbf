"""Regions of Python code that control flow leaves on several paths, and the merge of these paths.

A region is traced into a block of its own. When it is closed, the paths that arrive at its end
become one:

1. If a single path arrives and no other leaves the region, the outer block simply continues.
2. If all paths arrive, each yields a tuple of the values that it changed.
3. If other paths leave for an outer target (by `return`, for example), the code after the region is
   traced in the one path that arrives, or in a local function that the arriving paths call.
"""

from collections.abc import Iterable, Sequence
from types import CellType, FunctionType
from typing import Any

from relay.frontend.python.tracing.blocks import Block, Join, Jump, Leaf, Split, Stop, finish
from relay.frontend.python.tracing.mutable_state import State
from relay.frontend.python.tracing.path_merging import Meeting
from relay.frontend.python.values.containers import changeable_in
from relay.ir.expr import Expr, If, Tuple, TupleGetItem, Var
from relay.ir.types import Type
from relay.support.span import Span


class _Mark:
    """A marker that the body of a branch or loop returns: where control continues."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


BREAK, CONTINUE, ENDED = _Mark("break"), _Mark("continue"), _Mark("ended")


class Return:
    """The marker that the body of a branch or loop returns when the function returns."""

    __slots__ = ("span", "value")

    def __init__(self, value: Any, span: Span) -> None:
        self.value, self.span = value, span


class Ended(BaseException):
    """Raised when no path continues: all of them trap."""


class Region:
    """A piece of Python code that is traced separately; `roots` reach everything it may change."""

    def __init__(self, trace: Any, roots: Iterable[object], kind: str) -> None:
        self.trace, self.kind, self.roots = trace, kind, list(roots)
        self.span: Span = trace.span
        assert trace.block is not None, "control comes here"
        self.outer: Block = trace.block
        self.root = trace.block = Block(self.outer)
        self.leaves: list[Leaf] = []
        self.cells: list[CellType] = []  # of a function: the variables of its body
        self.expected: Any = None  # of a function: the code whose body is to be traced here
        trace.regions.append(self)
        self.before: State = trace.state()
        self.given = State((), {})  # of a function: the containers in its arguments

    def admit(self, values: Sequence[Any]) -> None:
        """Make the containers in the arguments immutable: the caller refers to them, too."""
        trace, found = self.trace, [part for each in values for part in changeable_in(each)]
        for each in found:
            trace.divided.add([each], f"the {type(each).__name__} is the caller's")
        self.roots += found
        self.given = State(found, trace.unit.outside)

    @property
    def own(self) -> set[int]:
        """Return the local variables of the function, which cease to exist when it ends."""
        return {id(each) for each in self.cells}

    def abandon(self) -> None:
        """Discard the region after an error or an abandoned attempt, and restore the memory."""
        regions = self.trace.regions
        while regions and regions.pop() is not self:
            pass
        self.before.restore()
        self.trace.block = self.outer

    def close(self) -> Any:
        """Merge the paths that arrive; return their value, or `ENDED` if there are none."""
        trace = self.trace
        assert trace.regions.pop() is self, "regions are nested"
        here = [leaf for leaf in self.leaves if leaf.target is self]
        passing = [leaf for leaf in self.leaves if leaf.target is not self]
        if passing:
            trace.regions[-1].leaves += passing
        if not here:
            self.outer.take(self.root)
            trace.block = None
            return ENDED
        loops = isinstance(self.root.end, Jump) and not passing
        if len(here) == 1 and not loops:
            return self._straight(here[0], others=bool(passing))
        if not passing:
            return self._merged(here)
        return self._joined(here)

    def _straight(self, leaf: Leaf, *, others: bool) -> Any:
        """Continue after a single arriving path (cases 1 and 3)."""
        trace, block = self.trace, leaf.block
        leaf.state.restore()
        block.end = None
        if block is self.root:
            self.outer.take(block)
            trace.block = self.outer
            return leaf.value
        split = self.root.end
        if not others and isinstance(split, Split) and split.flat and block in split.arms:
            self._checked(split, block)
            return leaf.value
        self.outer.take(self.root)
        trace.block = block
        return leaf.value

    def _checked(self, split: Split, open_: Block) -> None:
        """Continue in the outer block if all other arms of a branch trap."""
        trace, lets, empty = self.trace, open_.lets, Leaf(Block(None), None, None, None)
        passed = Block(self.root)
        passed.end = empty
        self.root.end = Split(
            [passed if arm is open_ else arm for arm in split.arms], split.combine
        )
        nothing = Tuple(())
        self.outer.lets += self.root.lets
        self.root.lets = []
        checked = finish(self.root, {empty: nothing}, nothing.type)
        trace.block = self.outer
        trace.bind(Var("checked", ty=checked.type, span=self.span), checked)
        self.outer.lets += lets
        open_.parent, open_.lets = self.outer, self.outer.lets

    def _merged(self, here: Sequence[Leaf]) -> Any:
        """Let all paths yield the values that they changed (case 2)."""
        trace = self.trace
        meeting = Meeting(trace, self.outer, self.before, self.span, here, self.kind)
        trace.block = self.outer
        columns = meeting.columns
        if not columns and not _computes(self.root):
            meeting.settle([])
            return meeting.value
        rows = list(zip(*columns, strict=True)) if columns else [() for _ in here]
        wholes: list[Expr] = [row[0] if len(row) == 1 else Tuple(row) for row in rows]
        ty = trace.common_type(wholes, self.span)
        made = finish(self.root, dict(zip(here, wholes, strict=True)), ty)
        names = meeting.slots
        var = trace.emit(made, names[0] if len(columns) == 1 else "joined")
        fields = [var] if len(columns) == 1 else [TupleGetItem(var, i) for i in range(len(columns))]
        if len(columns) > 1:
            fields = [trace.emit(each, name) for each, name in zip(fields, names, strict=True)]
        meeting.settle(fields)
        return meeting.value

    def _joined(self, here: Sequence[Leaf]) -> Any:
        """Trace the code that follows in a function that the arriving paths call (case 3)."""
        trace = self.trace
        meeting = Meeting(trace, self.outer, self.before, self.span, here, self.kind)
        params: list[Var] = []
        for name, column in zip(meeting.slots, meeting.columns, strict=True):
            params.append(Var(name, ty=trace.common_type(column, self.span), span=self.span))
        join = Join("rest", params, Block(self.outer), self.span)
        for number, leaf in enumerate(here):
            leaf.block.end = Jump(join, [column[number] for column in meeting.columns])
        self.outer.lets.append(join)
        self.outer.take(self.root)
        join.body.parent = self.outer
        trace.block = join.body
        trace.homes |= dict.fromkeys(params, join.body)
        meeting.settle(params)
        return meeting.value


def _computes(block: Block) -> bool:
    """Whether a block, or one that it branches to, has bindings or traps."""
    match block.end:
        case Split(arms=arms):
            return bool(block.lets) or any(map(_computes, arms))
        case Leaf():
            return bool(block.lets)
        case Stop() | Jump() | None:
            return True


def cells_of(functions: Iterable[Any], trace: Any) -> list[CellType]:
    """Return the closure variables of functions; record the variables' names in the trace."""
    found: list[CellType] = []
    for each in functions:
        if isinstance(each, FunctionType):
            for name, cell in zip(each.__code__.co_freevars, each.__closure__ or (), strict=True):
                trace.cell_names.setdefault(id(cell), (name, cell))
                found.append(cell)
    return found


def split(trace: Any, condition: Expr, span: Span) -> tuple[Block, Block]:
    """End the block with a branch on a condition; return both arms."""
    block = trace.block
    then, other = Block(block), Block(block)

    def combine(exprs: Sequence[Expr], _ty: Type) -> Expr:
        return If(condition, *exprs, span=span)

    block.end = Split([then, other], combine, flat=True)
    trace.block = None
    return then, other

"""Regions: stretches of Python from which control leaves on several paths, and where paths meet.

A region is traced into a block of its own. Where it closes, the paths that arrive there become one:

1. A single path that nothing else leaves goes on in the block around.
2. Paths that all arrive give back a tuple of what they changed.
3. If other paths leave for farther away (by `return`, say), what follows is traced behind the one
   path that arrives, or in a local function to which those that arrive jump.
"""

from collections.abc import Callable, Iterable, Sequence
from types import CellType, FunctionType
from typing import Any

from relay.frontend.python.arrays import (
    Box,
    Traced,
    expr_of,
    is_array,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    root_of,
)
from relay.frontend.python.blocks import Block, Join, Jump, Leaf, Split, finish
from relay.frontend.python.fields import fields_of
from relay.frontend.python.state import MISSING_CONTENT, Key, Place, State, changed, get, put, same
from relay.ir.expr import Expr, If, Tuple, TupleGetItem, Var
from relay.ir.types import Type
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


class _Mark:
    """What the body of a branch or a loop gives back: where control goes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


BREAK, CONTINUE, ENDED = _Mark("break"), _Mark("continue"), _Mark("ended")


class Return:
    """What the body of a branch or a loop gives back where the function returns."""

    __slots__ = ("span", "value")

    def __init__(self, value: Any, span: Span) -> None:
        self.value, self.span = value, span


class Ended(BaseException):
    """No path goes on behind a call: each of them stops the program."""


class Region:
    """A stretch of Python that is traced by itself; `roots` reach what it may change."""

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

    @property
    def own(self) -> set[int]:
        """Return the variables of the body of a function, which end with it."""
        return {id(each) for each in self.cells}

    def abandon(self) -> None:
        """Forget the region, after an error or a trial; memory holds what it held before."""
        regions = self.trace.regions
        while regions and regions.pop() is not self:
            pass
        self.before.restore()
        self.trace.block = self.outer

    def close(self) -> Any:
        """Have the paths that arrive meet; return their value, or `ENDED` if there are none."""
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
        """Go on behind one path (cases 1 and 3)."""
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
        """Go on in the block around where all other arms stop the program."""
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
        """Have all paths give back what they changed (case 2)."""
        trace = self.trace
        meeting = Meeting(self, here)
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
        """Trace what follows in a function to which the paths jump (case 3)."""
        trace = self.trace
        meeting = Meeting(self, here)
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


class _Slot:
    """A part of what is merged that paths compute: the number of its column."""

    def __init__(self, index: int) -> None:
        self.index = index


class _Options(_Slot):
    """Functions of which the program chooses one."""

    def __init__(self, index: int, options: Sequence[Any]) -> None:
        super().__init__(index)
        self.options = options


class _Lost:
    """A variable that has no value where paths meet, and why."""

    def __init__(self, error: RelayError) -> None:
        self.error = error


class Meeting:
    """What several paths have changed, column by column."""

    def __init__(self, region: Region, here: Sequence[Leaf]) -> None:
        trace, before, with_value = region.trace, region.before, region.kind == "call"
        self.trace, self.before, self.span = trace, before, region.span
        self.outer = region.outer
        self.columns: list[list[Expr]] = []
        self.slots: list[str] = []
        self.value: Any = None
        places: dict[Key, Place] = {}
        for leaf in here:
            places |= changed(before, leaf.state)
        self._places = list(places.values())
        self._shared = shared_memory([leaf.state for leaf in here], self._places, trace, before)
        self._leaves = here
        rows: list[list[Any]] = [[leaf.value for leaf in here]] if with_value else []
        rows += [self._found(place, key) for place, key in self._places]
        names = ["the result"] if with_value else []
        names += [trace.name_of(place, key) for place, key in self._places]
        self._trees: list[Any] = []
        for number, (name, row) in enumerate(zip(names, rows, strict=True)):
            lazy = not (with_value and not number)
            self._trees.append(self._unified(name, row, lazy=lazy))
        self._value_tree: Any = self._trees.pop(0) if with_value else None
        self._with_value = with_value

    def settle(self, fields: Sequence[Expr]) -> None:
        """Give the places what the columns have become, where the paths meet."""
        self.before.restore()
        for tree, (place, key), shared in zip(self._trees, self._places, self._shared, strict=True):
            if isinstance(tree, _Lost):
                self.trace.lose(place, key, tree.error)
                put(place, key, MISSING_CONTENT)
            elif isinstance(place, Box):
                put(place, key, fields[tree.index] if isinstance(tree, _Slot) else tree)
            else:
                put(place, key, self._filled(tree, fields, shared))
        if self._with_value:
            owner = self._owner_of_results()
            self.value = self._filled(self._value_tree, fields, owner)

    def _owner_of_results(self) -> str | None:
        """Return whose array the result may be, on some path: not one that was made there."""
        if not self.columns:
            return None
        owner: str | None = None
        for leaf in self._leaves:
            for each in _arrays(leaf.value):
                box = root_of(each).box
                if box.owner is not None or id(box) in self.before.held:
                    owner = box.owner = box.owner or "perhaps an array that has another name"
        return owner

    def _found(self, place: Any, key: Any) -> list[Any]:
        found: list[Any] = []
        for leaf in self._leaves:
            leaf.state.restore()
            found.append(get(place, key))
        return found

    def _unified(self, name: str, values: Sequence[Any], *, lazy: bool) -> Any:
        """Return what paths have in common; a slot where the program chooses."""
        mark = len(self.columns)
        try:
            return self._unify(name, values)
        except RelayError as error:
            if not lazy:
                raise
            del self.columns[mark:], self.slots[mark:]
            return _Lost(error)

    def _unify(self, name: str, values: Sequence[Any]) -> Any:
        first = values[0]
        if all(same(each, first) for each in values) and self._is_seen(first):
            return first
        if any(each is MISSING_CONTENT for each in values):
            raise self.trace.without_value(
                name,
                "is not assigned on every path that leads here",
                f"give {name} a value before the branches, or in each",
                self.span,
            )
        kinds: set[type] = {type(each) for each in values}
        if tuple in kinds and list in kinds:
            what = f"{name} is a list on one path and a tuple on another"
            raise mistake(ErrorCode.F113, what, self.span, "make both the same")
        if len(kinds) == 1 and is_sequence(first) and len({len(each) for each in values}) == 1:
            made = [self._unify(name, column) for column in zip(*values, strict=True)]
            return made if isinstance(first, list) else tuple(made)
        if (
            len(kinds) == 1
            and is_mapping(first)
            and all(list(each) == list(first) for each in values)
        ):
            return {key: self._unify(name, [each[key] for each in values]) for key in first}
        if all(map(_is_function, values)):
            return self._options(name, values)
        self.columns.append(self._exprs(name, values))
        self.slots.append(name)
        return _Slot(len(self.columns) - 1)

    def _options(self, name: str, values: Sequence[Any]) -> "_Options":
        """Return functions of which the program chooses one, by a number."""
        options: list[Any] = []
        for each in values:
            if not any(each is known for known in options):
                options.append(each)
        places = [next(i for i, known in enumerate(options) if known is each) for each in values]
        found = [place == 0 for place in places] if len(options) == 2 else places
        self.columns.append(self._exprs(name, found))
        self.slots.append(f"which_{name}")
        return _Options(len(self.columns) - 1, options)

    def _is_seen(self, value: Any) -> bool:
        """Whether a value can be read where the paths meet, as it is; recursion follows nesting."""
        if is_sequence(value):
            return all(map(self._is_seen, value))
        if is_mapping(value):
            return all(map(self._is_seen, value.values()))
        if is_object(value):
            return all(map(self._is_seen, fields_of(value)))
        if isinstance(value, Traced):
            value = expr_of(value)
        return not isinstance(value, Expr) or self.trace.is_seen(value, self.outer)

    def _exprs(self, name: str, values: Sequence[Any]) -> list[Expr]:
        """Return values from several paths with one type, each computed on its path."""
        trace = self.trace

        def at(number: int) -> Callable[[], None]:
            def enter() -> None:
                self._leaves[number].state.restore()
                trace.block = self._leaves[number].block

            return enter

        found = trace.convert.joined(name, values, self.span, [at(i) for i in range(len(values))])
        trace.block = None
        return found

    def _filled(self, tree: Any, fields: Sequence[Expr], owner: str | None) -> Any:
        if isinstance(tree, _Options):
            return self.trace.calls.choice(self.trace.python(fields[tree.index]), tree.options)
        if isinstance(tree, _Slot):
            made = self.trace.python(fields[tree.index])
            if isinstance(made, Traced) and owner is not None and is_array(made):
                made.box.owner = owner
            return made
        if is_sequence(tree) and type(tree) in (tuple, list):
            made = [self._filled(each, fields, owner) for each in tree]
            return made if is_list(tree) else tuple(made)
        if is_mapping(tree) and type(tree) is dict:
            return {key: self._filled(each, fields, owner) for key, each in tree.items()}
        return tree


def shared_memory(
    states: Sequence[State], places: Sequence[Place], trace: Any, before: State
) -> list[str | None]:
    """Return for each changed place whose memory it may share where paths meet, if any.

    Only places count that have a value before, too: others have none where paths meet.
    """
    keys = [(id(place), key) for place, key in places]
    alive = {(id(each), key) for each, key, value in before.slots() if value is not MISSING_CONTENT}
    alive |= (
        {key for key in keys if all(_has(state, key) for state in states)}
        if len(states) > 1
        else set()
    )
    found: dict[Key, str | None] = dict.fromkeys(keys)
    for state in states:
        state.restore()
        holders: dict[int, list[tuple[Key, str]]] = {}
        for each, key, value in state.slots():
            for traced in _arrays(value) if (id(each), key) in alive else []:
                box = root_of(traced).box
                holders.setdefault(id(box), []).append(((id(each), key), trace.name_of(each, key)))
        for key, (place, name) in zip(keys, places, strict=True):
            for traced in _arrays(get(place, name)):
                box = root_of(traced).box
                others = [named for other, named in holders.get(id(box), []) if other != key]
                if others:
                    found[key] = f"perhaps the array of {others[0]}"
                    box.owner = box.owner or f"perhaps the array of {trace.name_of(place, name)}"
                elif box.owner is not None:
                    found[key] = (
                        box.owner if box.owner.startswith("perhaps") else f"perhaps {box.owner}"
                    )
    return [found[key] for key in keys]


def _is_function(value: Any) -> bool:
    function = callable(value) and not isinstance(value, Traced | Expr | type)
    return function and not hasattr(value, "__relay_data__")


def _has(state: State, key: Key) -> bool:
    """Whether a place has a value where a path ends."""
    return any(
        (id(each), name) == key and value is not MISSING_CONTENT
        for each, name, value in state.slots()
    )


def _arrays(value: Any) -> list[Traced]:
    if isinstance(value, Traced):
        return [value] if is_array(value) else []
    if is_sequence(value):
        return [traced for each in value for traced in _arrays(each)]
    return []


def _computes(block: Block) -> bool:
    """Whether a block, or one behind it, has bindings or stops the program."""
    match block.end:
        case Split(arms=arms):
            return bool(block.lets) or any(map(_computes, arms))
        case Leaf():
            return bool(block.lets)
        case _:
            return True


def cells_of(functions: Iterable[Any], trace: Any) -> list[CellType]:
    """Return the variables that functions see, and remember what they are called."""
    found: list[CellType] = []
    for each in functions:
        if isinstance(each, FunctionType):
            for name, cell in zip(each.__code__.co_freevars, each.__closure__ or (), strict=True):
                trace.cell_names.setdefault(id(cell), (name, cell))
                found.append(cell)
    return found


def split(trace: Any, condition: Expr, span: Span) -> tuple[Block, Block]:
    """End the block with a choice by a condition; return both arms."""
    block = trace.block
    then, other = Block(block), Block(block)

    def combine(exprs: Sequence[Expr], _ty: Type) -> Expr:
        return If(condition, *exprs, span=span)

    block.end = Split([then, other], combine, flat=True)
    trace.block = None
    return then, other

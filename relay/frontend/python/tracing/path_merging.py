"""Merge the variables, containers and memory that several control-flow paths have changed."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from relay.frontend.python.tracing.aliases import Alias, Aliases, codes_as_exprs
from relay.frontend.python.tracing.blocks import Block, Leaf
from relay.frontend.python.tracing.immutable_containers import can_differ, held_lists
from relay.frontend.python.tracing.loop_carried_values import has_placeholder, placeholder
from relay.frontend.python.tracing.mutable_state import (
    MISSING_CONTENT,
    Key,
    Place,
    State,
    changed,
    get,
    put,
    same,
)
from relay.frontend.python.values.chosen_functions import (
    Choice,
    add_options,
    is_python_function,
    number_in,
)
from relay.frontend.python.values.containers import Container, opened_up
from relay.frontend.python.values.data_class_fields import is_declared
from relay.frontend.python.values.traced_values import (
    Box,
    Traced,
    expr_of,
    inner,
    is_array,
    is_array_of_numpy,
    is_list,
    roots_of,
)
from relay.ir.expr import Expr
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span


class _Slot:
    """A part of a merged value that differs between paths: the index of its column of values."""

    def __init__(self, index: int) -> None:
        self.index = index


class _Options(_Slot):
    """Functions that differ between paths, of which the program selects one."""

    def __init__(self, index: int, options: Sequence[Any]) -> None:
        super().__init__(index)
        self.options = options


class _Lost:
    """A variable that has no value after the merge, and the error that explains why."""

    def __init__(self, error: RelayError) -> None:
        self.error = error


class _Whole:
    """A container, or an object of a data class, that is merged part by part."""

    def __init__(self, make: Callable[[Sequence[Any]], Any], parts: Sequence[Any]) -> None:
        self.make, self.parts = make, parts
        self.made: Any = None  # one object, wherever it is held


class Longer(RelayImportError):  # noqa: N818 - an error for all but the loop around
    """Raised if a list is longer on one path than on another, so that an outer loop can react."""

    def __init__(self, listed: list[Any], items: Sequence[Any], error: RelayError) -> None:
        super().__init__(error.code, error.message, span=error.span, help=error.help)
        self.listed, self.items = listed, items

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of the error for pickle, without the traced list."""
        plain = RelayImportError(self.code, self.message, span=self.span, help=self.help)
        return plain.__reduce__()


class Meeting:
    """The merge of several control-flow paths.

    It has a column of values, one for each path, for each place that differs between the paths.
    """

    def __init__(
        self, trace: Any, outer: Block, before: State, span: Span, here: Sequence[Leaf], kind: str
    ) -> None:
        self.trace, self.before, self.span, self.outer = trace, before, span, outer
        self.columns: list[list[Expr]] = []
        self.slots: list[str] = []
        self.value: Any = None
        places: dict[Key, Place] = {}
        for leaf in here:
            places |= changed(before, leaf.state)
        self._leaves, self._places = here, list(places.values())
        self._with_value = kind == "call"
        self._aliases: list[Alias] = []
        self._own: dict[Alias, int] = {}  # the columns of what arrays are
        self._which: dict[Alias, int] = {}
        self._memories: dict[Alias, Traced] = {}
        self._arrays: dict[Alias, Traced] = {}
        self._captured: dict[Box, int] = {}  # the columns of what chosen functions captured
        self._wholes: dict[tuple[int, ...], _Whole] = {}
        self._lists: list[tuple[str, Sequence[Any], _Whole]] = []  # that are merged
        self._uses = Counter[tuple[int, ...]]()
        states = [leaf.state for leaf in here]
        shared = [] if trace.exact else shared_memory(states, self._places, trace, before)
        self._shared = shared or [None] * len(self._places)
        if self._with_value:
            self._value_tree = self._unify("the result", [leaf.value for leaf in here])
        self._trees = [
            self._unified(place, trace.name_of(place, key), self._found(place, key))
            for place, key in self._places
        ]
        self._choose_memory()

    def settle(self, fields: Sequence[Expr]) -> None:
        """Assign the merged values to the changed variables, containers and memory."""
        self.before.restore()
        self._fields = fields
        for box, index in self._captured.items():
            box.expr = fields[index]
        for tree, (place, key), shared in zip(self._trees, self._places, self._shared, strict=True):
            if isinstance(tree, _Lost):
                self.trace.lose(place, key, tree.error)
                put(place, key, MISSING_CONTENT)
            elif isinstance(place, Box):
                put(place, key, fields[tree.index] if isinstance(tree, _Slot) else tree)
            else:
                put(place, key, self._filled(tree, shared))
        if self._with_value:
            self.value = self._filled(self._value_tree, self._owner_of_results())
        self._divide()

    def _divide(self) -> None:
        """Make lists immutable that have a reference on some path that was not merged with them."""
        held = [held_lists(leaf.state) for leaf in self._leaves] if self._lists else []
        unseen = self.trace.stack.holds(self.before) if self._lists else ()
        for name, values, made in self._lists:
            uses = self._uses[tuple(map(id, values))]
            pairs = zip(values, held, strict=True)
            if any(count[id(each)] > uses or id(each) in unseen for each, count in pairs):
                self.trace.divided.add_copies([made.made, *values], name)

    def _owner_of_results(self) -> str | None:
        """Return a description of who else may refer to the array that is the result.

        None if it is new on all paths.
        """
        if not self.columns or self.trace.exact:
            return None
        owner: str | None = None
        for leaf in self._leaves:
            for each in arrays_in(leaf.value):
                box = roots_of(each)[0].box
                if box.owner is not None or id(box) in self.before.held:
                    owner = box.owner = box.owner or "possibly the same array as another variable"
        return owner

    def _found(self, place: Any, key: Any) -> list[Any]:
        found: list[Any] = []
        for number in range(len(self._leaves)):
            self._restore(number)
            found.append(get(place, key))
        return found

    def _restore(self, number: int) -> None:
        self.before.restore()  # also objects that the path no longer reaches
        self._leaves[number].state.restore()

    def _unified(self, place: Any, name: str, values: Sequence[Any]) -> Any:
        """Return the merge of the values of a place on all paths, or `_Lost`."""
        mark, count, known = len(self.columns), len(self._aliases), dict(self._wholes)
        try:
            return self._unify(name, values)
        except RelayError as error:
            if is_list(place) and len({len(each) for each in values}) > 1:
                raise Longer(place, max(values, key=len), error) from None
            del self.columns[mark:], self.slots[mark:], self._aliases[count:]
            self._wholes = known
            self._captured = {box: at for box, at in self._captured.items() if at < mark}
            return _Lost(error)

    def _unify(self, name: str, values: Sequence[Any]) -> Any:
        first = values[0]
        if all(same(each, first) for each in values) and self._is_seen(first):
            return first
        if any(each is MISSING_CONTENT for each in values):
            raise self.trace.lost.get(name) or self.trace.without_value(
                name,
                "has no value on one of the paths that lead here",
                f"assign the variable {name} before the branches, or in each of them",
                self.span,
            )
        kinds: set[type] = {type(each) for each in values}
        if tuple in kinds and list in kinds:
            what = f"{name} is a list on one path and a tuple on another"
            raise mistake(
                ErrorCode.F113, what, self.span, "use a list on both paths, or a tuple on both"
            )
        if len(kinds) == 1 and (parts := self._parts(name, values)) is not None:
            return parts
        if all(map(is_python_function, values)):
            return self._options(name, values)
        if self.trace.exact:
            values = [self._opened(each) for each in values]
            if all(map(is_array, values)):
                return self._alias(name, values)
        return _Slot(self._column(name, self._exprs(name, values)))

    def _parts(self, name: str, values: Sequence[Any]) -> _Whole | None:
        """Merge containers or objects of the same structure part by part; None for other values."""
        key = tuple(map(id, values))
        if key in self._wholes:  # they are one list
            self._uses[key] += 1
            return self._wholes[key]
        rows: list[Sequence[Any]] = []
        kinds = set[Container]()
        for number, each in enumerate(values):
            self._restore(number)
            found = None if is_declared(each) and not self.trace.exact else opened_up(each)
            if found is None:
                return None
            kinds.add(found[0])
            rows.append(found[1])
        if len(kinds) > 1 or len({len(row) for row in rows}) > 1:
            return None
        columns = list(zip(*rows, strict=True))
        made = _Whole(kinds.pop().made, [self._unify(name, column) for column in columns])
        if can_differ(values[0]):
            self._wholes[key] = made
            self._uses[key] += 1
            self._lists.append((name, values, made))
        return made

    def _options(self, name: str, values: Sequence[Any]) -> "_Options":
        """Merge functions into a choice by number."""
        options: list[Any] = []
        for each in values:
            add_options(options, each)
        boolean, found = len(options) == 2, list[Expr]()
        for number, each in enumerate(values):
            self._entering(number)()
            made = number_in(options, each, boolean=boolean)
            found.append(self.trace.emit(made, "which"))
        self.trace.block = None
        self._keep_captured(name, options)
        return _Options(self._column(f"which_{name}", found), options)

    def _keep_captured(self, name: str, options: Sequence[Any]) -> None:
        """Add columns for the values that functions made on some paths have captured there."""
        known = {**self.trace.unit.outside, **self.before.held}
        for each, _ in State(options, known).held.values():
            if (
                isinstance(each, Box)
                and each not in self._captured
                and not self._is_seen(each.expr)
            ):
                self._captured[each] = self._column(each.name, self._on_paths(each, name))

    def _on_paths(self, box: Box, name: str) -> list[Expr]:
        """Return the content of memory on each path, or a placeholder where the path has none."""
        if not has_placeholder(box.expr.type) or (
            self.trace.exact and is_array(Traced(self.trace, box))
        ):
            what = f"{name} is a function that reads a value which only one path computes"
            advice = "compute that value before the branches, or pass it to the function"
            raise mistake(ErrorCode.F113, what, self.span, advice)
        found: list[Expr] = []
        for number, leaf in enumerate(self._leaves):
            self._entering(number)()
            own = (
                box.expr if self.trace.is_seen(box.expr, leaf.block) else placeholder(box.expr.type)
            )
            found.append(self.trace.emit(own, box.name))
        self.trace.block = None
        return found

    def _opened(self, value: Any) -> Any:
        """Return an array from outside as a value of the trace."""
        return self.trace.calls.outside(value) if is_array_of_numpy(value) else value

    def _alias(self, name: str, values: Sequence[Any]) -> Alias:
        made = Alias(name)
        made.values = values
        self._exprs(name, values)  # of one type
        self._aliases.append(made)
        return made

    def _choose_memory(self) -> None:
        """Add columns for arrays: the contents of their own memory, and their option numbers."""
        known = self.before.held
        paths = [self._entering(number) for number in range(len(self._leaves))]
        aliases = Aliases(
            self.trace,
            self._aliases,
            paths,
            lambda box: id(box) in known,
            lambda expr: self.trace.is_seen(expr, self.outer),
        )
        for alias, codes in aliases.codes().items():
            if alias.owns:
                exprs = self._exprs(alias.name, alias.values)
                self._own[alias] = self._column(alias.name, exprs)
            if not alias.is_one:
                column = self._column(f"which_{alias.name}", codes_as_exprs(codes))
                self._which[alias] = column
        self.trace.block = None

    def _is_seen(self, value: Any) -> bool:
        """Whether a value can be read after the merge as it is; recursion follows its nesting."""
        held = inner(value)
        if held is not None:
            return all(map(self._is_seen, held))
        if isinstance(value, Choice):
            value = value.number
        if isinstance(value, Traced):
            value = expr_of(value)
        return not isinstance(value, Expr) or self.trace.is_seen(value, self.outer)

    def _column(self, name: str, exprs: Sequence[Expr]) -> int:
        self.columns.append([*exprs])
        self.slots.append(name)
        return len(self.columns) - 1

    def _entering(self, number: int) -> Callable[[], None]:
        def enter() -> None:
            self._restore(number)
            self.trace.block = self._leaves[number].block

        return enter

    def _exprs(self, name: str, values: Sequence[Any]) -> list[Expr]:
        """Convert the values of several paths to one type, each on its own path."""
        enter = [self._entering(number) for number in range(len(values))]
        found = self.trace.convert.joined(name, values, self.span, enter)
        self.trace.block = None
        return found

    def _filled(self, tree: Any, owner: str | None) -> Any:
        """Return the merged value of a place; equal trees yield the same object."""
        trace = self.trace
        if isinstance(tree, _Options):
            which = trace.python(self._fields[tree.index])
            return Choice(trace, which, tree.options)
        if isinstance(tree, _Slot):
            made = trace.python(self._fields[tree.index])
            if isinstance(made, Traced) and owner is not None and is_array(made):
                made.box.owner = owner
            return made
        if isinstance(tree, Alias):
            if tree not in self._arrays:
                which = self._fields[self._which[tree]] if tree in self._which else None
                self._arrays[tree] = tree.restored(trace, self._memory, which)
            return self._arrays[tree]
        if isinstance(tree, _Whole):
            if tree.made is None:
                tree.made = tree.make([self._filled(each, owner) for each in tree.parts])
            return tree.made
        return tree

    def _memory(self, alias: Alias) -> Traced:
        """Return the array in the new memory that an alias gets; the same array at each call."""
        if alias not in self._memories:
            held = self._fields[self._own[alias]]
            self._memories[alias] = self.trace.python(held)
        return self._memories[alias]


def shared_memory(
    states: Sequence[State], places: Sequence[Place], trace: Any, before: State
) -> list[str | None]:
    """Return for each changed place a description of who else may refer to its memory, or None.

    This concerns references after the merge. Only places that also had a value before are
    considered: others have none after the merge.
    """
    keys, unseen = [(id(place), key) for place, key in places], trace.stack.holds(before)
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
            for box in _memories(value) if (id(each), key) in alive else ():
                holders.setdefault(id(box), []).append(((id(each), key), trace.name_of(each, key)))
        for key, (place, name) in zip(keys, places, strict=True):
            for box in _memories(get(place, name)):
                others = [named for other, named in holders.get(id(box), []) if other != key]
                if others or id(box) in unseen:
                    found[key] = (
                        f"possibly the same array as {others[0] if others else 'one of the caller'}"
                    )
                    box.owner = (
                        box.owner or f"possibly the same array as {trace.name_of(place, name)}"
                    )
                elif box.owner is not None:
                    known = box.owner.startswith("possibly")
                    found[key] = box.owner if known else f"perhaps {box.owner}"
    return [found[key] for key in keys]


def _memories(value: Any) -> list[Box]:
    """Return the memory of the arrays in a value."""
    return [root.box for each in arrays_in(value) for root in roots_of(each)]


def _has(state: State, key: Key) -> bool:
    """Whether a place has a value in `state`."""
    return any(
        (id(each), name) == key and value is not MISSING_CONTENT
        for each, name, value in state.slots()
    )


def held_by(value: Any) -> list[Any]:
    """Return the containers in a value and the memory of its arrays; recursion follows nesting."""
    held = inner(value)
    if held is not None:
        return [value, *(part for each in held for part in held_by(each))]
    return list(_memories(value))


def arrays_in(value: Any) -> list[Traced]:
    """Return the arrays in a value; recursion follows the nesting of containers."""
    if isinstance(value, Traced):
        return [value] if is_array(value) else []
    return [traced for each in inner(value) or () for traced in arrays_in(each)]

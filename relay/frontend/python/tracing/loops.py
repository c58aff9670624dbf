"""Trace loops into local functions whose parameters are the values that the loop carries.

An iteration is traced repeatedly: an attempt is abandoned if the iteration changes a value that is
not carried yet, or changes a type.
"""

from collections.abc import Sequence
from functools import partial
from types import CellType
from typing import Any

import numpy as np

from relay.frontend.python.tensors.loop_iterables import Steps
from relay.frontend.python.tracing.blocks import Block, Join, Jump, Leaf
from relay.frontend.python.tracing.growing_lists import Growth, endless
from relay.frontend.python.tracing.loop_carried_functions import CarriedFunction, carried_function
from relay.frontend.python.tracing.loop_carried_values import (
    Carried,
    has_placeholder,
    is_carriable,
    is_part,
    kept_type,
    no_object,
    parts_of,
    placeholder,
)
from relay.frontend.python.tracing.loop_headers import Heads
from relay.frontend.python.tracing.mutable_state import (
    MISSING_CONTENT,
    Key,
    Place,
    State,
    changed,
    get,
    put,
)
from relay.frontend.python.tracing.path_merging import Longer, shared_memory
from relay.frontend.python.tracing.regions import (
    ENDED,
    Ended,
    Region,
    split,
)
from relay.frontend.python.values.expression_conversion import fits
from relay.frontend.python.values.loop_variable_sizes import opened
from relay.frontend.python.values.traced_values import (
    Box,
    GrowingList,
    Traced,
    Widen,
    expr_of,
    is_array,
    is_default,
    is_list,
    is_object,
    is_part_by_part,
    is_plain,
    widens,
)
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.type_comparison import join as join_types
from relay.ir.types import Type
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import constant
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_ATTEMPTS = 12  # until all changes of a loop are known: types widen only a few times


class _Again(Exception):  # noqa: N818 - no error: the loop is traced again
    """Raised to trace the loop again, after it changed a type or a value that is not carried."""


class Loop:
    """A loop of the program while it is being traced."""

    def __init__(self, rounds: Any, steps: Steps | None, *, is_short: bool) -> None:
        self.rounds, self.steps = rounds, steps
        self.is_short = is_short  # whether Python may go through the rounds instead
        self.hooks, self.trace, self.span = rounds.hooks, rounds.trace, rounds.trace.span
        self.carried: dict[Key, Carried] = {}
        self.dropped: dict[Key, tuple[Place, RelayError]] = {}
        self.growing: dict[int, Growth] = {}
        self._key = rounds.body.__code__, tuple(map(id, rounds.cells))

    def trace_it(self) -> None:
        """Trace the loop repeatedly until the set of carried values is complete."""
        trace = self.trace
        self._hoist()
        self._guess()
        outer = list(trace.regions)
        trace.loops.append(self)
        try:
            self._trace(outer)
        finally:
            trace.loops.pop()

    def _trace(self, outer: list[Region]) -> None:
        trace = self.trace
        counts = [len(each.leaves) for each in outer]
        for _ in range(_ATTEMPTS):
            loop = self.rounds.region("loop")
            try:
                self._attempt(loop)
            except _Again:
                pass
            except Widen as wider:
                if wider.loop is not self:
                    raise
                self.carried[wider.key].types[0] = wider.type
            except Longer as error:
                if not self._grows(error.listed, error.items):
                    raise
            except (RelayError, NameError) as error:
                if not self._learn(loop):
                    raise
                del error
            else:
                places = [(each.place, each.splits) for each in self.carried.values()]
                trace.known_loops[self._key] = [p for p in places if isinstance(p[0][0], CellType)]
                if loop.close() is ENDED:
                    raise Ended
                return
            while trace.regions[-1] is not loop:
                trace.regions.pop()
            loop.abandon()
            for each, count in zip(outer, counts, strict=True):
                del each.leaves[count:]
            self._start_lists()
        advice = "assign values of the final types before the loop"
        trace.refuse(
            "F110",
            "the variables of this loop get values of another type in each iteration",
            advice,
        )

    def _start_lists(self) -> None:
        """Create the tensors for lists to which the loop appends."""
        for growth in self.growing.values():
            growth.start(self.start, self.span)
            for key, each in list(self.carried.items()):
                if growth.listed is each.place[0] or growth.listed is each.start:
                    self._leave_out(key)

    def _hoist(self) -> None:
        """Evaluate before the loop the pending expressions that the loop may read."""
        for each, held in State(self.rounds.cells, self.trace.unit.outside).held.values():
            if isinstance(each, Box):
                each.expr = self.trace.emit(held, each.name)
        if (steps := self.steps) is not None:
            steps.start, steps.stop = map(self.trace.emit, (steps.start, steps.stop))

    def _guess(self) -> None:
        """Carry values that an iteration is likely to change, before the first attempt.

        They are numbers that the body assigns, and values carried in earlier traces of the loop.
        """
        for place, splits in self.trace.known_loops.get(self._key, ()):
            value = get(*place)
            if value is not MISSING_CONTENT and is_carriable(value):
                self.carried[id(place[0]), None] = Carried(place, value, splits=splits)
        for cell in self.rounds.cells:
            value = get(cell, None)
            number = is_plain(value) or (isinstance(value, Traced) and not is_array(value))
            assigned = self.trace.name_of(cell, None) in self.rounds.names
            if assigned and number and is_carriable(value):
                self.carried.setdefault((id(cell), None), Carried((cell, None), value))

    def _learn(self, loop: Region) -> bool:
        """Carry the values that an iteration had changed before tracing failed.

        Return whether any of it is new.
        """
        now = State(self.rounds.cells, self.trace.unit.outside)
        found = {
            key: place
            for key, place in changed(self.head, now).items()
            if key not in self.carried and not self._is_fresh(place)
        }
        return self._take_on(found, loop)

    def _take_on(self, found: dict[Key, Place], loop: Region) -> bool:
        loop.before.restore()
        new = False
        for key, place in found.items():
            start = get(*place)
            known = key in self.carried or key in self.dropped
            if known or start is MISSING_CONTENT or not is_carriable(start):
                continue
            splits = is_object if self.trace.exact else is_part_by_part
            self.carried[key] = Carried(place, start, splits=splits)
            new = True
        return new

    def _is_fresh(self, place: Place) -> bool:
        return isinstance(place[0], Box) and id(place[0]) in self.heads.fresh

    # One attempt

    def _attempt(self, loop: Region) -> None:
        trace, steps, self.start = self.trace, self.steps, loop.before
        heads = self.heads = Heads(self, loop)
        args = [arg for each in self.carried.values() for arg in self._starts(each)]
        choices = heads.choices_at_start()
        index = None if steps is None else Var("i", ty=steps.start.type, span=self.span)
        rows = [(trace.name_of(*each.place), each, each.count) for each in self.carried.values()]
        names = [name for name, _, count in rows for _ in range(count)]
        params = [
            Var(name, ty=arg.type, span=self._place(name))
            for name, arg in zip(names, args, strict=True)
        ]
        header = Block(loop.root)
        counted = [] if index is None else [index]
        every = [*counted, *params, *heads.which.values()]
        join = Join("loop", every, header, self.span)
        loop.root.lets.append(join)
        starts = [] if steps is None else [steps.start]
        loop.root.end = Jump(join, [*starts, *args, *choices])
        trace.block = header
        trace.homes |= dict.fromkeys(every, header)
        heads.fill(params)
        for place, error in self.dropped.values():
            trace.lose(*place, error)
            put(*place, MISSING_CONTENT)
        self.head = State(self.rounds.cells, trace.unit.outside)
        for growth in self.growing.values():
            assert growth.made is not None, "started before"
            growth.made.appends = 0
        goes_on = self._condition(index)
        tested = trace.state()
        done: Block | None = None
        if goes_on is not True:
            condition = Constant(np.asarray(goes_on)) if isinstance(goes_on, bool) else goes_on
            trace.block, done = split(trace, condition, self.span)
        here = self._round(loop, index)
        if not all(growth.has_room() for growth in self.growing.values()):
            raise _Again
        self._check(here, loop, params)
        chosen = heads.choices_of_round([partial(self._enter, leaf) for leaf in here])
        if chosen is None:
            raise _Again
        step = [] if index is None or steps is None else [self._next(index, steps.step)]
        for number, leaf in enumerate(here):
            which = [codes[number] for codes in chosen]
            leaf.block.end = Jump(join, [*step, *self._ends(leaf, params), *which])
        breaks = any(leaf.target is loop for leaf in loop.leaves)
        for growth in self.growing.values():
            self.head.restore()
            growth.finish([partial(self._enter, leaf) for leaf in here], breaks=breaks)
        tested.restore()
        if done is None:
            return
        trace.block = done
        heads.fill_late()
        self.rounds.exhausted(loop)
        self._forget()

    def _place(self, name: str) -> Span:
        """Return the location of the first assignment to a variable, for errors about its sizes."""
        place = self.rounds.places.get(name)
        return (
            self.span if place is None else self.trace.codes[self.span.source.name].between(*place)
        )

    def _next(self, index: Var, step: int) -> Expr:
        by = constant(step, index.tensor_type.dtype, self.span)
        return Call(OPERATORS.find("add")(), (index, by), span=self.span)

    def _condition(self, index: Var | None) -> Any:
        if index is None or self.steps is None:
            assert self.rounds.test is not None, "a while loop"
            return self.hooks.truth(self.rounds.test())
        sign = "less" if self.steps.step > 0 else "greater"
        return Call(OPERATORS.find(sign)(), (index, self.steps.stop), span=self.span)

    def _round(self, loop: Region, index: Var | None) -> list[Leaf]:
        """Trace the body; return the ends of the paths that continue with the next iteration."""
        trace, each = self.trace, self.rounds.region("round")
        items = [] if index is None or self.steps is None else [self.steps.item(index)]
        out = self.hooks.run(self.rounds.body, *items)
        self.rounds.settle(out, each, loop)
        assert trace.regions.pop() is each, "regions are nested"
        loop.leaves += [leaf for leaf in each.leaves if leaf.target is not each]
        each.outer.take(each.root)
        return [leaf for leaf in each.leaves if leaf.target is each]

    def _starts(self, each: Carried) -> list[Expr]:
        if each.late:
            return [placeholder(ty) for ty in each.types if ty is not None]
        starts: list[Expr] = []
        for part, ty in zip(each.parts(each.start), each.types, strict=True):
            found = self.trace.convert.typed(part, ty if is_default(part) else None, self.span)
            if ty is not None and ty is not found.type and join_types(found.type, ty) is not None:
                found = self.trace.bind(Var("opened", ty=ty, span=self.span), found)
            elif ty is not None and ty is not found.type:
                raise Widen(part.loose, ty)
            starts.append(found)
        return starts

    def _forget(self) -> None:
        """Record for variables assigned only in the loop why they may have no value after it."""
        for name in self.rounds.names:
            cells = (each for each in self.rounds.cells if self.trace.name_of(each, None) == name)
            cell = next(cells, None)
            known = (id(cell), None) in self.carried or (id(cell), None) in self.dropped
            if cell is not None and not known and get(cell, None) is MISSING_CONTENT:
                why = "is assigned only inside a loop, which may not run at all"
                advice = f"give {name} a value before the loop"
                error = self.trace.without_value(name, why, advice, self.span)
                self.trace.lost[name] = error

    # The state after a round

    def _check(self, here: Sequence[Leaf], loop: Region, params: Sequence[Var]) -> None:
        """Raise `_Again` if an iteration changes a value that is not carried, or a type."""
        new: dict[Key, Place] = {}
        for leaf in here:
            found = changed(self.head, leaf.state)
            new |= {
                k: p
                for k, p in found.items()
                if k not in self.carried and k not in self.dropped and not self._is_fresh(p)
            }
        again = False
        for key, place in new.items():
            self.head.restore()
            start = get(*place)
            if start is MISSING_CONTENT:
                again = self._is_given(key, place, here) or again
            elif is_carriable(start):
                again = self._take_on({key: place}, loop) or again
            elif self._carry_function(key, place, here, start):
                again = True
            else:
                name = self.trace.name_of(*place)
                self._drop(
                    key,
                    place,
                    f"the loop changes {name}, which is not a number, an array or a data object",
                    advice=f"assign {name} outside of the loop only, or make it one of these",
                )
                again = True
        if again:
            raise _Again
        left = list(params)
        for key, each in list(self.carried.items()):
            own = [left.pop(0) for _ in range(each.count)]
            for leaf in here:
                self._enter(leaf)
                self._match(key, each, own, get(*each.place), here)
        self._share(here)
        paths = [(leaf.state, partial(self._enter, leaf)) for leaf in here]
        if self.trace.divided.note_carried(self.carried.values(), self.start, paths):
            raise _Again
        self._prune(here, params)

    def _carry_function(self, key: Key, place: Place, here: Sequence[Leaf], *start: Any) -> bool:
        """Carry a variable that holds a function, by number; return whether this is possible.

        Without a `start`, each iteration assigns the variable first.
        """
        values = [*start]
        for leaf in here:
            self._enter(leaf)
            values.append(get(*place))
        known, late = self.carried.get(key), not start
        made = carried_function(self.trace, place, values, known, self.start, late=late)
        if made is not None:
            self.carried[key] = made
        return made is not None

    def _drop(
        self,
        key: Key,
        place: Place,
        what: str,
        error: RelayError | None = None,
        advice: str = "start with a value that has the type and shape that it has after the loop",
    ) -> None:
        self._leave_out(key)
        self.dropped[key] = place, error or mistake(ErrorCode.F110, what, self.span, advice)
        if not isinstance(place[0], CellType):
            raise self.dropped[key][1]

    def _leave_out(self, key: Key) -> None:
        """Stop carrying the variable `key`, and reset the options of all carried arrays."""
        self.carried.pop(key, None)
        for each in self.carried.values():
            each.aliases = []

    def _is_given(self, key: Key, place: Place, here: Sequence[Leaf]) -> bool:
        """Whether each iteration assigns a variable first, whose last value is read after the loop.

        Such a variable is then carried without an initial value.
        """
        runs = self.steps is not None and self.steps.surely_runs
        if not runs or self.trace.name_of(*place) not in self.rounds.kept:
            return False
        if self._carry_function(key, place, here):
            return True
        rows: list[list[Type]] = []
        value: Any = None
        for leaf in here:
            self._enter(leaf)
            value = get(*place)
            if value is MISSING_CONTENT or not is_carriable(value):
                return False
            rows.append([self.trace.typed(part).type for part in parts_of(value)])
        if (
            not rows
            or any(row != rows[0] for row in rows)
            or not all(map(has_placeholder, rows[0]))
        ):
            return False
        self.carried[key] = made = Carried(place, value, late=True)
        made.types = [*rows[0]]
        return True

    def _enter(self, leaf: Leaf) -> None:
        self.head.restore()  # also objects that the path no longer reaches
        leaf.state.restore()
        self.trace.block = leaf.block

    def _grows(self, listed: Any, items: Sequence[Any]) -> bool:
        """Record that the loop appends to a list; return whether this can be represented."""
        if id(listed) not in self.start.held or not items or id(listed) in self.growing:
            return False
        growth = Growth(self.trace, self.steps, listed, self.trace.typed(items[-1]).type)
        self.growing[id(listed)] = growth
        return True

    def _match(
        self, key: Key, each: Carried, own: Sequence[Var], value: Any, here: Sequence[Leaf]
    ) -> None:
        """Check that a carried variable has the same types after an iteration as before it."""
        name = self.trace.name_of(*each.place)
        if isinstance(value, GrowingList) and is_list(each.start):  # an inner loop appends to it
            self.growing[id(each.start)] = Growth(self.trace, None, each.start, value.item)
            raise _Again
        parts = each.parts(value) if value is not MISSING_CONTENT else []
        if len(parts) != each.count or not each.is_like(value):
            what = f"the loop changes the number or nesting of the items in {name}"
            if isinstance(each, CarriedFunction):
                start = () if each.late else (each.start,)
                if not self._carry_function(key, each.place, here, *start):
                    self._drop(key, each.place, f"the loop changes {name}, which is a function")
                raise _Again
            whole = Carried(each.place, each.start, splits=no_object)
            held = [*whole.parts(each.start), *whole.parts(value)]
            if parts and any(map(is_object, held)) and each.splits is not no_object:
                self._leave_out(key)  # they are of several kinds, perhaps
                self.carried[key] = whole
                raise _Again
            if is_list(each.place[0]) and self._grows(each.place[0], value[each.length :]):
                raise _Again
            if is_list(each.place[0]) or is_list(each.start):
                raise endless(self.span)
            self._drop(key, each.place, what)
            raise _Again
        for number, (part, param) in enumerate(zip(parts, own, strict=True)):
            if not is_part(part):
                self._drop(
                    key,
                    each.place,
                    f"after an iteration of the loop, {name} holds a value that Relay functions "
                    "do not support",
                )
                raise _Again
            self._match_part(key, each, number, part, param)

    def _match_part(self, key: Key, each: Carried, number: int, part: Any, param: Var) -> None:
        wanted, name = param.type, self.trace.name_of(*each.place)
        try:
            found = self.trace.convert.natural(part, wanted, self.span)
        except RelayError as error:
            self._drop(key, each.place, "", error)
            raise _Again from None
        if fits(found.ty, wanted):
            ty = opened(found, wanted, self.trace)
            if ty is not wanted:
                each.types[number] = ty
                raise _Again
            return
        start = None if each.late else each.parts(each.start)[number]
        if is_default(start) and each.types[number] is None and widens(found.ty, wanted):
            each.types[number] = found.type
            raise _Again
        if isinstance(start, Traced) and start.loose is not None and widens(found.ty, wanted):
            raise Widen(start.loose, found.type)
        what = f"{name} has type {wanted!r} before the loop, but {found.ty!r} after an iteration"
        error = mistake(
            ErrorCode.F110, what, found.span or self.span, kept_type(name, found.type, wanted)
        )
        self._drop(key, each.place, "", error)
        raise _Again

    def _share(self, here: Sequence[Leaf]) -> None:
        """Record which carried variables may share memory with others in later iterations."""
        if self.trace.exact:
            return
        places = [
            each.place for each in self.carried.values() if not isinstance(each.place[0], Box)
        ]
        owners = shared_memory(
            [self.start, *(leaf.state for leaf in here)], places, self.trace, self.start
        )
        keys = [key for key, each in self.carried.items() if not isinstance(each.place[0], Box)]
        again = False
        for key, owner in zip(keys, owners, strict=True):
            if owner is not None and self.carried[key].owner is None:
                self.carried[key].owner = owner
                again = True
        if again:
            raise _Again

    def _prune(self, here: Sequence[Leaf], params: Sequence[Var]) -> None:
        """Stop carrying variables that no iteration changes."""
        left = list(params)
        for key, each in list(self.carried.items()):
            own = [left.pop(0) for _ in range(each.count)]
            if each.late or len(own) != 1 or each.types[0] is not None:
                continue
            stays = True
            for leaf in here:
                leaf.state.restore()
                value = get(*each.place)
                held = expr_of(value) if isinstance(value, Traced) else value
                stays = stays and (held is own[0] or value is self.heads.parts[key][0])
            if stays and here and not is_plain(each.start):
                self._leave_out(key)
                raise _Again

    def _ends(self, leaf: Leaf, params: Sequence[Var]) -> list[Expr]:
        """Return the carried values at the end of an iteration."""
        self._enter(leaf)
        values = [part for each in self.carried.values() for part in each.parts(get(*each.place))]
        typed = self.trace.convert.typed
        return [
            typed(value, param.type, self.span) for value, param in zip(values, params, strict=True)
        ]

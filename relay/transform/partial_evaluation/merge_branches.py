"""Partial evaluation of branches on unknown conditions, and the facts that hold after them."""

from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from typing import TypeAlias, TypeVar

from relay.ir.expr import Expr, Tuple, TupleGetItem
from relay.ir.trap import branch_failure
from relay.ir.type_comparison import common_type
from relay.support.errors import RelayTypeError
from relay.support.trampoline import Task
from relay.transform.partial_evaluation.known_facts import Learned
from relay.transform.partial_evaluation.residual_code import Block, Writer, closed
from relay.transform.partial_evaluation.static_values import Domain, Static, StaticCell, Unknown
from relay.transform.partial_evaluation.templates import (
    common,
    filled,
    is_leaf,
    leaves,
    template_of,
)

T = TypeVar("T")
Build: TypeAlias = Callable[[Sequence[Expr]], Expr]
"""A function that builds an `if` or a `match` from the code of its arms."""


@dataclass
class Arm:
    """One side of a branch: its residual code, its result, and the facts learned in it.

    Residual code is the part of the program that remains after partial evaluation.
    """

    block: Block
    result: Static
    learned: Learned


@dataclass(frozen=True)
class IllTypedArm:
    """One side of a branch that has a type error, so that the program traps there."""

    error: RelayTypeError


class Branching(Writer, ABC):
    """The part of the evaluator that writes residual code for branches on unknown values.

    1. The code for each arm is written independently of the other arms.
    2. The common part of the results is known after the branch. The differing parts become the
       value of the branch: a tuple, if there are several.
    3. The same holds for the contents of cells that only this code can reach. A cell that one arm
       makes reachable for unknown code is created in every arm.
    4. At the end of a function, an arm ends with its whole result, so that a tail call remains one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.decisions: int = 0

    def arm(self, compute: Callable[[], Task[Static]], *, last: bool) -> Task[Arm | IllTypedArm]:
        """Return the code of one side of a branch, which `compute` writes.

        In tail position (`last`), its result is written as a whole.
        """
        mark, around, self.block = self.known.mark(), self.block, []
        self.decisions += 1
        try:
            result = yield compute()
            if last:  # case 4
                result = self.domain.unknown((yield self.atom(result)))
            return Arm(self.block, result, self.known.since(mark))
        except RelayTypeError as error:
            return IllTypedArm(error)
        finally:
            self.decisions -= 1
            self.block = around
            self.known.undo(mark)

    def choice(
        self,
        arms: Sequence[Arm | IllTypedArm],
        build: Build,
        name: str,
        *,
        last: bool,
        droppable: bool,
    ) -> Task[Static]:
        """Write the residual code of a branch with the sides `arms`, and return the branch's value.

        `build` makes the expression from the code of the sides. A `droppable` branch may be omitted
        if its sides write nothing; in tail position (`last`), results are written as a whole.
        """
        live = [arm for arm in arms if isinstance(arm, Arm)]
        if not live:
            raise next(arm.error for arm in arms if isinstance(arm, IllTypedArm))
        meeting = _ArmMerge(self, live)
        yield meeting.meet(cells=not last)
        droppable = droppable and len(live) == len(arms) and not any(arm.block for arm in live)
        if droppable and not meeting.ends[0]:
            return meeting.result(iter(()))
        codes = list(meeting.codes())
        ty = common_type(code.type for code in codes)
        assert ty is not None, "arms have results of one type, up to sizes"
        rest = iter(codes)
        ways = [
            next(rest) if isinstance(arm, Arm) else branch_failure(ty, arm.error, None)
            for arm in arms
        ]
        written = self.bind(build(ways), name)
        return meeting.result(iter(self._fields(written, len(meeting.ends[0]))))

    def _fields(self, whole: Expr, count: int) -> list[Static]:
        if count < 2:
            return [self.domain.unknown(whole)] * count
        return [self.emitted(TupleGetItem(whole, index)) for index in range(count)]

    def within(self, arm: Arm, task: Callable[[], Task[T]]) -> Task[T]:
        """Run a task whose code is appended to one side of a branch, with the facts known there."""
        mark, around, self.block = self.known.mark(), self.block, arm.block
        self.decisions += 1
        try:
            self.known.learn(arm.learned)
            found = yield task()
            arm.learned = self.known.since(mark)
            return found
        finally:
            self.decisions -= 1
            self.block = around
            self.known.undo(mark)


class _ArmMerge:
    """The merge of the sides of a branch: what their results and reference cells have in common.

    `ends` are the values that each side ends with, in the order of the common template's holes.
    """

    def __init__(self, writer: Branching, arms: Sequence[Arm]) -> None:
        self._writer, self._arms = writer, arms
        self._domain: Domain = writer.domain
        self._made: list[StaticCell] = []  # cells that some arm creates in residual code
        self._kept: list[StaticCell] = []  # cells that stay unreachable for residual code
        self._templates: list[Static] = []
        self.ends: list[list[Expr]] = []

    def meet(self, *, cells: bool) -> Task[None]:
        """Determine the parts that the sides have in common, and write the differing parts in each.

        With `cells`, the contents of mutable cells are merged, too.
        """
        made: list[StaticCell] | None = None
        while made is None or len(made) > len(self._made):  # written code may create more cells
            changed = self._changed() if cells else []
            self._made = [each for each in changed if self._is_made(each)]
            for arm in self._arms:
                yield self._writer.within(arm, partial(self._writer.atoms, self._made))
            self._kept = [c for c in changed if c not in self._made and not self._is_shared(c)]
            values = [[arm.result, *self._contents(arm)] for arm in self._arms]
            pairs = zip(*values, strict=True)
            self._templates = [self._template(each) for each in pairs]
            self.ends = []
            for arm, own in zip(self._arms, values, strict=True):
                found = chain(*map(leaves, self._templates, own), self._made)
                ends = yield self._writer.within(arm, partial(self._writer.atoms, [*found]))
                self.ends.append(ends)
            made = [each for each in self._changed() if cells and self._is_made(each)]

    def _template(self, values: Sequence[Static]) -> Static:
        """Return what values of all sides have in common, without variables of one side."""
        if len(values) > 1:
            return reduce(partial(common, self._domain), values)
        return template_of(self._domain, values[0], self._is_inside)

    def _is_inside(self, value: Static) -> bool:
        return is_leaf(value) and value not in self._writer.known.contents

    def codes(self) -> list[Expr]:
        """Return the residual code of each side."""
        return [
            closed(arm.block, ends[0] if len(ends) == 1 else Tuple(tuple(ends)))
            for arm, ends in zip(self._arms, self.ends, strict=True)
        ]

    def result(self, values: Iterator[Static]) -> Static:
        """Record the facts known after the branch, and return its value.

        `values` are the parts in which the sides differ: they fill the holes of the template.
        """
        known = self._writer.known
        found, *contents = [filled(self._domain, each, values) for each in self._templates]
        shared = [cell for cell in self._changed() if self._is_shared(cell)]
        for cell, content in zip(self._kept, contents, strict=True):
            known.write(cell, content)
        for cell in self._made:
            held = next(values)
            assert isinstance(held, Unknown), "arms end with variables"
            assert held.atom is not None, "it is not a hole"
            known.name(cell, held.atom)
        for cell in [*self._made, *shared]:
            self._note_content(cell)
        return found

    def _note_content(self, cell: StaticCell) -> None:
        """Record the content of a reference cell that other code can reach, if all sides agree."""
        known = self._writer.known
        before = known.contents.get(cell)
        found = [arm.learned.content(cell, before) for arm in self._arms]
        first = found[0]
        if first is not None and all(each is first for each in found):
            known.write(cell, first)
        else:
            known.forget([cell])

    def _changed(self) -> list[StaticCell]:
        """Return the reference cells from before the branch whose state some side changed."""
        known = self._writer.known
        cells = dict.fromkeys(cell for arm in self._arms for cell in arm.learned.cells())
        return [cell for cell in cells if cell in known.contents or cell in known.atoms]

    def _is_shared(self, cell: StaticCell) -> bool:
        return cell in self._writer.known.atoms

    def _is_made(self, cell: StaticCell) -> bool:
        return not self._is_shared(cell) and any(arm.learned.makes(cell) for arm in self._arms)

    def _contents(self, arm: Arm) -> list[Static]:
        known = self._writer.known.contents
        found = [arm.learned.content(cell, known.get(cell)) for cell in self._kept]
        return [content for content in found if content is not None]

"""Groups of kernels that differ only in integers, which share the code of their loops."""

import hashlib
from collections.abc import Iterator, Sequence

from relay.kernels.general_kernel import general_kernel
from relay.kernels.kernel_templates import Template, arguments_of, template
from relay.kernels.llvm.buffer_placement import BufferPlan, plan
from relay.kernels.llvm.code_size import amount_of_code, is_long
from relay.kernels.llvm.kernel_fingerprint import fingerprint
from relay.kernels.llvm.loop_metadata import has_plain_loop
from relay.kernels.loops import Kernel
from relay.kernels.passes.traverse_statements import statements
from relay.support.node import node, replace

_MOST_ARGUMENTS = 6
"""Integers that differ: more of them would take registers from the loops."""

_MOST_WAITING = 4
"""Kernels of a group that wait for others: while they wait, LLVM may be idle."""


@node
class Member:
    """A kernel with its symbol, and the placement of its buffers."""

    symbol: str
    kernel: Kernel
    plan: BufferPlan


class Groups:
    """Kernels that wait for others which differ from them only in integers.

    They wait as long as the following kernels have the same name, so kernels with equal names
    should follow each other.
    """

    def __init__(self) -> None:
        self._name = ""
        self._waiting: dict[str, list[list[tuple[Member, Template]]]] = {}

    def add(self, member: Member) -> Iterator["Group"]:
        """Add a kernel, and yield the groups that wait no longer."""
        if member.kernel.name != self._name:
            yield from self.rest()
            self._name = member.kernel.name
        if not is_long(amount_of_code(member.kernel)) or has_plain_loop(member.kernel.body):
            yield Group((member,), ())
            return
        made = template(member.kernel)
        lists = self._waiting.setdefault(made.key, [])
        fitting = (each for each in lists if _is_close([one for _, one in each], made))
        group = next(fitting, None)
        if group is None:
            group = list[tuple[Member, Template]]()
            lists.append(group)
        group.append((member, made))
        if len(group) == _MOST_WAITING:
            lists.remove(group)
            yield _closed(group)

    def rest(self) -> Iterator["Group"]:
        """Yield the groups that still wait."""
        waiting, self._waiting = self._waiting, {}
        for lists in waiting.values():
            yield from map(_closed, lists)


@node
class Group:
    """Kernels with one code, of which each member calls it with its own integers.

    There is no such code, and no templates, if the group has one member.
    """

    members: tuple[Member, ...]
    templates: tuple[Template, ...]

    def general(self) -> Member:
        """Return the kernel that the members call. It polls wherever one of the members does."""
        kernel = general_kernel(self.templates)
        polls = dict[int, int]()
        for member in self.members:
            for place, stmt in enumerate(statements(member.kernel.body)):
                period = member.plan.polls.get(stmt)
                if period is not None:
                    polls[place] = min(period, polls.get(place, period))
        placed = list(statements(kernel.body))
        periods = {placed[place]: period for place, period in polls.items()}
        content = repr((fingerprint(kernel), sorted(polls.items())))
        symbol = f"relay_g_{hashlib.sha256(content.encode()).hexdigest()[:32]}"
        return Member(symbol, kernel, replace(plan(kernel), polls=periods))

    def numbers(self) -> list[tuple[int, ...]]:
        """Return the integers of each member."""
        return list(zip(*arguments_of(self.templates), strict=True))


def _closed(group: Sequence[tuple[Member, Template]]) -> Group:
    members = tuple(member for member, _ in group)
    return Group(members, tuple(made for _, made in group) if len(group) > 1 else ())


def _is_close(others: Sequence[Template], made: Template) -> bool:
    return len(arguments_of([*others, made])) <= _MOST_ARGUMENTS

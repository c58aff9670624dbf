"""Static memory planning: assigns every tensor of a program a place at compile time.

All offsets are known before anything runs. Storages whose live ranges do not overlap share bytes,
and an elementwise kernel writes over an operand that dies with it.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from relay.build.inplace_kernels import overwritable
from relay.build.straight_line_program import DeviceCopy, KernelCall, Storage
from relay.runtime.multi_device_program import HOST
from relay.runtime.program import Location, MemoryRegion

ALIGNMENT = 64  # one cache line, and the widest vector


class Line(Protocol):
    """The interface of a program whose memory is planned: its steps, and where its results go."""

    @property
    def steps(self) -> Sequence[KernelCall | DeviceCopy]:
        """Return the steps (kernel calls and device copies) in order."""
        ...

    @property
    def results(self) -> Sequence[Storage]:
        """Return the storages on the host that hold results."""
        ...

    @property
    def in_place(self) -> Mapping[int, int]:
        """Return a map from results that reuse a donated input's memory to the input's number."""
        ...

    @property
    def written(self) -> Collection[int]:
        """Return the results that kernels write in place, without a copy."""
        ...


@dataclass(eq=False)
class MemoryPlan:
    """The locations of all storages, and the results that must be copied to their destinations.

    `arenas` are the arena bytes of each device, and `constants` its constant tables.
    """

    locations: dict[Storage, Location] = field(default_factory=dict[Storage, Location])
    arenas: dict[int, int] = field(default_factory=dict[int, int])
    constants: dict[int, list[Storage]] = field(
        default_factory=lambda: defaultdict[int, list[Storage]](list)
    )
    copies: list[tuple[Storage, Location]] = field(default_factory=list[tuple[Storage, Location]])

    def __getitem__(self, storage: Storage) -> Location:
        return self.locations[storage]

    @property
    def arena_bytes(self) -> int:
        """Return the size of the host's arena in bytes."""
        return self.arenas.get(HOST, 0)


def plan_memory(program: Line) -> MemoryPlan:
    """Return a plan with a location for every storage of a program."""
    plan = MemoryPlan()
    _place_results(program, plan)
    last_use = _last_uses(program.steps)
    last_use.update((storage, len(program.steps)) for storage, _ in plan.copies)
    arenas = defaultdict[int, _Arena](_Arena)
    for index, step in enumerate(program.steps):
        for storage in step.reads:
            _place_external(storage, plan)
        _place_writes(step, index, last_use, plan, arenas)
        for storage in dict.fromkeys((*step.reads, *step.writes)):
            if last_use.get(storage, index) == index:
                arenas[storage.device].release(storage)
    for storage, _ in plan.copies:
        _place_external(storage, plan)
    plan.arenas = {device: arena.size for device, arena in arenas.items()}
    return plan


def _place_results(program: Line, plan: MemoryPlan) -> None:
    """Let kernels write results in place; inputs, constants and repeated results are copied."""
    for index in program.written:
        place = Location(MemoryRegion.INPUT, index=program.in_place[index])
        plan.locations[program.results[index]] = place
    for index, storage in enumerate(program.results):
        given = program.in_place.get(index)
        if given is not None:
            if index not in program.written:
                plan.copies.append((storage, Location(MemoryRegion.INPUT, index=given)))
        elif storage.is_intermediate and storage not in plan.locations:
            plan.locations[storage] = Location(MemoryRegion.OUTPUT, index=index)
        else:
            plan.copies.append((storage, Location(MemoryRegion.OUTPUT, index=index)))


def _last_uses(steps: Sequence[KernelCall | DeviceCopy]) -> dict[Storage, int]:
    last: dict[Storage, int] = {}
    for index, step in enumerate(steps):
        for storage in (*step.reads, *step.writes):
            last[storage] = index
    return last


def _place_external(storage: Storage, plan: MemoryPlan) -> None:
    """Place an input or a constant on its first use."""
    if storage in plan.locations:
        return
    if storage.input_index is not None:
        plan.locations[storage] = Location(MemoryRegion.INPUT, index=storage.input_index)
    elif storage.constant is not None:
        # The index in the table replaces the offset until packing computes it.
        table = plan.constants[storage.device]
        plan.locations[storage] = Location(MemoryRegion.CONSTANT, index=len(table))
        table.append(storage)


def _place_writes(
    step: KernelCall | DeviceCopy,
    index: int,
    last_use: dict[Storage, int],
    plan: MemoryPlan,
    arenas: dict[int, "_Arena"],
) -> None:
    for storage in step.writes:
        if storage in plan.locations:
            continue
        arena, victim = arenas[storage.device], None
        if isinstance(step, KernelCall):
            dying = [s for s in step.reads if arena.holds(s) and last_use[s] == index]
            victim = overwritable(step, storage, dying)
        offset = arena.allocate(storage) if victim is None else arena.inherit(storage, victim)
        plan.locations[storage] = Location(MemoryRegion.ARENA, offset)


class _Arena:
    """An allocator of one growing block, with a list of holes (best fit).

    Neighbouring holes are merged. Each call takes time O(log n).
    """

    def __init__(self) -> None:
        self.size = 0
        self._blocks: dict[Storage, tuple[int, int]] = {}  # offset, size
        self._holes: list[tuple[int, int]] = []  # size, offset; sorted
        self._starts: dict[int, int] = {}  # offset → size
        self._ends: dict[int, int] = {}  # end → offset

    def holds(self, storage: Storage) -> bool:
        """Whether the storage is currently allocated here."""
        return storage in self._blocks

    def allocate(self, storage: Storage) -> int:
        """Return the offset of the smallest hole that is large enough, or extend the block."""
        size = max(ALIGNMENT, -(-storage.nbytes // ALIGNMENT) * ALIGNMENT)
        at = bisect_left(self._holes, (size, -1))
        if at < len(self._holes):
            found, offset = self._holes[at]
            self._take(offset, found)
            if found > size:
                self._give(offset + size, found - size)
        else:
            offset = self._grow(size)
        self._blocks[storage] = (offset, size)
        return offset

    def _grow(self, size: int) -> int:
        """Extend the block by `size` bytes, or less if there is a hole at its end."""
        offset = self._ends.get(self.size, self.size)
        if offset < self.size:
            self._take(offset, self.size - offset)
        self.size = offset + size
        return offset

    def inherit(self, storage: Storage, victim: Storage) -> int:
        """Give the bytes of `victim`, which has died, to `storage`; return their offset."""
        block = self._blocks.pop(victim)
        self._blocks[storage] = block
        return block[0]

    def release(self, storage: Storage) -> None:
        """Free the bytes of a storage, unless they were transferred."""
        block = self._blocks.pop(storage, None)
        if block is None:
            return
        offset, size = block
        if offset + size in self._starts:  # merge with the hole after
            behind = self._starts[offset + size]
            self._take(offset + size, behind)
            size += behind
        if offset in self._ends:  # and with the one before
            before = self._ends[offset]
            self._take(before, offset - before)
            size += offset - before
            offset = before
        self._give(offset, size)

    def _take(self, offset: int, size: int) -> None:
        del self._holes[bisect_left(self._holes, (size, offset))]
        del self._starts[offset], self._ends[offset + size]

    def _give(self, offset: int, size: int) -> None:
        insort(self._holes, (size, offset))
        self._starts[offset] = size
        self._ends[offset + size] = offset

"""Schedules reductions that overlapping windows read: each is computed once for a whole image.

The derivative of a maximum pooling reads the position of each window's maximum, which is a
reduction itself, from all windows that contain an element. Computed where it is read, each position
would be found once for each element of its window.
"""

from collections.abc import Mapping

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import MemoryScope
from relay.kernels.scalar import Scalar
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis
from relay.kernels.traverse_scalars import walk
from relay.targets.cpu.schedules.access_strides import reads
from relay.targets.cpu.schedules.elementwise import by_vectors
from relay.targets.cpu.schedules.size_hints import product


def place_whole(
    schedule: Schedule, root: Stage, image: Axis | None, lanes: Mapping[Stage, Axis],
    machine: CpuModel,
) -> set[Stage]:  # fmt: skip
    """Compute reductions read by overlapping windows once per image; return the placed stages.

    They are computed at the loop of `root` around an image, if they fit into the cache, together
    with the stages that only they read. `lanes` are the axes that correspond to the root's vectors.
    """
    at, placed = root.inside(image), set[Stage]()
    if at is None or image is None:
        return placed
    width = machine.lanes(root.tensor.dtype)
    outer = root.axes[: root.axes.index(image) + 1]
    around = max(1, product(axis.extent for axis in outer))  # an empty tensor has no image
    for stage in schedule.stages[:-1]:
        size = product(stage.tensor.shape) * stage.tensor.dtype.itemsize // around
        is_last = len(stage.axes) > 1 and lanes.get(stage) is stage.axes[-1]
        if is_last and _read_by_windows(schedule, stage) and size <= machine.l2 // 2:
            worker = schedule.cache_write(stage.tensor)
            whole = schedule[stage.tensor]
            by_vectors(whole, whole.axes[-1], width, 1)
            whole.compute_at(root, at)
            placed |= {whole, *_inside(schedule, worker, whole, width)}
    return placed


def _read_by_windows(schedule: Schedule, stage: Stage) -> bool:
    """Whether a reduction is read by overlapping windows of another one."""
    return bool(stage.reduce_axes) and any(
        _overlap(reader, index)
        for reader in schedule.readers(stage.tensor)
        if isinstance(reader, Stage)
        for read in reads(reader.body)
        if read.tensor is stage.tensor
        for index in read.indices
    )


def _overlap(reader: Stage, index: Scalar) -> bool:
    """Whether an index depends both on a result axis and on a reduction axis of `reader`."""
    used = {part for part in walk(index) if isinstance(part, Axis)}
    return bool(used & set(reader.axes)) and bool(used & set(reader.reduce_axes))


def _inside(schedule: Schedule, worker: Stage, whole: Stage, width: int) -> list[Stage]:
    """Compute `worker`, and stages that only it reads, inside the loop of `whole` over vectors."""
    found = [worker]
    for stage in reversed(schedule.stages[: schedule.stages.index(worker)]):
        if all(reader in found for reader in schedule.readers(stage.tensor)):
            found.append(stage)
    for stage in found:
        *others, lane = stage.axes
        stage.compute_at(whole, whole.loops[-2])
        stage.reorder(*others, *stage.reduce_axes, lane)
        by_vectors(stage, lane, width, 1)
        stage.set_scope(MemoryScope.REGISTER)
    return found

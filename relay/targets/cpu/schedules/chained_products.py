"""Schedules for two chained products, such as attention, computed together by blocks of rows.

An attention multiplies values by the softmax of another product, the scores. Its kernel computes
the scores and their softmax for as many rows as stay in the L2 cache, multiplies these, and goes on
with the next rows. So no matrix of scores is written to memory.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel
from relay.kernels.scalar import Binary, Const, Op, Scalar, binary
from relay.kernels.schedule.schedule import Schedule, copy_of, inputs_of, topological
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Combiner, Computed, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import rewrite, substitute, walk
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.access_strides import reads
from relay.targets.cpu.schedules.compute_root import put_inside
from relay.targets.cpu.schedules.elementwise import by_rows
from relay.targets.cpu.schedules.horizontal_reduction import arrange, combine_lanes, vectorised
from relay.targets.cpu.schedules.match_reduction import reduced_output
from relay.targets.cpu.schedules.product_tiling import Tiling, balanced, tiling
from relay.targets.cpu.schedules.register_tile import Tiles, cycles
from relay.targets.cpu.schedules.rewrite_formulas import redirected
from relay.targets.cpu.schedules.row_analysis import is_in_lanes
from relay.targets.cpu.schedules.row_configurations import on_threads
from relay.targets.cpu.schedules.size_hints import extent, is_known, product
from relay.targets.cpu.schedules.tiled_loops import TiledLoops
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Config, Rule

_SHARE = 4  # a block of rows may fill 1 / 4 of the L2 cache, in addition to the products' operands
_ROWS = (8, 16, 32, 64)  # of a block, about


@value
class Blocks(Config):
    """The configuration of a chain: blocks of `rows`, and tiles of the first and last product."""

    rows: int
    first: Tiles
    last: Tiles
    parallel: bool = True


@node
class Chain:
    """The match of a chain: the product `last` reads values computed from the product `first`."""

    formulas: Formulas
    first: Tiling
    last: Tiling


@value
class Chains(Rule[Chain, Blocks]):
    """A rule for a product whose broadcast operand is computed from another product (attention)."""

    name: ClassVar[str] = "chain"
    machine: CpuModel

    def match(self, formulas: Formulas) -> Chain | None:
        """Match static sizes if each operand row depends on one row of the first product."""
        output = reduced_output(formulas)
        found = None if output is None else _chain(output, self.machine)
        return None if found is None else Chain(formulas, *found)

    def candidates(self, matched: Chain) -> Sequence[Blocks]:
        """Return blocks of several numbers of rows, each with the best tiles."""
        return list(_blocks(matched, self.machine))

    def cost(self, matched: Chain, config: Blocks) -> float:
        """Return the cycles of both products, including a last block that may be smaller."""
        assert matched.last.wide is not None
        count, rest = divmod(extent(matched.last.wide), config.rows)
        return sum(
            times * _cycles(found, tiles, rows)
            for found, tiles in ((matched.first, config.first), (matched.last, config.last))
            for times, rows in ((count, config.rows), (1, rest))
            if rows
        )

    def allows(self, matched: Chain, config: Blocks) -> bool:
        """Whether a configuration is one of the candidates, or its serial version."""
        return replace(config, parallel=True) in self.candidates(matched)

    def apply(self, matched: Chain, config: Blocks) -> Kernel:
        """Return the kernel that computes both products one block of rows after another."""
        schedule = _by_blocks(matched, config, self.machine)
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


def _cycles(found: Tiling, tiles: Tiles, rows: int) -> float:
    """Return the cycles of the product `found` over `rows` rows with the given tiles."""
    (_, _, vectors), *_ = found.sizes()
    terms = product(axis.extent for axis in found.operands.sums.reduce_axes)
    return terms * cycles(tiles, 1, rows, vectors, found.machine)


def _blocks(matched: Chain, machine: CpuModel) -> Iterator[Blocks]:
    """Yield blocks of rows that fit into a part of the cache; the smallest one in any case.

    If rows are whole pages, more of them would evict each other: they share sets of the caches.
    """
    assert matched.last.wide is not None
    total = extent(matched.last.wide)
    *_, elements = matched.first.output.shape
    row = product([elements]) * matched.first.output.dtype.itemsize
    for many in _ROWS:
        fits = many * row <= machine.l2 // _SHARE and matched.last.most_rows() > _ROWS[0]
        if many == _ROWS[0] or fits:
            rows = balanced(total, min(many, total), 1)
            yield Blocks(rows, _best(matched.first, rows), _best(matched.last, rows))


def _best(found: Tiling, rows: int) -> Tiles:
    """Return the tile with the fewest cycles for a block of `rows` rows."""
    fitting = [tiles for tiles in found.candidates() if tiles.high == 1 and tiles.wide <= rows]
    best = min(fitting, key=lambda tiles: _cycles(found, tiles, rows))
    return replace(best, block=rows)


def _by_blocks(matched: Chain, config: Blocks, machine: CpuModel) -> Schedule:
    schedule = Schedule(matched.last.output)
    last = TiledLoops(schedule, matched.last, config.last, machine)
    last.share(chunks=True)
    first = TiledLoops(schedule, matched.first, config.first, machine)
    at = last.root.inside(last.chunk)
    assert at is not None, "only loops outside a chunk are shared"
    before: list[Stage] = []
    of_rows = {first.root}
    for stage in schedule.stages:
        if stage in (first.sums, last.sums, last.root):
            continue
        if stage is first.root:
            stage.compute_at(last.root, at)
        elif any(one.tensor in inputs_of(stage) for one in of_rows):
            of_rows.add(stage)
            _arrange(schedule, stage, last.root, at, machine)
        else:
            before.append(stage)
    last.place_copies(before, (*matched.first.copies, *matched.last.copies))
    return schedule


def _arrange(schedule: Schedule, stage: Stage, root: Stage, at: Axis, machine: CpuModel) -> None:
    """Arrange the loops of a stage between the products, computed for one block of rows."""
    if is_in_lanes(stage):
        arrange(stage, machine)
        put_inside(schedule, stage, stage.axes[:-1])
        return
    if stage.reduce_axes:
        combine_lanes(stage)
        put_inside(schedule, stage, stage.axes)
    else:
        by_rows(stage, machine)
    stage.compute_at(root, at)


def _chain(output: Computed, machine: CpuModel) -> tuple[Tiling, Tiling] | None:
    """Return the tilings of the first and of the last product; None if there is no chain."""
    output = copy_of(output) if output.reduce_axes else output
    order = topological([output])
    sums = [tensor for tensor in order if isinstance(tensor, Computed) and tensor.reduce_axes]
    axes = [axis for tensor in sums for axis in (*tensor.axes, *tensor.reduce_axes)]
    first = tiling(sums[0], machine) if len(sums) > 2 and all(map(is_known, axes)) else None
    if first is None or first.phases or first.operands.in_lanes:
        return None
    new: dict[Tensor, Tensor] = {sums[0]: first.output}
    for tensor in order:
        if isinstance(tensor, Computed) and tensor not in new:
            current = redirected(tensor, new, {})
            new[tensor] = current if tensor is sums[-1] else vectorised(current, machine)
    whole, last_sum = new[output], new[sums[-1]]
    assert isinstance(whole, Computed)
    assert isinstance(last_sum, Computed)
    whole, last_sum = _without_factors(whole, last_sum)
    given = frozenset(topological([whole])) - {whole, last_sum}
    last = tiling(whole, machine, given=given)
    return (first, last) if last is not None and _reads_rows(last, first) else None


def _reads_rows(last: Tiling, first: Tiling) -> bool:
    """Whether the last product's broadcast operand depends on the first at the same rows only."""
    found = last.operands
    read = next(one for one in reads(found.sums.body) if one.tensor is found.scalar_tensor)
    at_axes = all(isinstance(index, Axis | Const) for index in read.indices)
    is_computed = first.output in topological([read.tensor])
    return at_axes and is_computed and len(found.rows) == 1 and not found.in_lanes


def _without_factors(output: Computed, sums: Computed) -> tuple[Computed, Computed]:
    """Return an output and a sum, with the factors that all terms share moved into the output."""
    body = sums.body
    assert isinstance(body, Reduce)
    factors = list(_factors(body.body)) if body.combiner is Combiner.SUM else []
    fixed = [factor for factor in factors if not set(walk(factor)) & set(body.axes)]
    if not fixed or len(fixed) == len(factors):
        return output, sums
    moving = _multiplied([factor for factor in factors if factor not in fixed])
    rest = replace(sums, body=replace(body, body=moving))

    def change(part: Scalar) -> Scalar:
        if not (isinstance(part, Read) and part.tensor is sums):
            return part
        here = dict[Scalar, Scalar](zip(sums.axes, part.indices, strict=True))
        return _multiplied([rest[part.indices], *(substitute(one, here) for one in fixed)])

    return replace(output, body=rewrite(output.body, change, {})), rest


def _factors(e: Scalar) -> Iterator[Scalar]:
    """Yield the factors of a product of floats.

    The recursion is bounded by their number, which is small.
    """
    if isinstance(e, Binary) and e.op is Op.MUL and e.dtype.is_float:
        yield from _factors(e.a)
        yield from _factors(e.b)
    else:
        yield e


def _multiplied(factors: Sequence[Scalar]) -> Scalar:
    total, *others = factors
    for factor in others:
        total = binary(Op.MUL, total, factor)
    return total

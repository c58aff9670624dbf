"""Schedule rules for sums of products in register tiles: convolutions and matrix products."""

from collections.abc import Sequence
from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Kernel
from relay.kernels.schedule.schedule import Schedule
from relay.support.node import node, value
from relay.targets.cpu.schedules.chunked_sums import in_chunks
from relay.targets.cpu.schedules.match_reduction import reduced_output
from relay.targets.cpu.schedules.product_tiling import Tiling, tiling
from relay.targets.cpu.schedules.register_tile import Tiles
from relay.targets.cpu.schedules.row_configurations import on_threads
from relay.targets.cpu.schedules.tiled_loops import TiledLoops
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Rule


@node
class Product:
    """The match of a sum of products: tensor expressions, and the analysis of the sum."""

    formulas: Formulas
    tiling: Tiling


@value
class Products(Rule[Product, Tiles]):
    """A rule that computes sums of products in register tiles.

    If `may_transpose`, it may transpose operands.
    """

    name: ClassVar[str] = "products"
    machine: CpuModel
    may_transpose: bool = True

    def match(self, formulas: Formulas) -> Product | None:
        """Match an output that depends on one sum of products, at the output's own indices."""
        output = reduced_output(formulas)
        found = (
            None
            if output is None
            else tiling(output, self.machine, may_transpose=self.may_transpose)
        )
        return None if found is None else Product(formulas, found)

    def candidates(self, matched: Product) -> Sequence[Tiles]:
        """Return the register tiles that fit into the registers."""
        return list(matched.tiling.candidates())

    def cost(self, matched: Product, config: Tiles) -> float:
        """Return the cycles of one step of the sum, including partial tiles at the edges."""
        return matched.tiling.cost(config)

    def allows(self, matched: Product, config: Tiles) -> bool:
        """Whether the tile fits into the registers, and the block into the tensor's rows."""
        return matched.tiling.allows(config)

    def apply(self, matched: Product, config: Tiles) -> Kernel:
        """Return the kernel whose loops are arranged around a register tile."""
        schedule = Schedule(matched.tiling.output)
        loops = TiledLoops(schedule, matched.tiling, config, self.machine)
        loops.share()
        loops.place_copies(schedule.stages, matched.tiling.copies)
        loops.read_once(matched.formulas.parity)
        return matched.formulas.lowered(on_threads(schedule, parallel=config.parallel))


@value
class LongProducts(Products):
    """The rule for sums of products over more data than the L2 cache holds, computed in chunks."""

    name: ClassVar[str] = "long-products"

    def match(self, formulas: Formulas) -> Product | None:
        """Match a sum of products over more data than the L2 cache holds."""
        matched = super(LongProducts, self).match(formulas)
        found = None if matched is None else in_chunks(matched.tiling)
        return None if found is None else Product(formulas, found)

"""A module after all passes, with their reports."""

from collections.abc import Sequence

from relay.build.pass_report import pass_entries
from relay.ir.module import Module
from relay.transform.batching.batch_regions import BatchRegions
from relay.transform.batching.deferral_report import deferral_notes
from relay.transform.run_passes import PassRecord


class Optimised:
    """A module of fused kernels, which code generation takes over, and the reports of its passes.

    The modules between the passes are not kept, nor is one that was taken: their constants may need
    much memory.
    """

    def __init__(self, before: Module, module: Module, records: Sequence[PassRecord]) -> None:
        self.module = module
        self.passes = pass_entries(before, records)
        waiting = next((r.module for r in records if r.name == BatchRegions.title()), None)
        self.notes = () if waiting is None else deferral_notes(waiting)

    def take(self) -> Module:
        """Return the module and forget it."""
        taken = self.module
        del self.module
        return taken

"""The pass that removes functions that are never called."""

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.module import Module
from relay.support.node import value
from relay.transform.pipeline import Pass


@value
class RemoveUnusedFunctions(Pass):
    """Remove the functions that no chain of calls from the `entries` reaches."""

    entries: tuple[str, ...] = ("main",)

    def transform(self, module: Module) -> Module:
        """Return the module with the entries and the functions reachable from them."""
        graph = CallGraph(module)
        entries = [name for name in self.entries if name in module.functions]
        kept = {*entries, *(name for entry in entries for name in graph.reachable(entry))}
        return module.with_functions({n: f for n, f in module.functions.items() if n in kept})

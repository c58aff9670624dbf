"""The pass that removes functions that are never called."""

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.module import Module
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import value
from relay.transform.pipeline import Pass


@value
class RemoveUnusedFunctions(Pass):
    """Remove the functions that no chain of calls from the `entries` reaches.

    Raises `U321` for an entry that is not a function of the module.
    """

    entries: tuple[str, ...] = ("main",)

    def transform(self, module: Module) -> Module:
        """Return the module with the entries and the functions reachable from them."""
        for wrong in (name for name in self.entries if name not in module.functions):
            message = (
                f"the option entries of the pass {self.title()} contains '{wrong}', but the module "
                "has no such function"
            )
            help_ = f"name functions of the module: {', '.join(module.functions) or 'it has none'}"
            raise UsageError(ErrorCode.U321, message, help=help_)
        graph = CallGraph(module)
        kept = {*self.entries, *(name for entry in self.entries for name in graph.reachable(entry))}
        return module.with_functions({n: f for n, f in module.functions.items() if n in kept})

"""The pass that partitions a module for one installed external compiler."""

from relay.ir.module import Module
from relay.support.node import value
from relay.transform.compilers.external_compiler import compiler_named
from relay.transform.compilers.merge_compiler_regions import MergeCompilerRegions
from relay.transform.compilers.merge_composite import MergeComposite
from relay.transform.compilers.outline_supported_calls import AnnotateTarget
from relay.transform.compilers.partition_graph import PartitionGraph
from relay.transform.pipeline import Pass
from relay.transform.run_passes import run_passes


@value
class PartitionFor(Pass):
    """Move all operators that an installed external compiler supports into functions for it.

    1. Matches of its patterns become composite functions (`MergeComposite`).
    2. Calls of these functions, and of the compiler's operators, become regions (`AnnotateTarget`),
       which are merged (`MergeCompilerRegions`) and moved into global functions (`PartitionGraph`),
       whose names contain `mod_name`.

    Raises `C162` for a compiler that no installed package provides.
    """

    compiler: str
    mod_name: str = "default"

    def transform(self, module: Module) -> Module:
        """Return the module after the four partitioning passes."""
        passes: list[Pass] = [
            MergeComposite(compiler_named(self.compiler).patterns),
            AnnotateTarget((self.compiler,)),
            MergeCompilerRegions(),
            PartitionGraph(self.mod_name),
        ]
        return run_passes(module, passes)[0]

"""The classes of TVM's passes, which infer types and consult the current `PassContext`."""

from typing import ClassVar

from relay.ir.expr import Function
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.semantics.infer import infer
from relay.support.dtype import DType
from relay.support.node import replace, value
from relay.text.parser import parse_module
from relay.transform.fuse_operators import FuseOperators
from relay.transform.kernel_constants import link_constants
from relay.transform.layouts.desired_layouts import DesiredLayouts, LayoutConfig
from relay.transform.pass_context import PassContext
from relay.transform.pass_contract import TYPED, Contract, Properties, Rounding, in_order
from relay.transform.pass_options import KEEP_RESULT, LINK_CONSTANTS
from relay.transform.pipeline import Pass, is_optimizable
from relay.transform.run_passes import run_passes
from relay.transform.to_mixed_precision import ToMixedPrecision
from relay.transform.tvm_kernels import with_tvm_kernels
from relay.transform.unstated_precision import report_unstated_precision
from relay.transform.user_passes import ClassicPass


@value
class Typed(ClassicPass):
    """A pass that infers types and then runs the passes that are equivalent to one pass of TVM."""

    passes: tuple[Pass, ...]

    def contract(self) -> Contract:
        """Return the contract of the passes, which run on a typed module."""
        whole = in_order(self.name, (each.contract() for each in self.passes))
        return replace(whole, requires=whole.requires - TYPED, ensures=whole.ensures | TYPED)

    def transform(self, module: Module) -> Module:
        """Run the passes in order; functions then have result types, as in TVM."""
        done, *_ = run_passes(infer(module), self.passes)
        return done.with_functions({name: _with_result(f) for name, f in done.functions.items()})


def _with_result(function: Function) -> Function:
    if function.result is not None or not isinstance(function.ty, FuncType):
        return function
    return replace(function, result=function.ty.result)


@value
class FuseOps(ClassicPass):
    """A pass that fuses operators into kernels, which have the form that they have in TVM.

    The `PassContext` may limit their size, and make constants parts of kernels. At the level 0 of
    `fuse_opt_level`, each operator is a kernel; the level -1 is that of the context.
    """

    ensures: ClassVar[Properties] = TYPED | FuseOperators.ensures

    fuse: FuseOperators
    fuse_opt_level: int = -1

    def transform(self, module: Module) -> Module:
        """Return the module with inferred types and operators fused within the size limit."""
        context, limit = PassContext.current(), self.fuse.limit
        level = self.fuse_opt_level if self.fuse_opt_level >= 0 else context.opt_level
        most = min(context.largest_kernel or limit, limit) if level else 1
        fused = replace(self.fuse, limit=most)(infer(module))
        links = bool(context.config.get(LINK_CONSTANTS))
        return fused.with_functions(
            {name: _completed(each, links) for name, each in fused.functions.items()}
        )


def _completed(function: Function, links: bool) -> Function:
    """Return a fused function with TVM's kernels; with `links`, constants are part of kernels."""
    if not is_optimizable(function):
        return function
    completed = with_tvm_kernels(function)
    return link_constants(completed) if links else completed


@value
class MixedPrecision(ClassicPass):
    """A pass that computes in narrow floats.

    Results are narrow unless the `PassContext` keeps them.
    """

    dtype: DType
    missing_op_mode: int = 1

    @property
    def rounding(self) -> Rounding:
        """Return the narrow type, and whether results may have it."""
        return self._current().rounding

    def transform(self, module: Module) -> Module:
        """Return the module with inferred types, in mixed precision."""
        typed = infer(module)
        report_unstated_precision(typed, self.missing_op_mode)
        return self._current()(typed)

    def _current(self) -> ToMixedPrecision:
        return ToMixedPrecision(self.dtype, bool(PassContext.current().config.get(KEEP_RESULT)))


@value
class ConvertLayouts(ClassicPass):
    """A pass that converts layouts, except for the layers that the current `LayoutConfig` skips."""

    desired: DesiredLayouts

    def transform(self, module: Module) -> Module:
        """Return the module with inferred types and converted layouts."""
        skipped = LayoutConfig.current().skip_layers
        return replace(self.desired, skipped=skipped)(infer(module))


@value
class AnnotateSpans(ClassicPass):
    """A pass that sets the span of each expression to its position in the printed module."""

    def transform(self, module: Module) -> Module:
        """Print the module, and parse it again."""
        return infer(parse_module(infer(module).astext(), "GeneratedSource"))

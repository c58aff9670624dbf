"""The passes of a compilation, in order, with a reason wherever the order matters."""

from collections.abc import Callable

from relay.build.uncalled_debug_functions import warn_of_debug_functions
from relay.ir.module import Module
from relay.ops.nn.pad import Pad
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import replace
from relay.support.progress_callback import Progress, silent
from relay.targets.target import Target
from relay.transform.batching.batch_regions import BatchRegions
from relay.transform.batching.indirect_operands import ReadApart
from relay.transform.batching.pass_row_indices import PassRows
from relay.transform.batching.specialize_for_table_rows import BehindRows
from relay.transform.compilers.call_external import CallExternal
from relay.transform.compilers.call_references import CallReferences
from relay.transform.compilers.resolve_compilers import ResolveCompilers
from relay.transform.devices.outline_devices import OutlineDevices
from relay.transform.devices.plan_devices import PlanDevices
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.duplicate_gathers import DuplicateGathers
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.erase_derivatives import EraseDerivatives
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.inline import Inline
from relay.transform.insert_shape_checks import InsertShapeChecks
from relay.transform.kernel_constants import PassKernelConstants
from relay.transform.legalize_quantised import LegalizeQuantised
from relay.transform.loops.drop_invariant_parameters import DropInvariantParameters
from relay.transform.loops.hoist_from_recursion import HoistFromRecursion
from relay.transform.loops.hoist_invariants import HoistFromLoops
from relay.transform.loops.peel_first_step import PeelFirstSteps
from relay.transform.loops.split_products import SplitProducts
from relay.transform.loops.unroll import UnrollLoops
from relay.transform.lower_complex import LowerComplex
from relay.transform.monomorphize import Monomorphize
from relay.transform.monomorphize_dims import MonomorphizeDims
from relay.transform.multiply_quantised import MultiplyQuantised
from relay.transform.open_existential_dims import OpenExistentialDims
from relay.transform.parse_passes import is_only_defined, passes_of, require_names
from relay.transform.pass_context import HIGHEST, PassContext, titles
from relay.transform.pipeline import Pass, kebab
from relay.transform.plugin_passes import plugin_name
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.run_passes import PassRecord, run_passes
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.simplify.fold_gathers import FoldGathers
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.matmul_to_dense import MatmulToDense
from relay.transform.simplify.matrix_vector_to_vector_matrix import MatrixVectorToVectorMatrix
from relay.transform.simplify.promote_half_precision import PromoteHalfPrecision
from relay.transform.simplify.reassociate_constants import ReassociateConstants
from relay.transform.simplify.recognize_layer_norm import RecognizeLayerNorm
from relay.transform.simplify.scatter_to_concat import ScatterToConcat
from relay.transform.simplify.sink_gathers import SinkGathers
from relay.transform.simplify.sink_reshapes import SinkReshapes
from relay.transform.simplify.split_max_pool_by_axis import SplitMaxPoolByAxis
from relay.transform.simplify.split_to_slice import SplitToSlice
from relay.transform.simplify_inference import SimplifyInference
from relay.transform.specialize_for_weights import SpecializeForWeights
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.undo_fusion import OpenKernelValues

BATCH: tuple[tuple[int, Pass], ...] = (
    (0, ToGraphForm()),
    (0, FoldConstants()),
    (0, UnrollLoops()),  # loops with static trip counts leave no calls between operators
    (0, ToGraphForm()),
    (0, FoldConstants(made=True)),  # initial states become constants that many calls share
    (0, SimplifyInference()),  # fewer operators, so that more have a batched version
    (2, MatmulToDense()),
    (2, FoldGathers()),
    (2, SinkReshapes()),
    (2, SinkGathers()),  # rows of tables become explicit …
    (2, PassRows()),  # … and their indices are passed instead, which need no flush
    (0, EliminateCommonSubexpressions()),
    (0, ToANormalForm()),  # scopes become explicit
    (0, BatchRegions()),  # before fusion: the batched versions are optimised on their own
    (2, BehindRows()),  # … and so are the versions for rows of tables
)
"""The passes that defer and batch calls, with the levels at which they run."""

DATAFLOW: tuple[tuple[int, Pass], ...] = (
    (1, DropDeadLets()),  # unused calls: dataflow drops all other unused values
    (0, ToGraphForm()),  # first: the other passes match dataflow, not names
    (2, DropInvariantParameters()),  # operands of loops become constants and invariants
    (2, MultiplyQuantised()),  # before constant weights are dequantised
    (0, FoldConstants()),  # shapes become static, so that later passes see static operators
)
"""The passes that turn a monomorphic function into dataflow of static shapes, with their levels."""

HOISTS: tuple[type[Pass], ...] = (Inline, HoistFromRecursion, ReadApart)
"""Optional passes of `pipeline` that are not in a table."""

MOVES = (LayoutTransform, Pad, Reshape, StridedSlice)
"""The operators that convert tensors to and from the layouts of a device; they run on the host."""


def device_pipeline(target: Target) -> list[Pass]:
    """Return the passes that optimise a part of a program for a device."""
    return [
        target.layouts,
        FoldConstants(),  # packs the weights
        *(each for _, each in target.rewrites),
        EliminateCommonSubexpressions(),
        FuseOperators(target.accepts, apart=MOVES),
        *(each for _, each in target.passes),
    ]


def pipeline(
    target: Target, context: PassContext | None = None, *, batch: bool = False
) -> list[Pass]:
    """Return all passes of a compilation; the first ones make every function monomorphic.

    Raises `U320` for a context that disables a pass that does not exist.
    """
    chosen = context or PassContext.current()
    require_names(chosen.disabled_pass)
    # Batches compute shared values once, and find tables at their uses.
    hoists = not batch and chosen.runs(HoistFromRecursion(), 2)
    hoist = [HoistFromRecursion()] if hoists else []
    inline = [Inline()] if chosen.runs(Inline(), 1) else []
    waiting = [each for level, each in BATCH if batch and chosen.runs(each, level)]
    known = [
        RemoveUnusedFunctions(),  # most of an imported library
        LowerComplex(),  # all later passes see real tensors only
        EraseDerivatives(),  # before functions are specialised and inlined
        ResolveCompilers(),  # later passes must not look into regions …
        OpenKernelValues(),  # … but into all other functions
        PassKernelConstants(),  # of kernels that the program has already
        PlanDevices(),
        InsertShapeChecks(),
        Monomorphize(),
        MonomorphizeDims(),
        SpecializeForWeights(),  # before remaining products are hoisted out of recursive functions
    ]
    # Kernels are final here: ReadApart needs to know all kernels that read a parameter.
    apart = [ReadApart()] if batch and chosen.runs(ReadApart(), 2) else []
    external = [CallExternal()]  # … which become kernels once all others are final
    return [*known, *hoist, *inline, *waiting, *optimize(target, context), *apart, *external]


def optimize(target: Target, context: PassContext | None = None) -> list[Pass]:
    """Return the passes that convert a typed, monomorphic module to fused kernels.

    Each pass has the lowest level at which it runs. Passes of level 0 are always needed: they
    replace operators that have no kernel, or make sizes static by constant folding. Passes that
    the context requires and that no compilation runs by itself come before the program is
    simplified, except those that users have defined, which only a `Sequential` runs. Raises `U320`
    if there is no such pass.
    """
    chosen = context or PassContext.current()
    rest = _to_kernels(target, chosen)
    usual = {each.title() for _, each in (*DATAFLOW, *BATCH, *rest)}
    usual |= {each.title() for each in HOISTS}
    usual |= titles(chosen.disabled_pass)
    others = [name for name in chosen.required_pass if kebab(name) not in usual]
    disabled = {plugin_name(name) for name in chosen.disabled_pass} if others else set[str]()
    found = {each for name in others if not is_only_defined(name) for each in passes_of(name)}
    required = [(0, each) for each in found if each.title() not in disabled]
    steps = (*DATAFLOW, *sorted(required, key=lambda step: step[1].info.name), *rest)
    return [each for level, each in steps if chosen.runs(each, level)]


def _to_kernels(target: Target, chosen: PassContext) -> list[tuple[int, Pass]]:
    """Return the passes that simplify dataflow and make kernels of it, with their levels."""
    fuses = chosen.runs(FuseOperators(), 1)  # otherwise, each operator has a kernel of its own
    fused = FuseOperators(target.accepts) if fuses else FuseOperators(limit=1)
    fused = replace(fused, limit=min(chosen.largest_kernel or fused.limit, fused.limit))
    return [
        (2, MatmulToDense()),  # all layers get the one form that later passes match
        (2, SplitProducts()),  # recurrent layers multiply input and state separately …
        (2, FoldGathers()),  # … and products of embeddings fold into their tables
        (2, HoistFromLoops()),  # before loops are unrolled
        (2, UnrollLoops()),  # … if their trip count is static; they become dataflow
        (2, PeelFirstSteps()),  # of loops with a dynamic trip count
        (2, ToGraphForm()),  # lets of inlined calls are pure now
        (2, ScatterToConcat()),  # elements that the steps wrote or …
        (2, FlattenConcatenate()),  # … appended one by one are concatenated once
        (2, SplitToSlice()),  # … and parts of split tensors are read in place
        (2, LegalizeQuantised(target.products)),  # before quantised products are decomposed
        (0, SimplifyInference()),  # batch normalisation becomes a scale and a shift …
        (2, FoldConstants()),  # … by constants …
        (2, MatrixVectorToVectorMatrix()),  # between reshapes …
        (2, SinkReshapes()),  # … operators on both sides of a reshape become adjacent …
        (2, RecognizeLayerNorm()),  # … and this matches, before its constants move
        (2, ReassociateConstants()),  # … that combine with those of a bias …
        (2, SinkGathers()),  # … or a table …
        (2, FoldScale()),  # … and are folded into the weights
        (2, FoldGathers()),  # after arithmetic between a table and a product moved
        (2, PromoteHalfPrecision()),  # after tables and weights are final
        (2, SplitMaxPoolByAxis()),  # before each pooling has a layout
        (3, EliminateCommonSubexpressions()),
        (0, OutlineDevices()),  # parts on devices have their own layouts and kernels
        (3, target.layouts),  # after scales are folded: weights are constants again
        (3, FoldConstants()),  # packs the weights
        *target.rewrites,  # of operators in their final layouts, with packed weights
        (3, EliminateCommonSubexpressions()),  # a value is converted once for two readers
        (2, DuplicateGathers()),  # after equal gathers were merged
        (0, OpenExistentialDims()),  # fused functions then have sizes that kernels can take
        (0, CallReferences()),  # operators without a formula become external functions
        (0, fused),  # later passes treat kernels as opaque …
        *target.passes,  # … except those of the target
    ]


def run_pipeline(
    module: Module,
    target: Target,
    context: PassContext | None = None,
    *,
    batch: bool = False,
    progress: Progress = silent,
) -> tuple[Module, list[PassRecord]]:
    """Run all passes of a compilation; return the module after them, and a record of each.

    Instruments may skip those that run at levels above 0 only.
    """
    warn_of_debug_functions(module)
    passes = pipeline(target, context, batch=batch)
    may_skip = skippable(target, batch=batch)
    return run_passes(module, passes, progress=progress, may_skip=may_skip)


def skippable(target: Target, *, batch: bool = False) -> Callable[[Pass], bool]:
    """Return whether instruments may skip a pass of a compilation, as a function."""
    steps = (*DATAFLOW, *(BATCH if batch else ()), *_to_kernels(target, PassContext.current()))
    needed = {type(each) for level, each in steps if level == 0}
    optional = {type(each) for _, each in steps} - needed | {*HOISTS}
    return lambda each: each.is_optional or type(each) in optional


def named_pipelines(target: Target) -> dict[str, list[Pass]]:
    """Return a map from the names `O0` to `O3` to the passes of each optimisation level."""
    levels = range(HIGHEST + 1)
    return {f"O{level}": pipeline(target, PassContext(level)) for level in levels}

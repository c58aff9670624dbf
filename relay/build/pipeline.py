"""The passes of a compilation, in order, with the reason wherever the order matters."""

from relay.ops.nn.pad import Pad
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import replace
from relay.targets.target import Target
from relay.transform.batching.batch_regions import BatchRegions
from relay.transform.batching.indirect_operands import ReadApart
from relay.transform.batching.pass_row_indices import PassRows
from relay.transform.batching.specialize_for_rows import BehindRows
from relay.transform.bind_weights import BindWeights
from relay.transform.compilers.check_compilers import CheckCompilers
from relay.transform.context import PassContext
from relay.transform.convert_layout import ConvertLayout
from relay.transform.devices.outline_devices import OutlineDevices
from relay.transform.devices.plan_devices import PlanDevices
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.duplicate_gathers import DuplicateGathers
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.inline import Inline
from relay.transform.insert_shape_checks import InsertShapeChecks
from relay.transform.loops.hoist import HoistFromLoops
from relay.transform.loops.peel import PeelFirstSteps
from relay.transform.loops.split_products import SplitProducts
from relay.transform.loops.unroll import UnrollLoops
from relay.transform.lower_data_dependent_dims import LowerDataDependentDims
from relay.transform.monomorphize import Monomorphize
from relay.transform.monomorphize_dims import MonomorphizeDims
from relay.transform.open_existential_dims import OpenExistentialDims
from relay.transform.pipeline import Pass
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.simplify.fold_gathers import FoldGathers
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.matmul_to_dense import MatmulToDense
from relay.transform.simplify.reassociate_constants import ReassociateConstants
from relay.transform.simplify.recognize_layer_norm import RecognizeLayerNorm
from relay.transform.simplify.scatter_to_concat import ScatterToConcat
from relay.transform.simplify.sink_gathers import SinkGathers
from relay.transform.simplify.sink_reshapes import SinkReshapes
from relay.transform.simplify.split_to_slice import SplitToSlice
from relay.transform.simplify.widen_products import WidenProducts
from relay.transform.simplify_inference import SimplifyInference
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm

BATCH: tuple[tuple[int, Pass], ...] = (
    (0, ToGraphForm()),
    (0, FoldConstants()),
    (0, UnrollLoops()),  # loops whose steps are known leave no calls between operators
    (0, ToGraphForm()),
    (0, FoldConstants(made=True)),  # where states begin, many calls have one and the same tensor
    (0, SimplifyInference()),  # fewer operators, so that more have a form over many values
    (2, MatmulToDense()),
    (2, FoldGathers()),
    (2, SinkReshapes()),
    (2, SinkGathers()),  # what is a row of a table is known to be one …
    (2, PassRows()),  # … and its number is as good, and need not wait
    (0, EliminateCommonSubexpressions()),
    (0, ToANormalForm()),  # scopes become visible
    (0, BatchRegions()),  # before anything is fused: the batched forms are optimised on their own
    (2, BehindRows()),  # … and so are those of calls that are given what depends on a number alone
)
"""The passes that let calls wait for one another, with levels: for functions of known types."""


MOVES = (LayoutTransform, Pad, Reshape, StridedSlice)
"""The operators that bring tensors into the layouts of a device, and back, on the host."""


def device_pipeline(target: Target) -> list[Pass]:
    """Return the passes that turn a part of a program into kernels of the device that runs it."""
    return [
        ConvertLayout(target.layouts),
        FoldConstants(),  # packs the weights
        EliminateCommonSubexpressions(),
        FuseOperators(target.accepts, apart=MOVES),
        *(each for _, each in target.passes),
    ]


def pipeline(
    target: Target, context: PassContext | None = None, *, batch: bool = False
) -> list[Pass]:
    """Return all passes of a compilation: every function first becomes one of known types."""
    chosen = context or PassContext.current()
    inline = [Inline()] if chosen.runs(Inline(), 1) else []
    waiting = [each for level, each in BATCH if batch and chosen.runs(each, level)]
    known = [
        CheckCompilers(),
        PlanDevices(),
        InsertShapeChecks(),
        Monomorphize(),
        MonomorphizeDims(),
        BindWeights(),
    ]
    apart = [ReadApart()] if batch and chosen.runs(ReadApart(), 2) else []  # kernels know who reads
    return [*known, *inline, *waiting, *optimize(target, context), *apart]


def optimize(target: Target, context: PassContext | None = None) -> list[Pass]:
    """Return the passes that turn a typed, static module into one of fused kernels.

    Each stands with the level from which on it runs. At 0 it is needed: operators that have no
    kernel become others, or know their sizes once constants are folded.
    """
    chosen = context or PassContext.current()
    fused = FuseOperators(target.accepts) if chosen.opt_level else FuseOperators(limit=1)
    fused = replace(fused, limit=min(chosen.largest_kernel or fused.limit, fused.limit))
    steps: list[tuple[int, Pass]] = [
        (1, DropDeadLets()),  # calls that nobody needs: dataflow has only those that stay
        (0, ToGraphForm()),  # first: all others look for dataflow, not for names
        (0, FoldConstants()),  # shapes become known, so that what follows sees static operators
        (2, MatmulToDense()),  # all layers have the one form that those below look for
        (2, SplitProducts()),  # of which a recurrent one reads what it joined …
        (2, FoldGathers()),  # … and there is none behind an embedding
        (2, HoistFromLoops()),  # while loops are loops
        (2, UnrollLoops()),  # … whose number of steps is known; they become dataflow like all else
        (2, PeelFirstSteps()),  # of those whose number of steps is open
        (2, ToGraphForm()),  # a let whose call was written out is pure now
        (2, ScatterToConcat()),  # what the steps wrote or …
        (2, FlattenConcatenate()),  # … collected one by one is joined at once
        (2, SplitToSlice()),  # … and what is taken apart is read in place
        (0, SimplifyInference()),  # batch normalisation becomes a scale and a shift …
        (2, FoldConstants()),  # … by constants …
        (2, SinkReshapes()),  # what stood on both sides of a reshape comes together …
        (2, RecognizeLayerNorm()),  # … and this, before its constants are moved
        (2, ReassociateConstants()),  # … that meet those of a bias …
        (2, SinkGathers()),  # … or a table …
        (2, FoldScale()),  # … and end in the weights
        (2, FoldGathers()),  # where arithmetic stood between a table and a product
        (2, WidenProducts()),  # once these are in place
        (3, EliminateCommonSubexpressions()),
        (0, OutlineDevices()),  # parts on devices have layouts and kernels of their own
        (3, ConvertLayout(target.layouts)),  # after scales are in the weights: constants again
        (3, FoldConstants()),  # packs the weights
        (3, EliminateCommonSubexpressions()),  # a value converted for two readers is so once
        (0, LowerDataDependentDims()),  # where no constant told a size
        (2, DuplicateGathers()),  # after equal rows became one
        (0, OpenExistentialDims()),  # what is fused then has sizes that a kernel can be told …
        (0, SimplifyInference()),  # … and what had to wait for them can say them
        (0, fused),  # nothing looks into a kernel any more …
        *target.passes,  # … but the machine that runs it
    ]
    return [each for level, each in steps if chosen.runs(each, level)]

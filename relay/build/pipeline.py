"""The passes of a compilation, in order, with the reason wherever the order matters."""

from relay.targets.target import Target
from relay.transform.convert_layout import ConvertLayout
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.loops.hoist import HoistFromLoops
from relay.transform.loops.unroll import UnrollLoops
from relay.transform.pipeline import Pass
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.gather_constants import GatherConstants
from relay.transform.simplify.recognize_layer_norm import RecognizeLayerNorm
from relay.transform.simplify.sink_reshapes import SinkReshapes
from relay.transform.simplify.slice_splits import SliceSplits
from relay.transform.simplify.turn_weights import TurnWeights
from relay.transform.simplify_inference import SimplifyInference
from relay.transform.to_graph_form import ToGraphForm


def optimize(target: Target) -> list[Pass]:
    """Return the passes that turn a typed, static module into one of fused kernels."""
    return [
        ToGraphForm(),  # first: all others look for dataflow, not for names
        FoldConstants(),  # shapes become known, so that what follows sees static operators
        TurnWeights(),  # all layers have the one form that those below look for
        HoistFromLoops(),  # while loops are loops
        UnrollLoops(),  # … whose number of steps is known; they become dataflow like all else
        ToGraphForm(),  # a let whose call was written out is pure now
        FlattenConcatenate(),  # what the steps collected one by one is joined at once
        SliceSplits(),  # … and what is taken apart is read in place
        SimplifyInference(),  # batch normalisation becomes a scale and a shift …
        FoldConstants(),  # … by constants …
        SinkReshapes(),  # what stood on both sides of a reshape comes together …
        RecognizeLayerNorm(),  # … and this, before its constants are moved
        GatherConstants(),  # … that meet those of a bias …
        FoldScale(),  # … and end in the weights
        EliminateCommonSubexpressions(),
        ConvertLayout(target.prefer),  # after scales are in the weights: those are constants again
        FoldConstants(),  # packs the weights
        EliminateCommonSubexpressions(),  # a value converted for two readers is converted once
        FuseOperators(target.accepts),  # last: nothing looks into a kernel
    ]

"""TVM's passes under their TVM names: `relay.transform.FoldConstant()(module)`.

Each name is a function that takes TVM's arguments and returns a pass. Such a pass infers types
before it runs.
"""

from collections.abc import Callable, Mapping

from relay.ir.expr import Expr, Function
from relay.ir.types import Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.transform import tvm_expression_functions
from relay.transform import tvm_pass_constructors as constructors
from relay.transform.canonicalize.canonicalize_casts import CanonicalizeCasts
from relay.transform.canonicalize.canonicalize_ops import CanonicalizeOps
from relay.transform.canonicalize.div_to_mul import DivToMul
from relay.transform.canonicalize.flatten_atrous_conv import FlattenAtrousConv
from relay.transform.canonicalize.fold_explicit_padding import FoldExplicitPadding
from relay.transform.checkpoints.choose_checkpoints import ChooseCheckpoints
from relay.transform.combine.batch_matmul import CombineParallelBatchMatmul
from relay.transform.combine.conv2d import CombineParallelConv2D
from relay.transform.combine.dense import CombineParallelDense
from relay.transform.compilers.merge_compiler_regions import MergeCompilerRegions
from relay.transform.fold_constants import FoldConstants
from relay.transform.forms import tvm_form_functions
from relay.transform.forms.lambda_lift import LambdaLift
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.inline import Inline
from relay.transform.instruments import (
    PassCheckInstrument,
    PassDumpInstrument,
    PassInstrument,
    PassPrintingInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    pass_instrument,
)
from relay.transform.layouts.alter_layouts import AlterLayouts
from relay.transform.layouts.desired_layouts import LayoutConfig
from relay.transform.lazy_gradient_init import LazyGradientInit
from relay.transform.pass_context import PassContext
from relay.transform.pipeline import FunctionPass, Pass
from relay.transform.print_ir import PrintIR
from relay.transform.simplify.distribute_and_factor import DistributeAndFactor
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.fold_scale_forward import FoldScaleForward
from relay.transform.simplify.reassociate_constants import ReassociateConstants
from relay.transform.simplify.scatter_to_concat import ScatterToConcat
from relay.transform.simplify.simplify_expressions import SimplifyExpressions
from relay.transform.simplify.sink_reshapes import SinkReshapes
from relay.transform.simplify.split_to_slice import SplitToSlice
from relay.transform.simplify_inference import SimplifyInference
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.tvm_pass_constructors import without_options
from relay.transform.undo_fusion import Defuse
from relay.transform.use_fast_math import UseFastMath
from relay.transform.user_passes import ClassicPass, Sequential, function_pass, module_pass

_SHORTER: tuple[Pass, ...] = (
    SimplifyExpressions(),
    ReassociateConstants(),
    ScatterToConcat(),
    FlattenConcatenate(),
    SplitToSlice(),
    SinkReshapes(),
)

_BACKWARD, _FORWARD = FoldScale(parameters=True), FoldScaleForward(parameters=True)

_CONSTRUCTORS: Mapping[str, Callable[..., Pass | Function]] = {
    "AlterOpLayout": without_options("AlterOpLayout", 3, AlterLayouts()),
    "AnnotateSpans": constructors.annotate_spans,
    "AnnotateTarget": constructors.annotate_target,
    "BackwardFoldScaleAxis": without_options("BackwardFoldScaleAxis", 3, _BACKWARD),
    "BatchingOps": without_options(
        "BatchingOps",
        4,
        CombineParallelConv2D(),
        CombineParallelDense(),
        CombineParallelBatchMatmul(),
    ),
    "CanonicalizeCast": without_options("CanonicalizeCast", 3, CanonicalizeCasts()),
    "CanonicalizeOps": without_options("CanonicalizeOps", 3, CanonicalizeOps()),
    "ChangeBatch": constructors.change_batch,
    "ChooseCheckpoints": ChooseCheckpoints,
    "CombineParallelBatchMatmul": constructors.combine_parallel_batch_matmul,
    "CombineParallelConv2D": constructors.combine_parallel_conv2d,
    "CombineParallelDense": constructors.combine_parallel_dense,
    "ConvertLayout": constructors.convert_layout,
    "DeadCodeElimination": constructors.dead_code_elimination,
    "Defunctionalization": constructors.defunctionalization,
    "DefuseOps": without_options("DefuseOps", 3, Defuse()),
    "DivToMul": without_options("DivToMul", 0, DivToMul()),
    "DynamicToStatic": without_options("DynamicToStatic", 2, FoldConstants()),
    "EliminateCommonSubexpr": constructors.eliminate_common_subexpr,
    "EtaExpand": constructors.eta_expand,
    "FastMath": without_options("FastMath", 4, UseFastMath()),
    "FlattenAtrousConv": without_options("FlattenAtrousConv", 0, FlattenAtrousConv()),
    "FirstOrderGradient": constructors.first_order_gradient,
    "FoldConstant": constructors.fold_constant,
    "FoldExplicitPadding": without_options("FoldExplicitPadding", 0, FoldExplicitPadding()),
    "FoldScaleAxis": without_options("FoldScaleAxis", 3, _BACKWARD, _FORWARD, FoldConstants()),
    "ForwardFoldScaleAxis": without_options("ForwardFoldScaleAxis", 3, _FORWARD),
    "FuseOps": constructors.fuse_ops,
    "InferType": constructors.infer_type,
    "Inline": without_options("Inline", 1, Inline(only_marked=True)),
    "PartialEvaluate": constructors.partial_evaluate,
    "LambdaLift": without_options("LambdaLift", 1, LambdaLift()),
    "LazyGradientInit": without_options("LazyGradientInit", 2, LazyGradientInit()),
    "Legalize": constructors.legalize,
    "MergeCompilerRegions": without_options("MergeCompilerRegions", 0, MergeCompilerRegions()),
    "MergeComposite": constructors.merge_composite,
    "PartitionGraph": constructors.partition_graph,
    "PlanDevices": constructors.plan_devices,
    "RemoveUnusedFunctions": constructors.remove_unused_functions,
    "SimplifyExpr": without_options(
        "SimplifyExpr", 0, DistributeAndFactor(), *_SHORTER, SimplifyExpressions()
    ),
    "SimplifyInference": without_options(
        "SimplifyInference", 0, SimplifyInference(normalisations=True)
    ),
    "SplitArgs": constructors.split_args,
    "ToANormalForm": without_options("ToANormalForm", 1, ToANormalForm()),
    "ToBasicBlockNormalForm": without_options("ToBasicBlockNormalForm", 1, ToBasicBlockForm()),
    "ToCPS": constructors.to_cps,
    "ToMixedPrecision": constructors.to_mixed_precision,
    "ToGraphNormalForm": without_options("ToGraphNormalForm", 1, ToGraphForm()),
}

PASSES: Mapping[str, Callable[..., Pass | Function]] = {
    name: make if isinstance(make, type) else constructors.made_first(name, make)
    for name, make in _CONSTRUCTORS.items()
}
"""The constructors of passes by classic name."""

_COMPILERS = "relay.compile(model, compilers=[…]) chooses regions for external compilers itself"
_SCHEDULES = "relay.compile chooses schedules and layouts together"
_SPARSE = "there are no operators on sparse weights"

ABSENT: Mapping[str, str] = {
    "AnnotateMemoryScope": "there are no texture memories",
    "AutoSchedulerLayoutRewrite": _SCHEDULES,
    "CapturePostDfsIndexInSpans": "AnnotateSpans adds a source location to each expression",
    "CollagePartition": _COMPILERS,
    "Conv2dToSparse": _SPARSE,
    "Conv2dToSparse2": _SPARSE,
    "DenseToSparse": _SPARSE,
    "ExtractFusedFunctions": "use FuseOps: its kernels are functions with the attribute Primitive",
    "FakeQuantizationToInteger": (
        "omit it: relay.compile multiplies quantised numbers as integers itself"
    ),
    "PassInfo": "decorate a function: relay.transform.function_pass(opt_level=1, name='MyPass')",
    "FlexibleShapeDispatch": "relay.compile accepts symbolic sizes: use relay.DimVar",
    "InlineCompilerFunctionsBoundTo": _COMPILERS,
    "LabelOps": "use relay.structural_hash",
    "ManifestLifetimes": "Relay frees values by reference counting, without this pass",
    "MarkCompilerFunctionsAsExtern": _COMPILERS,
    "MetaScheduleLayoutRewrite": _SCHEDULES,
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": _COMPILERS,
    "SimplifyFCTranspose": "relay.compile packs the weights of dense layers by itself",
    "memory_plan": "relay.compile plans memory by itself",
    "recast": "use ToMixedPrecision",
    "tag_suffixes": "the printer makes names unique by itself",
}
"""Classic names without a pass here, with the advice given to users."""


FUNCTIONS: Mapping[str, Callable[..., Expr | Type]] = {
    "FoldConstantExpr": tvm_expression_functions.fold_constant_expr,
    "InferTypeLocal": tvm_expression_functions.infer_type_local,
    "ToANormalFormExpr": tvm_expression_functions.to_a_normal_form_expr,
    "gradient": constructors.gradient,
    "to_cps": tvm_form_functions.to_cps,
    "un_cps": tvm_form_functions.un_cps,
}
"""Classic functions that transform a single function or expression."""

_OTHERS: Mapping[str, object] = {
    **FUNCTIONS,
    "FunctionPass": FunctionPass,
    "LayoutConfig": LayoutConfig,
    "ModulePass": ClassicPass,
    "Pass": Pass,
    "PassContext": PassContext,
    "PassCheckInstrument": PassCheckInstrument,
    "PassDumpInstrument": PassDumpInstrument,
    "PassInstrument": PassInstrument,
    "PassPrintingInstrument": PassPrintingInstrument,
    "PassTimingInstrument": PassTimingInstrument,
    "PrintAfterAll": PrintAfterAll,
    "PrintBeforeAll": PrintBeforeAll,
    "PrintIR": PrintIR,
    "Sequential": Sequential,
    "build_config": PassContext,
    "function_pass": function_pass,
    "module_pass": module_pass,
    "pass_instrument": pass_instrument,
}

NAMES = sorted({*PASSES, *_OTHERS})
"""The classic names that `relay.transform` offers."""


def find(name: str) -> object:
    """Return the object of `relay.transform` with one of TVM's names; raises `AttributeError`.

    For a pass of TVM that does not exist here, the result raises `U072` when it is called.
    """
    if name in ABSENT:
        return _absent(name)
    if name not in NAMES:
        raise AttributeError(f"module 'relay.transform' has no attribute '{name}'")
    return _OTHERS.get(name) or PASSES[name]


def _absent(name: str) -> Callable[..., Pass]:
    def make(*_: object, **__: object) -> Pass:
        raise UsageError(ErrorCode.U072, f"there is no pass named {name}", help=ABSENT[name])

    make.__name__ = make.__qualname__ = name
    return make

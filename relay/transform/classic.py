"""The passes by their classic names: `relay.transform.FoldConstant()(module)`.

Each is a function that makes a pass, with the classic arguments. What such a pass is given is typed
first.
"""

from collections.abc import Callable, Mapping, Sequence

from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.support.errors import UsageError
from relay.support.node import value
from relay.transform.context import PassContext
from relay.transform.custom import ClassicPass, Sequential, function_pass, module_pass
from relay.transform.defuse import Defuse
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.fuse_operators import FuseOperators
from relay.transform.inline import Inline
from relay.transform.pipeline import Pass
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.simplify.flatten_concatenate import FlattenConcatenate
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.join_rows import JoinRows
from relay.transform.simplify.sink_reshapes import SinkReshapes
from relay.transform.simplify.slice_splits import SliceSplits
from relay.transform.simplify_inference import SimplifyInference
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm

_SCALES: tuple[Pass, ...] = (SimplifyInference(), FoldConstants(), FoldScale())


@value
class Typed(ClassicPass):
    """Infers types, and then runs what does what the classic pass of that name does."""

    passes: tuple[Pass, ...]

    def transform(self, module: Module) -> Module:
        """Run the passes in order."""
        module = infer(module)
        for each in self.passes:
            module = each(module)
        return module


def infer_type() -> Pass:
    """Find the types that were left out."""
    return Typed("InferType", 0, ())


def fold_constant(fold_qnn: bool = False) -> Pass:
    """Compute what depends on constants only."""
    del fold_qnn  # there are no quantised operators to leave alone
    return Typed("FoldConstant", 2, (FoldConstants(),))


def fuse_ops(fuse_opt_level: int = -1) -> Pass:
    """Gather operators into kernels; at level 0 each operator is one of its own."""
    fuse = FuseOperators() if fuse_opt_level else FuseOperators(limit=1)
    return Typed("FuseOps", 0, (fuse,))


def eliminate_common_subexpr(fskip: Callable[..., bool] | None = None) -> Pass:
    """Compute equal expressions once; raises `U072` where some are to be left out."""
    if fskip is not None:
        raise UsageError("U072", "EliminateCommonSubexpr leaves out nothing: fskip must be None")
    return Typed("EliminateCommonSubexpr", 3, (EliminateCommonSubexpressions(),))


def dead_code_elimination(inline_once: bool = False, ignore_impurity: bool = False) -> Pass:
    """Drop pure lets that nobody reads; with `inline_once`, put the others where they are read."""
    del ignore_impurity  # what has effects stays
    passes = (ToGraphForm(),) if inline_once else (DropDeadLets(),)
    return Typed("DeadCodeElimination", 1, passes)


def remove_unused_functions(entry_functions: Sequence[str] | None = None) -> Pass:
    """Drop the functions that the entries do not call."""
    entries = tuple(entry_functions or ("main",))
    return Typed("RemoveUnusedFunctions", 1, (RemoveUnusedFunctions(entries),))


def _plain(name: str, opt_level: int, *passes: Pass) -> Callable[[], Pass]:
    """Return the function that makes a pass without options."""

    def make() -> Pass:
        return Typed(name, opt_level, passes)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = passes[-1].__doc__
    return make


PASSES: Mapping[str, Callable[..., Pass]] = {
    "BackwardFoldScaleAxis": _plain("BackwardFoldScaleAxis", 3, *_SCALES),
    "DeadCodeElimination": dead_code_elimination,
    "DefuseOps": _plain("DefuseOps", 3, Defuse()),
    "DynamicToStatic": _plain("DynamicToStatic", 2, FoldConstants()),
    "EliminateCommonSubexpr": eliminate_common_subexpr,
    "FoldConstant": fold_constant,
    "FoldScaleAxis": _plain("FoldScaleAxis", 3, *_SCALES),
    "ForwardFoldScaleAxis": _plain("ForwardFoldScaleAxis", 3, *_SCALES),
    "FuseOps": fuse_ops,
    "InferType": infer_type,
    "Inline": _plain("Inline", 1, Inline()),
    "RemoveUnusedFunctions": remove_unused_functions,
    "SimplifyExpr": _plain(
        "SimplifyExpr", 0, JoinRows(), FlattenConcatenate(), SliceSplits(), SinkReshapes()
    ),
    "SimplifyInference": _plain("SimplifyInference", 0, SimplifyInference()),
    "ToANormalForm": _plain("ToANormalForm", 1, ToANormalForm()),
    "ToGraphNormalForm": _plain("ToGraphNormalForm", 1, ToGraphForm()),
}
"""What makes each pass."""

_COMPILES = "relay.compile does this for its target by itself"
_LEFT_OUT = "leave it out: programs compile without it"
ABSENT: Mapping[str, str] = {
    "AlterOpLayout": _COMPILES,
    "AnnotateSpans": "parse the text of the module: relay.parse(module.astext())",
    "AnnotateTarget": "there are no external compilers",
    "CanonicalizeCast": _LEFT_OUT,
    "CanonicalizeOps": _LEFT_OUT,
    "ChangeBatch": "compile with shapes=…, or leave the size open: relay.DimVar",
    "CombineParallelBatchMatmul": _LEFT_OUT,
    "CombineParallelConv2D": _LEFT_OUT,
    "CombineParallelDense": _LEFT_OUT,
    "ConvertLayout": _COMPILES,
    "Defunctionalization": "relay.compile takes functions as values",
    "DivToMul": _LEFT_OUT,
    "EtaExpand": "inference makes functions of operators that are used as values",
    "FakeQuantizationToInteger": "there are no quantised operators yet",
    "FastMath": "relay.compile(module, fast_math=True)",
    "FirstOrderGradient": "there is no differentiation of whole programs yet",
    "FlattenAtrousConv": _LEFT_OUT,
    "FlexibleShapeDispatch": "leave sizes open: relay.compile takes relay.DimVar",
    "FoldExplicitPadding": _LEFT_OUT,
    "LambdaLift": "relay.compile takes closures",
    "LazyGradientInit": "there is no differentiation of whole programs yet",
    "Legalize": _COMPILES,
    "MergeComposite": "there are no external compilers",
    "MergeCompilerRegions": "there are no external compilers",
    "PartialEvaluate": "relay.compile inlines, folds and unrolls",
    "PartitionGraph": "there are no external compilers",
    "PlanDevices": "there is one kind of device",
    "SplitArgs": _LEFT_OUT,
    "ToBasicBlockNormalForm": "ToANormalForm makes scopes visible, too",
    "ToCPS": "relay.compile takes recursive functions as they are",
    "ToMixedPrecision": "write the casts that you want: relay.cast",
    "gradient": "there is no differentiation of whole programs yet",
}
"""Classic names that have no pass here, and what to do instead."""


_OTHERS: Mapping[str, object] = {
    "PassContext": PassContext,
    "Sequential": Sequential,
    "build_config": PassContext,
    "function_pass": function_pass,
    "module_pass": module_pass,
}

NAMES = sorted({*PASSES, *_OTHERS})
"""What `relay.transform` offers."""


def find(name: str) -> object:
    """Return what a classic name stands for; raises `AttributeError` if it is none.

    What stands for a pass that is not there raises `U072` when it is called.
    """
    if name in ABSENT:
        return _absent(name)
    if name not in NAMES:
        raise AttributeError(f"module 'relay.transform' has no attribute '{name}'")
    return _OTHERS.get(name) or PASSES[name]


def _absent(name: str) -> Callable[..., Pass]:
    def make(*_: object, **__: object) -> Pass:
        raise UsageError("U072", f"there is no pass {name}", help=ABSENT[name])

    make.__name__ = make.__qualname__ = name
    return make

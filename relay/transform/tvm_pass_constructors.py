"""The constructors of TVM's passes, which take TVM's arguments."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from relay.ir.expr import Expr, Function, Var
from relay.ir.field_validation import require_mapping, require_name
from relay.ir.module import HasModule, Module, ModuleLike
from relay.opdef.user_rules import LEGALIZE
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.late_binding import module_above
from relay.support.misspelt_options import suggests_options
from relay.transform.canonicalize.split_args import SplitArgs
from relay.transform.change_batch_size import ChangeBatch
from relay.transform.combine.batch_matmul import CombineParallelBatchMatmul
from relay.transform.combine.conv2d import CombineParallelConv2D
from relay.transform.combine.dense import CombineParallelDense
from relay.transform.compilers.external_compiler import entries_of
from relay.transform.compilers.merge_composite import MergeComposite
from relay.transform.compilers.outline_supported_calls import AnnotateTarget
from relay.transform.compilers.partition_graph import PartitionGraph
from relay.transform.devices.plan_devices import PlanDevices
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.fold_constants import FoldConstants
from relay.transform.forms import tvm_form_functions
from relay.transform.forms.defunctionalize import Defunctionalize
from relay.transform.forms.eta_expand import EtaExpand
from relay.transform.forms.to_continuation_passing import ToContinuationPassing
from relay.transform.fuse_operators import FuseOperators
from relay.transform.layouts.desired_layouts import DesiredLayouts, names_of
from relay.transform.layouts.legalize import Legalize
from relay.transform.partial_evaluation.partial_evaluate import PartialEvaluate
from relay.transform.pipeline import Pass
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.to_mixed_precision import ToMixedPrecision
from relay.transform.tvm_pass_classes import (
    AnnotateSpans,
    ConvertLayouts,
    FuseOps,
    MixedPrecision,
    Typed,
)

_Make = TypeVar("_Make", bound=Callable[..., Pass | Function])

_EVALUATE = PartialEvaluate()
_FUSE = FuseOperators()


def made_first(name: str, make: _Make) -> _Make:
    """Return the constructor of a TVM pass, which raises `U321` if it is given the program."""

    @wraps(make)
    def checked(*args: Any, **options: Any) -> Any:
        if args and isinstance(args[0], ModuleLike):
            message = f"the constructor of the pass {name} takes options, not a program"
            help_ = f"make the pass, and call it with the program: relay.transform.{name}()(module)"
            raise UsageError(ErrorCode.U321, message, help=help_)
        return make(*args, **options)

    checked.__module__, checked.__qualname__ = "relay.transform", name  # where pickle looks for it
    return cast("_Make", checked)


@suggests_options
def infer_type() -> Pass:
    """Return a pass that infers the types that were left out."""
    return Typed("InferType", 0, ())


@suggests_options
def fold_constant(fold_qnn: bool = False) -> Pass:
    """Return a pass that folds the expressions that depend on constants only.

    Quantised operators are evaluated only with `fold_qnn`.
    """
    return Typed("FoldConstant", 2, (FoldConstants(quantised=fold_qnn),))


@suggests_options
def fuse_ops(fuse_opt_level: int = -1, limit: int = _FUSE.limit) -> Pass:
    """Return a pass that fuses operators into kernels, with the limit of our pass.

    At the level 0 of `fuse_opt_level`, each operator is a kernel; the level -1 is that of the
    current `PassContext`.
    """
    return FuseOps("FuseOps", 0, FuseOperators(limit=limit), fuse_opt_level)


@suggests_options
def eliminate_common_subexpr(fskip: Callable[[Expr], bool] | None = None) -> Pass:
    """Return a pass that computes equal expressions once, except those for which `fskip` is true.

    `fskip` is called with each call of an operator, and each projection of a tuple.
    """
    return Typed("EliminateCommonSubexpr", 3, (EliminateCommonSubexpressions(skips=fskip),))


@suggests_options
def dead_code_elimination(inline_once: bool = False, ignore_impurity: bool = False) -> Pass:
    """Return a pass that drops let bindings whose variables are unused.

    Lets with effects are kept unless `ignore_impurity` is set.

    With `inline_once`, the values of lets with one use are inlined.
    """
    drop = DropDeadLets(ignore_effects=ignore_impurity)
    return Typed("DeadCodeElimination", 1, (drop, ToGraphForm()) if inline_once else (drop,))


@suggests_options
def combine_parallel_batch_matmul(min_num_branches: int = 3) -> Pass:
    """Return a pass that combines products of one batch of matrices into one product."""
    passes = (CombineParallelBatchMatmul(min_num_branches),)
    return Typed("CombineParallelBatchMatmul", 4, passes)


@suggests_options
def combine_parallel_conv2d(min_num_branches: int = 3) -> Pass:
    """Return a pass that combines convolutions of one tensor into one convolution."""
    return Typed("CombineParallelConv2D", 4, (CombineParallelConv2D(min_num_branches),))


@suggests_options
def combine_parallel_dense(min_num_branches: int = 3, to_batch: bool = True) -> Pass:
    """Return a pass that combines dense layers on one tensor into one dense layer.

    With `to_batch`, they become one batched matrix product.
    """
    return Typed("CombineParallelDense", 4, (CombineParallelDense(min_num_branches, to_batch),))


@suggests_options
def convert_layout(desired_layouts: Mapping[str, Sequence[str]]) -> Pass:
    """Return a pass that converts operators to other layouts: `{"nn.conv2d": ["NHWC", "OHWI"]}`."""
    require_mapping("the layouts of ConvertLayout", desired_layouts)
    table = tuple((name, names_of(name, each)) for name, each in desired_layouts.items())
    return ConvertLayouts("ConvertLayout", 3, DesiredLayouts(table))


@suggests_options
def legalize(legalize_map_attr_name: str = LEGALIZE) -> Pass:
    """Return a pass that rewrites operator calls by the legalisation rules that users register."""
    return Typed("Legalize", 1, (Legalize(legalize_map_attr_name),))


@suggests_options
def annotate_target(targets: str | Sequence[str], include_non_call_ops: bool = True) -> Pass:
    """Return a pass that outlines the calls that other compilers support as regions.

    With `include_non_call_ops`, tuples of regions and fields of their results are regions, too.
    """
    listed: Sequence[object] = targets if isinstance(targets, list | tuple) else (targets,)
    for each in listed:
        require_name("a target of AnnotateTarget", each)
    names = cast("tuple[str, ...]", tuple(listed))
    return Typed("AnnotateTarget", 0, (AnnotateTarget(names, include_non_call_ops),))


@suggests_options
def merge_composite(pattern_table: Sequence[Sequence[Any]]) -> Pass:
    """Return a pass that outlines matches of patterns as functions.

    `pattern_table` has entries such as `("dnnl.dense_relu", pattern, check)`.
    """
    return Typed("MergeComposite", 0, (MergeComposite(entries_of(pattern_table)),))


@suggests_options
def partition_graph(mod_name: str = "default", bind_constants: bool = True) -> Pass:
    """Return a pass that moves the regions of other compilers into global functions."""
    return Typed("PartitionGraph", 0, (PartitionGraph(mod_name, bind_constants),))


@suggests_options
def plan_devices(config: object = None) -> Pass:
    """Return a pass that replaces `on_device` annotations by copies between devices.

    TVM's argument `config` lists the targets; here the annotations determine them. Expressions
    without annotations are on the host.
    """
    del config
    return Typed("PlanDevices", 0, (PlanDevices(),))


@suggests_options
def eta_expand(expand_constructor: bool = False, expand_global_var: bool = False) -> Pass:
    """Return a pass that wraps functions used as values in function literals.

    The options select constructors and global functions.
    """
    return Typed("EtaExpand", 1, (EtaExpand(expand_constructor, expand_global_var),))


@suggests_options
def to_cps(expr: Function | None = None, mod: ModuleLike | None = None) -> Pass | Function:
    """Return the function `expr` in continuation-passing style; without `expr`, a pass."""
    if expr is not None:
        return tvm_form_functions.to_cps(expr, mod)
    return Typed("ToCPS", 1, (ToContinuationPassing(),))


@suggests_options
def defunctionalization(
    func: Function | None = None, mod: ModuleLike | None = None
) -> Pass | Function:
    """Return `func` with function values replaced by data; without `func`, a pass."""
    if func is not None:
        return tvm_form_functions.defunctionalization(func, Module({}) if mod is None else mod)
    return Typed("Defunctionalization", 0, (Defunctionalize(),))


@suggests_options
def split_args(max_function_args: int) -> Pass:
    """Return a pass that splits concatenations of more than `max_function_args` tensors."""
    return Typed("SplitArgs", 1, (SplitArgs(max_function_args),))


@suggests_options
def partial_evaluate(limit: int = _EVALUATE.limit, steps: int = _EVALUATE.steps) -> Pass:
    """Return a pass that evaluates known values, with the limits of our pass."""
    return Typed("PartialEvaluate", 1, (PartialEvaluate(limit, steps),))


@suggests_options
def to_mixed_precision(
    mixed_precision_type: "DType | str" = "float16", missing_op_mode: int = 1
) -> Pass:
    """Return a pass that computes in narrow floats where they are accurate enough.

    The current `PassContext` decides whether results keep their types.

    Operators that state no precision follow their arguments; `missing_op_mode` chooses the reaction
    to them: 0 raises `U324`, 1 warns with this code, 2 says nothing. Raises `U046` for a type that
    is not a float, `U321` for a mode that TVM does not have.
    """
    if missing_op_mode not in (0, 1, 2):
        message = (
            f"the option missing_op_mode of the pass ToMixedPrecision cannot be {missing_op_mode!r}"
        )
        help_ = "pass 0 (an error for operators without a precision), 1 (a warning) or 2 (neither)"
        raise UsageError(ErrorCode.U321, message, help=help_)
    narrow = ToMixedPrecision(dtype(mixed_precision_type))
    return MixedPrecision("ToMixedPrecision", 0, narrow.dtype, missing_op_mode)


@suggests_options
def change_batch(data: Mapping[Var, int], batch_size: int = 16) -> Pass:
    """Return a pass that changes the batch size of parameters; `data` has their batch axes.

    Raises `U043` for keys that are not variables.
    """
    for wrong in (key for key in data if not isinstance(key, Var)):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        help_ = 'pass variables as keys: {module["main"].params[0]: 0}'
        message = f"the keys of the dictionary of batch axes must be parameters, not {wrong!r}"
        raise UsageError(ErrorCode.U043, message, help=help_)
    axes = tuple((var.name, axis) for var, axis in data.items())
    return Typed("ChangeBatch", 1, (ChangeBatch(axes, batch_size),))


@suggests_options
def remove_unused_functions(entry_functions: Sequence[str] | None = None) -> Pass:
    """Return a pass that drops the functions that no chain of calls from the entries reaches."""
    entries = tuple(entry_functions or ("main",))
    return Typed("RemoveUnusedFunctions", 1, (RemoveUnusedFunctions(entries),))


@suggests_options
def without_options(name: str, opt_level: int, *passes: Pass) -> Callable[[], Pass]:
    """Return a constructor, which takes no arguments, of a TVM pass that runs these `passes`."""

    def make() -> Pass:
        return Typed(name, opt_level, passes)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = passes[0].__doc__ if len(passes) == 1 else _sequence_doc(passes)
    return make


def _sequence_doc(passes: Sequence[Pass]) -> str:
    titles = dict.fromkeys(f"`{each.title()}`" for each in passes)  # one may run twice
    return f"Run {', '.join(titles)} in this order."


@suggests_options
def annotate_spans() -> Pass:
    """Return a pass that sets the span of each expression to its position in the printed text."""
    return AnnotateSpans("AnnotateSpans", 0)


@suggests_options
def first_order_gradient() -> Pass:
    """Return a pass that makes each function return its result and all gradients."""
    made = module_above("relay.autodiff.tvm_gradients").FirstOrderGradient("FirstOrderGradient", 0)
    return cast("Pass", made)


@suggests_options
def gradient(expr: Function, mod: HasModule | None = None, mode: str = "higher_order") -> Function:
    """Return a function that computes the result and the gradients by all parameters.

    See `relay.autodiff.tvm_gradients.gradient`.
    """
    return cast("Function", module_above("relay.autodiff.tvm_gradients").gradient(expr, mod, mode))

"""Translate the operators that imitate quantisation, of models trained for it (QAT)."""

from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal, less_equal
from relay.ops.elementwise import Clip, Rint
from relay.ops.identity_operators import StopGradient
from relay.ops.logical import LogicalAnd
from relay.ops.selection import where
from relay.support.dtype import float32, float64
from relay.support.error_codes import ErrorCode

_PER_TENSOR = (
    "fake_quantize_per_tensor_affine", "fake_quantize_per_tensor_affine_cachemask",
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    "_fake_quantize_learnable_per_tensor_affine",
)  # fmt: skip
_PER_CHANNEL = (
    "fake_quantize_per_channel_affine", "fake_quantize_per_channel_affine_cachemask",
    "_fake_quantize_learnable_per_channel_affine",
)  # fmt: skip


@torch_operator(*_PER_TENSOR, *_PER_CHANNEL)
def fake_quantize(node: TorchNode) -> object:
    """Translate `fake_quantize…`: the numbers that quantised elements represent.

    The variants with a mask also return which elements are in the range of the integers.
    """
    node.ignore("grad_factor")
    axis = node.integer("axis") if node.operator in _PER_CHANNEL else None
    found, inside = _rounded(node, axis)
    if "fake_quant_enabled" in node.arguments:
        found = _if_set(node.tensor("fake_quant_enabled"), found, node.tensor("self"))
    return [found, inside] if "cachemask" in node.operator else found


@torch_operator("fused_moving_avg_obs_fake_quant", "_fused_moving_avg_obs_fq_helper",
                "_fused_moving_avg_obs_fq_helper_functional")  # fmt: skip
def fused_fake_quantize(node: TorchNode) -> object:
    """Translate `fused_moving_avg_obs_fake_quant` with a disabled observer.

    The functional variant also returns the statistics and parameters, unchanged. Raises `F036` if
    the observer is enabled, or may be.
    """
    observer = node.tensor("observer_on")
    if not isinstance(observer, Constant) or observer.array.any():
        raise node.error(
            ErrorCode.F036,
            "the observers of the model are enabled, as in training",
            help="call model.apply(torch.ao.quantization.disable_observer) before loading it",
        )
    node.ignore("averaging_const", "symmetric_quant", "running_min", "running_max")
    axis = node.integer("ch_axis") if node.flag("per_row_fake_quant") else None
    node.ignore("ch_axis")
    found, inside = _rounded(node, axis)
    found = _if_set(node.tensor("fake_quant_on"), found, node.tensor("self"))
    state = ("running_min", "running_max", "scale", "zero_point")
    match node.operator:
        case "fused_moving_avg_obs_fake_quant":
            return found
        case "_fused_moving_avg_obs_fq_helper":
            return [found, inside]
        case _:
            return [found, inside, *(node.tensor(name) for name in state)]


def _if_set(flag: Expr, then: Expr, other: Expr) -> Expr:
    """Return one of two tensors by a flag of one element, which usually is a constant."""
    if isinstance(flag, Constant):
        return then if flag.array.any() else other
    off = equal(reshape(flag, ()), constant(0, flag.tensor_type.dtype))
    return where(off, other, then)


def _rounded(node: TorchNode, axis: int | None) -> tuple[Expr, Expr]:
    """Return the quantised elements as numbers, and whether each is in the range.

    The derivative by an element is 1 in the range and 0 outside of it, as if nothing were rounded.
    """
    x = node.tensor("self")
    dtype = x.tensor_type.dtype
    x = x if dtype is float64 else converted(x, float32)
    scale, zero = (_parameter(node, name, x, axis) for name in ("scale", "zero_point"))
    zero = Call(Rint(), (zero,)) if "learnable" in node.operator else zero
    inverse = divide(constant(1, float32), scale)
    scale, zero, inverse = (converted(each, x.tensor_type.dtype) for each in (scale, zero, inverse))
    low, high = node.integer("quant_min"), node.integer("quant_max")
    place = add(Call(Rint(), (multiply(x, inverse),)), zero)
    limits = [constant(each, x.tensor_type.dtype) for each in (low, high)]
    inside = Call(LogicalAnd(), (less_equal(limits[0], place), less_equal(place, limits[1])))
    found = multiply(subtract(Call(Clip(low, high), (place,)), zero), scale)
    return converted(_straight_through(x, inside, found), dtype), inside


def _straight_through(x: Expr, inside: Expr, found: Expr) -> Expr:
    """Return `found` with the derivative of `x` where `inside`."""
    passed = where(inside, x, constant(0, x.tensor_type.dtype))
    zeros = subtract(passed, Call(StopGradient(), (passed,)))
    return add(Call(StopGradient(), (found,)), zeros)


def _parameter(node: TorchNode, name: str, x: Expr, axis: int | None) -> Expr:
    """Return the scale or zero point in a shape that broadcasts to the elements of `x`."""
    found = operand(node, node.value(name), float32)
    if axis is None:
        return reshape(found, ())
    sizes: list[Dim] = [1] * x.tensor_type.rank
    sizes[axis] = found.tensor_type.shape[0]
    return reshape(found, sizes)

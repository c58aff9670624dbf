"""Translate Keras activation functions, given by name or as layers."""

from collections.abc import Callable, Mapping

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.masks import as_booleans, masked
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, less
from relay.ops.creation import OnesLike
from relay.ops.elementwise import Abs, Clip
from relay.ops.max_min_reductions import Max
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.more_activations import (
    Celu,
    Elu,
    Gelu,
    HardSigmoid,
    HardSwish,
    Mish,
    Selu,
    Silu,
    Softplus,
    Softsign,
    ThresholdedRelu,
)
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.sort import Sort
from relay.ops.transcendental import Exp, Sigmoid, Sqrt, Tanh
from relay.support.error_codes import ErrorCode

Function = Callable[[Expr], Expr]


def _call(op: OperatorDef) -> Function:
    return lambda x: Call(op, (x,), span=x.span)


def _number(x: Expr, value: float) -> Expr:
    return constant(value, x.tensor_type.dtype)


def _log_sigmoid(x: Expr) -> Expr:
    minus = _number(x, -1.0)
    return multiply(Call(Softplus(), (multiply(x, minus),)), minus)


def _glu(x: Expr) -> Expr:
    halves = Call(Split(2, -1), (x,))
    return multiply(TupleGetItem(halves, 0), Call(Sigmoid(), (TupleGetItem(halves, 1),)))


def _tanh_shrink(x: Expr) -> Expr:
    return subtract(x, Call(Tanh(), (x,)))


def _shrink(x: Expr, *, soft: bool) -> Expr:
    """Shrink: replace values near 0 by 0; the soft variant also moves the others towards 0."""
    half, zero = _number(x, 0.5), _number(x, 0.0)
    if not soft:
        return where(Call(Greater(), (Call(Abs(), (x,)), half)), x, zero)
    above, below = Call(Greater(), (x, half)), less(x, _number(x, -0.5))
    return where(above, subtract(x, half), where(below, add(x, half), zero))


def _square_plus(x: Expr) -> Expr:
    root = Call(Sqrt(), (add(multiply(x, x), _number(x, 4.0)),))
    return multiply(add(x, root), _number(x, 0.5))


def _sparse_plus(x: Expr) -> Expr:
    bent = multiply(multiply(add(x, _number(x, 1.0)), add(x, _number(x, 1.0))), _number(x, 0.25))
    inner = where(Call(Greater(), (x, _number(x, -1.0))), bent, _number(x, 0.0))
    return where(less(x, _number(x, 1.0)), inner, x)


def _sparse_sigmoid(x: Expr) -> Expr:
    inside = Call(Clip(-1.0, 1.0), (x,))
    return multiply(add(inside, _number(x, 1.0)), _number(x, 0.5))


def _sparsemax(x: Expr) -> Expr:
    """Return the largest elements minus a threshold, with the threshold that Keras computes.

    Keras adds the cumulative sums of the largest elements, not the elements.
    """
    rank, of = x.tensor_type.rank, x.tensor_type.dtype
    ordered = Call(Sort(axis=rank - 1, is_ascend=False), (x,))
    sums = Call(Cumsum(rank - 1), (ordered,))
    ranks = Call(Cumsum(rank - 1), (Call(OnesLike(), (x,)),))
    support = Call(Greater(), (add(multiply(ordered, ranks), _number(x, 1.0)), sums))
    count = Call(Sum(axis=(-1,), keepdims=True), (Call(Cast(of), (support,)),))
    total = Call(Sum(axis=(-1,), keepdims=True), (where(support, sums, _number(x, 0.0)),))
    threshold = divide(subtract(total, _number(x, 1.0)), count)
    return Call(Relu(), (subtract(x, threshold),))


FUNCTIONS: Mapping[str, Function] = {
    "linear": lambda x: x,
    "relu": _call(Relu(strict=True)),
    "relu6": _call(Clip(0.0, 6.0, strict=True)),
    "leaky_relu": _call(LeakyRelu(0.2)),
    "sigmoid": _call(Sigmoid()),
    "hard_sigmoid": _call(HardSigmoid(1 / 6, 0.5)),
    "tanh": _call(Tanh()),
    "hard_tanh": _call(Clip(-1.0, 1.0)),
    "softmax": _call(Softmax(-1)),
    "log_softmax": _call(LogSoftmax(-1)),
    "elu": _call(Elu(1.0)),
    "selu": _call(Selu(1.6732632423543772, 1.0507009873554805)),
    "celu": _call(Celu(1.0)),
    "softplus": _call(Softplus()),
    "softsign": _call(Softsign()),
    "silu": _call(Silu()),
    "swish": _call(Silu()),
    "hard_silu": _call(HardSwish()),
    "hard_swish": _call(HardSwish()),
    "gelu": _call(Gelu("none")),
    "exponential": _call(Exp()),
    "mish": _call(Mish()),
    "log_sigmoid": _log_sigmoid,
    "glu": _glu,
    "tanh_shrink": _tanh_shrink,
    "hard_shrink": lambda x: _shrink(x, soft=False),
    "sparse_plus": _sparse_plus,
    "sparse_sigmoid": _sparse_sigmoid,
    "sparsemax": _sparsemax,
    "squareplus": _square_plus,
    "soft_shrink": lambda x: _shrink(x, soft=True),
}
"""Keras's activation functions with their default arguments."""


def activation(layer: LayerReader, name: str = "activation") -> Function:
    """Return the activation function that an option names; None means the identity.

    Raises `F040` for unknown functions.
    """
    found = layer.option(name)
    match found:
        case None:
            return FUNCTIONS["linear"]
        case {"class_name": "function", "config": str(function)}:
            known = FUNCTIONS.get(function)
        case str(function):
            known = FUNCTIONS.get(function.lower())
        case _:
            known = None
    if known is None:
        help_ = f"use one of the activations {', '.join(FUNCTIONS)}, or an activation layer"
        raise layer.error(ErrorCode.F040, f"there is no activation {found!r}", help=help_)
    return known


@keras_layer("Activation")
def activation_layer(layer: LayerReader) -> Expr:
    """Translate `Activation`: apply the function that the layer names."""
    return activation(layer)(layer.tensor())


@keras_layer("ReLU")
def relu(layer: LayerReader) -> Expr:
    """Translate `ReLU` with its options.

    The result is `min(x, max_value)` for `x >= threshold`, and `slope · (x - threshold)` below.
    """
    x = layer.tensor()
    most = layer.option("max_value")
    slope = layer.number("negative_slope", 0.0)
    threshold = layer.number("threshold", 0.0)
    if threshold == 0.0 == slope:
        op = Relu(strict=True) if most is None else Clip(0.0, float(most), strict=True)
        return Call(op, (x,), span=layer.span)
    high = x if most is None else Call(Clip(-3.4e38, float(most)), (x,))
    low = multiply(subtract(x, _number(x, threshold)), _number(x, slope))
    return where(less(x, _number(x, threshold)), low, high)


@keras_layer("LeakyReLU")
def leaky_relu(layer: LayerReader) -> Expr:
    """Translate `LeakyReLU`, whose slope option is called `alpha` in Keras 2."""
    name = "alpha" if "alpha" in layer.layer.options else "negative_slope"
    return Call(LeakyRelu(layer.number(name, 0.3)), (layer.tensor(),), span=layer.span)


@keras_layer("ELU")
def elu(layer: LayerReader) -> Expr:
    """Translate `ELU`: `alpha · (exp(x) - 1)` for negative elements."""
    return Call(Elu(layer.number("alpha", 1.0)), (layer.tensor(),), span=layer.span)


@keras_layer("ThresholdedReLU")
def thresholded_relu(layer: LayerReader) -> Expr:
    """Translate `ThresholdedReLU`: elements up to `theta` become 0."""
    op = ThresholdedRelu(layer.number("theta", 1.0))
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_layer("PReLU")
def prelu(layer: LayerReader) -> Expr:
    """Translate `PReLU`: negative elements are scaled by weights, shared along some axes."""
    layer.ignore("shared_axes")
    (alpha,) = layer.constants(layer.arrays(1))
    x = layer.tensor()
    return where(less(x, _number(x, 0.0)), multiply(x, alpha), x)


@keras_layer("Softmax")
def softmax(layer: LayerReader) -> Expr:
    """Translate `Softmax` along one axis, or along several axes as if they were merged.

    Masked elements are 0.
    """
    axes, x, mask = layer.axes(), layer.tensor(), _mask(layer)
    if mask is not None:
        x = masked(x, mask)
    if len(axes) == 1:
        found: Expr = Call(Softmax(axes[0]), (x,), span=layer.span)
    else:
        from_most = subtract(x, Call(Max(axis=axes, keepdims=True), (x,)))
        powers = Call(Exp(), (from_most,))
        found = divide(powers, Call(Sum(axis=axes, keepdims=True), (powers,)))
    return found if mask is None else where(mask, found, _number(found, 0.0))


def _mask(layer: LayerReader) -> Expr | None:
    """Return the mask of the elements: an argument of the call, or that of the sequence."""
    given = layer.argument("mask", 1)
    if given is not None:
        return as_booleans(layer.as_tensor(given))
    return layer.mask()

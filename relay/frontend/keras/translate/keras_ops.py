"""Translate `keras.ops` functions in a model's graph, such as `x + 3` or `ops.relu(x)`."""

from collections.abc import Callable, Mapping

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.frontend.keras.translate.activation import FUNCTIONS
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, Tuple
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, Maximum, Minimum, Multiply, Subtract
from relay.ops.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from relay.ops.elementwise import Abs, Negative
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.max_min_reductions import All, Any, Max, Min
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Cos, Erf, Exp, Log, Power, Rsqrt, Sin, Sqrt

_BINARY: Mapping[str, OperatorDef] = {
    "Add": Add(),
    "Subtract": Subtract(),
    "Multiply": Multiply(),
    "Divide": Divide(),
    "TrueDivide": Divide(),
    "Maximum": Maximum(),
    "Minimum": Minimum(),
    "Power": Power(),
    "Equal": Equal(),
    "NotEqual": NotEqual(),
    "Greater": Greater(),
    "GreaterEqual": GreaterEqual(),
    "Less": Less(),
    "LessEqual": LessEqual(),
    "LogicalAnd": LogicalAnd(),
    "LogicalOr": LogicalOr(),
}

_UNARY: Mapping[str, OperatorDef] = {
    "Absolute": Abs(),
    "Abs": Abs(),
    "Negative": Negative(),
    "Exp": Exp(),
    "Log": Log(),
    "Sqrt": Sqrt(),
    "Rsqrt": Rsqrt(),
    "Sin": Sin(),
    "Cos": Cos(),
    "Erf": Erf(),
}

_ACTIVATIONS: Mapping[str, str] = {
    "Relu": "relu",
    "Relu6": "relu6",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "Silu": "silu",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "HardSigmoid": "hard_sigmoid",
    "HardSilu": "hard_silu",
}

_REDUCTIONS: Mapping[str, Callable[..., OperatorDef]] = {
    "Mean": Mean,
    "Sum": Sum,
    "Max": Max,
    "Min": Min,
    "Any": Any,
    "All": All,
}


@keras_operation(*_BINARY)
def binary(layer: LayerReader) -> Expr:
    """Translate a binary operation; a number takes the element type of the tensor."""
    x, y = (layer.argument(name, index) for index, name in enumerate(("x1", "x2")))
    like = next((each for each in (x, y) if isinstance(each, Expr)), None)
    args = [_operand(layer, each, like) for each in (x, y)]
    return Call(_BINARY[layer.kind], tuple(args), span=layer.span)


def _operand(layer: LayerReader, value: object, like: Expr | None) -> Expr:
    if like is None or not isinstance(value, bool | int | float):
        return layer.as_tensor(value)
    return constant(value, like.tensor_type.dtype)


@keras_operation(*_UNARY)
def unary(layer: LayerReader) -> Expr:
    """Translate an elementwise function that has an equivalent Relay operator."""
    return Call(_UNARY[layer.kind], (layer.tensor(),), span=layer.span)


@keras_operation(*_ACTIVATIONS)
def activation(layer: LayerReader) -> Expr:
    """Translate an activation function."""
    return FUNCTIONS[_ACTIVATIONS[layer.kind]](layer.tensor())


@keras_operation("Softmax", "LogSoftmax")
def softmax(layer: LayerReader) -> Expr:
    """Translate `softmax` and `log_softmax` along one axis."""
    op = Softmax(layer.axis()) if layer.kind == "Softmax" else LogSoftmax(layer.axis())
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_operation("Square")
def square(layer: LayerReader) -> Expr:
    """Translate `square`."""
    x = layer.tensor()
    return Call(Multiply(), (x, x), span=layer.span)


@keras_operation(*_REDUCTIONS)
def reduction(layer: LayerReader) -> Expr:
    """Translate a reduction over some axes, or over all."""
    axes = None if layer.option("axis") is None else layer.axes()
    op = _REDUCTIONS[layer.kind](axis=axes, keepdims=layer.flag("keepdims"))
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_operation("Matmul")
def matmul(layer: LayerReader) -> Expr:
    """Translate `matmul`, with NumPy's semantics."""
    return multiplied(
        layer.as_tensor(layer.argument("x1", 0)), layer.as_tensor(layer.argument("x2", 1))
    )


@keras_operation("Reshape")
def reshape_operation(layer: LayerReader) -> Expr:
    """Translate `reshape`; one size may be -1, which is inferred."""
    x, target = layer.tensor(), [*layer.option("newshape")]
    if -1 in target:
        known = product([each for each in target if each != -1])
        target[target.index(-1)] = product(x.tensor_type.shape) // known
    return reshape(x, target)


@keras_operation("Transpose")
def transpose(layer: LayerReader) -> Expr:
    """Translate `transpose`; without `axes`, the order of the axes is reversed."""
    x = layer.tensor()
    axes = layer.option("axes") or [*reversed(range(x.tensor_type.rank))]
    return Call(Transpose(tuple(axes)), (x,), span=layer.span)


@keras_operation("Concatenate")
def concatenate(layer: LayerReader) -> Expr:
    """Translate `concatenate`."""
    tensors = layer.tensors()
    op = Concatenate(layer.integer("axis", 0) % tensors[0].tensor_type.rank)
    return Call(op, (Tuple(tuple(tensors)),), span=layer.span)


@keras_operation("ExpandDims")
def expand_dims(layer: LayerReader) -> Expr:
    """Translate `expand_dims`, which adds an axis of size 1."""
    return Call(ExpandDims(layer.integer("axis")), (layer.tensor(),), span=layer.span)

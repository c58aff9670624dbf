"""Translate `keras.ops` functions that NumPy lacks: activations, shapes, slices, matrices."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.bessel import modified_bessel_function
from relay.frontend.builders.fourier import resized, transformed
from relay.frontend.builders.run_time_slices import read_part, write_part
from relay.frontend.builders.segment_reductions import segments
from relay.frontend.builders.strided_slice import Masks, scalars, strided_slice
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.json_values import is_fields, is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.frontend.keras.translate.activation import FUNCTIONS
from relay.frontend.node_errors import static_size
from relay.ir.dims import product
from relay.ir.expr import Call, Constant, Expr, TupleGetItem
from relay.opdef.definition import OperatorDef
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import less
from relay.ops.functions import core
from relay.ops.identity_operators import StopGradient
from relay.ops.linalg.eigenvalues import Eigh
from relay.ops.linalg.qr import QR
from relay.ops.linalg.solve_triangular import SolveTriangular
from relay.ops.linalg.svd import SVD
from relay.ops.nn.activations import LeakyRelu
from relay.ops.nn.more_activations import Celu, Elu, Gelu
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.selection import where
from relay.ops.special_functions import Erfc, Erfinv
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import OneHot
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.sort import TopK
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Erf, Rsqrt, Sigmoid, Tanh
from relay.support.dtype import bool_, dtype, float64, int32
from relay.support.error_codes import ErrorCode

_ACTIVATIONS: Mapping[str, str] = {
    "HardSigmoid": "hard_sigmoid",
    "HardSilu": "hard_silu",
    "HardTanh": "hard_tanh",
    "LogSigmoid": "log_sigmoid",
    "Relu": "relu",
    "Relu6": "relu6",
    "Selu": "selu",
    "Sigmoid": "sigmoid",
    "Silu": "silu",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "SparsePlus": "sparse_plus",
    "SparseSigmoid": "sparse_sigmoid",
    "TanhShrink": "tanh_shrink",
}

_UNARY: Mapping[str, OperatorDef] = {
    "Erf": Erf(),
    "Erfc": Erfc(),
    "Erfinv": Erfinv(),
    "Rsqrt": Rsqrt(),
    "StopGradient": StopGradient(),
    "Tanh": Tanh(),
}


@keras_operation(*_ACTIVATIONS)
def activation(layer: LayerReader) -> Expr:
    """Translate an activation function."""
    return FUNCTIONS[_ACTIVATIONS[layer.kind]](layer.tensor())


@keras_operation(*_UNARY)
def unary(layer: LayerReader) -> Expr:
    """Translate an elementwise function that has an equivalent Relay operator."""
    return Call(_UNARY[layer.kind], (layer.tensor(),), span=layer.span)


@keras_operation("I0")
def bessel(layer: LayerReader) -> Expr:
    """Translate `i0`: the modified Bessel function of order 0."""
    x = layer.tensor()
    found = modified_bessel_function(converted(x, float64), 0, is_scaled=False)
    return converted(found, x.tensor_type.dtype)


@keras_operation("Celu", "Elu", "Gelu", "LeakyRelu")
def activation_with_option(layer: LayerReader) -> Expr:
    """Translate an activation function that has an option."""
    ops: Mapping[str, Callable[[], OperatorDef]] = {
        "Celu": lambda: Celu(layer.number("alpha", 1.0)),
        "Elu": lambda: Elu(layer.number("alpha", 1.0)),
        "Gelu": lambda: Gelu("tanh" if layer.flag("approximate", default=True) else "none"),
        "LeakyRelu": lambda: LeakyRelu(layer.number("negative_slope", 0.2)),
    }
    return Call(ops[layer.kind](), (layer.tensor(),), span=layer.span)


@keras_operation("HardShrink", "SoftShrink", "Squareplus", "Threshold")
def activation_with_threshold(layer: LayerReader) -> Expr:
    """Translate an activation function with a numeric parameter, such as a threshold."""
    x = layer.tensor()
    if layer.kind == "Squareplus":
        root = rnp.sqrt(rnp.add(rnp.square(x), layer.number("b", 4.0)))
        return rnp.multiply(rnp.add(x, root), 0.5)
    limit = layer.number("threshold", 0.5)
    if layer.kind == "Threshold":
        return rnp.where(rnp.greater(x, limit), x, layer.number("default_value"))
    size = rnp.absolute(x)
    if layer.kind == "HardShrink":
        return rnp.where(rnp.greater(size, limit), x, 0.0)
    return rnp.multiply(rnp.sign(x), rnp.maximum(rnp.subtract(size, limit), 0.0))


@keras_operation("Glu")
def gated(layer: LayerReader) -> Expr:
    """Translate `glu`: one half of an axis, multiplied by the sigmoid of the other."""
    parts = Call(Split(2, layer.axis()), (layer.tensor(),), span=layer.span)
    return multiply(TupleGetItem(parts, 0), Call(Sigmoid(), (TupleGetItem(parts, 1),)))


@keras_operation("Softmax", "LogSoftmax")
def softmax(layer: LayerReader) -> Expr:
    """Translate `softmax` and `log_softmax` along one axis."""
    op = Softmax(layer.axis()) if layer.kind == "Softmax" else LogSoftmax(layer.axis())
    return Call(op, (layer.tensor(),), span=layer.span)


@keras_operation("Sparsemax")
def sparse_softmax(layer: LayerReader) -> Expr:
    """Translate `sparsemax` along one axis."""
    axis = layer.axis()
    return rnp.moveaxis(FUNCTIONS["sparsemax"](rnp.moveaxis(layer.tensor(), axis, -1)), -1, axis)


@keras_operation("Logsumexp")
def log_sum_exp(layer: LayerReader) -> Expr:
    """Translate `logsumexp`."""
    x, keeps = layer.tensor(), layer.flag("keepdims")
    axes = None if layer.option("axis") is None else layer.axes()
    most = core.max(x, axis=axes, keepdims=True)
    total = core.sum(core.exp(subtract(x, most)), axis=axes, keepdims=True)
    found: Expr = add(core.log(total), most)
    if keeps:
        return found
    rank = x.tensor_type.rank
    return core.squeeze(found, tuple(range(rank)) if axes is None else axes)


# Shapes and element types


@keras_operation("Cast", "ConvertToTensor", "SaturateCast")
def cast(layer: LayerReader) -> Expr:
    """Translate `cast`, `saturate_cast` and `convert_to_tensor`."""
    x, wanted = layer.value(layer.argument("x", 0)), layer.option("dtype")
    found = x if isinstance(x, Expr) else rnp.asarray(x)
    if wanted is None:
        return found
    to = dtype(str(wanted))
    if layer.kind == "SaturateCast" and to.is_integer:
        found = rnp.clip(found, *to.limits)
    return found if found.tensor_type.dtype is to else Call(Cast(to), (found,), span=layer.span)


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


@keras_operation("ExpandDims")
def expand_dims(layer: LayerReader) -> Expr:
    """Translate `expand_dims`, which adds axes of size 1."""
    found: object = layer.option("axis")
    return rnp.expand_dims(layer.tensor(), tuple(found) if is_list(found) else found)


@keras_operation("Unstack")
def unstack(layer: LayerReader) -> Sequence[Expr]:
    """Translate `unstack`: the slices along an axis."""
    layer.ignore("num")
    return list(rnp.unstack(layer.tensor(), axis=layer.axis("axis", 0)))


# Slices and indices


@keras_operation("GetItem")
def get_item(layer: LayerReader) -> Expr:
    """Translate `x[key]` for indices, slices, new axes, an ellipsis, or a tensor of indices."""
    x, given = layer.as_tensor(layer.argument("x", 0)), layer.argument("key", 1)
    key = layer.value(given)
    if isinstance(key, Expr):
        return Call(Take(axis=0, mode="raise"), (x, key), span=layer.span)
    items: Sequence[object] = key if is_list(key) else [key]
    bounds = [_bounds(layer, each) for each in items]
    begin, end, step = (np.array([each[n] or 0 for each in bounds]) for n in range(3))
    masks = Masks(
        begin=_bits(each[0] is None for each in bounds),
        end=_bits(each[1] is None for each in bounds),
        ellipsis=_bits(each[3] == "ellipsis" for each in bounds),
        new_axis=_bits(each[3] == "new axis" for each in bounds),
        shrink=_bits(each[3] == "index" for each in bounds),
    )
    steps = [int(each) or 1 for each in step]
    return strided_slice(x, Constant(begin), Constant(end), steps, masks)


def _bits(flags: Any) -> int:
    return sum(1 << index for index, flag in enumerate(flags) if flag)


def _bounds(layer: LayerReader, item: object) -> tuple[int | None, int | None, int, str]:
    """Return begin, end and step of one entry of a key, and the kind of the entry."""
    if item is None:
        return 0, 0, 1, "new axis"
    if isinstance(item, int):
        return item, item + 1, 1, "index"
    kind = item.get("class_name") if is_fields(item) else None
    if kind == "__ellipsis__":
        return 0, 0, 1, "ellipsis"
    config: Any = item.get("config") if is_fields(item) else None
    if kind == "__slice__":
        start, stop, step = (config[name] for name in ("start", "stop", "step"))
        if all(each is None or isinstance(each, int) for each in (start, stop, step)):
            return start, stop, step or 1, "slice"
    problem = f"an index must be a number or a slice of numbers, not {item!r}"
    raise layer.error(ErrorCode.F030, problem)


@keras_operation("Slice")
def slice_operation(layer: LayerReader) -> Expr:
    """Translate `slice`: a part of static sizes that starts at clamped positions."""
    x, starts = layer.values()
    sizes = tuple(layer.option("shape"))
    return read_part(x, _scalars(starts, len(sizes)), sizes)


@keras_operation("SliceUpdate")
def slice_update(layer: LayerReader) -> Expr:
    """Translate `slice_update`: write a tensor at clamped positions."""
    x, starts, part = layer.values()
    return write_part(x, part, _scalars(starts, x.tensor_type.rank))


def _scalars(starts: Any, count: int) -> list[Expr]:
    if is_list(starts):
        return [rnp.asarray(each) for each in starts]
    return scalars(starts, count)


@keras_operation("Scatter", "ScatterUpdate")
def scatter(layer: LayerReader) -> Expr:
    """Translate `scatter`, which adds to zeros, and `scatter_update`."""
    if layer.kind == "Scatter":
        indices, values = layer.values()
        whole = rnp.zeros(tuple(layer.option("shape")), values.tensor_type.dtype)
        mode = "add"
    else:
        whole, indices, values = layer.values()
        mode = {None: "update"}.get(layer.option("reduction"), layer.option("reduction"))
    places = rnp.moveaxis(rnp.asarray(indices), -1, 0)
    return Call(ScatterND(mode), (whole, places, values), span=layer.span)


@keras_operation("OneHot", "MultiHot")
def one_hot(layer: LayerReader) -> Expr:
    """Translate `one_hot`, and `multi_hot`, which joins the marks of one sample."""
    x, count = layer.tensor(), layer.integer("num_classes")
    of = dtype(str(layer.option("dtype") or "float32"))
    axis = layer.integer("axis", -1)
    layer.ignore("kwargs")
    marks = Call(OneHot(count, axis), (x, constant(1, of), constant(0, of)), span=layer.span)
    if layer.kind == "OneHot":
        return marks
    rank = x.tensor_type.rank
    return core.max(marks, axis=1 if rank > 1 else 0)


@keras_operation("TopK")
def top_k(layer: LayerReader) -> Sequence[Expr]:
    """Translate `top_k`: the largest elements along the last axis, and their indices."""
    layer.ignore("sorted")
    found = Call(TopK(layer.integer("k"), dtype=int32), (layer.tensor(),), span=layer.span)
    return [TupleGetItem(found, 0), TupleGetItem(found, 1)]


@keras_operation("InTopK")
def in_top_k(layer: LayerReader) -> Expr:
    """Translate `in_top_k`: whether fewer than k predictions exceed that of the target."""
    targets, x = layer.values()
    column = core.cast(core.expand_dims(targets, 1), "int64")
    own = core.gather(x, 1, column)
    better = core.sum(core.cast(core.greater(x, own), "int32"), axis=1)
    return less(better, constant(layer.integer("k"), int32))


_SEGMENTS = {"SegmentMax": "max", "SegmentMin": "min", "SegmentProd": "mul", "SegmentSum": "add"}


@keras_operation(*_SEGMENTS)
def segment(layer: LayerReader) -> Expr:
    """Translate reductions of segments; their number must be an option."""
    layer.ignore("sorted")
    x, ids = layer.values()
    return segments(x, ids, layer.integer("num_segments"), _SEGMENTS[layer.kind])


# Matrices

_MATRICES: Mapping[str, Callable[..., Any]] = {
    "Det": rnp.linalg.det,
    "Inv": rnp.linalg.inv,
    "Solve": rnp.linalg.solve,
}


@keras_operation(*_MATRICES)
def matrices(layer: LayerReader) -> Expr:
    """Translate a function of matrices that `numpy.linalg` has."""
    return _MATRICES[layer.kind](*layer.values())


@keras_operation("Cholesky")
def cholesky(layer: LayerReader) -> Expr:
    """Translate `cholesky`; with `upper`, the factor is transposed."""
    found = rnp.linalg.cholesky(layer.tensor())
    return rnp.matrix_transpose(found) if layer.flag("upper") else found


@keras_operation("SolveTriangular")
def solve_triangular(layer: LayerReader) -> Expr:
    """Translate `solve_triangular`."""
    a, b = layer.values()
    is_vector = b.tensor_type.rank < a.tensor_type.rank
    side = core.expand_dims(b, -1) if is_vector else b
    found = Call(SolveTriangular(upper=not layer.flag("lower")), (a, side), span=layer.span)
    return core.squeeze(found, (-1,)) if is_vector else found


@keras_operation("Eigh", "Qr", "SVD")
def factors(layer: LayerReader) -> Expr | Sequence[Expr]:
    """Translate factorisations; raises `F072` for `svd` with square orthogonal matrices."""
    x = layer.tensor()
    if layer.kind == "Eigh":
        return _fields(Call(Eigh(), (x,), span=layer.span), 2)
    if layer.kind == "Qr":
        return _fields(Call(QR(layer.text("mode", "reduced") == "complete"), (x,)), 2)
    u, s, v = _fields(Call(SVD(), (x,), span=layer.span), 3)
    if not layer.flag("compute_uv", default=True):
        layer.ignore("full_matrices")
        return s
    rows, columns = x.tensor_type.shape[-2:]
    if layer.flag("full_matrices", default=True) and rows != columns:
        raise layer.wrong("full_matrices", found=True)
    return [u, s, rnp.matrix_transpose(v)]


def _fields(whole: Expr, count: int) -> list[Expr]:
    return [TupleGetItem(whole, index) for index in range(count)]


@keras_operation("Norm")
def norm(layer: LayerReader) -> Expr:
    """Translate `norm` of vectors and of matrices."""
    axis: object = layer.option("axis")
    axes = tuple(axis) if is_list(axis) else axis
    order: Any = layer.option("ord")
    order = {"inf": np.inf, "-inf": -np.inf}.get(str(order), order)
    return rnp.linalg.norm(layer.tensor(), order, axes, layer.flag("keepdims"))


# Fourier transforms of pairs of real and imaginary parts


@keras_operation("FFT", "FFT2", "IFFT2")
def fourier(layer: LayerReader) -> Sequence[Expr]:
    """Translate `fft`, `fft2` and `ifft2` of a pair: real and imaginary parts."""
    real, imaginary = layer.tensors()
    axes = (-1,) if layer.kind == "FFT" else (-2, -1)
    is_inverse = layer.kind == "IFFT2"
    parts = transformed((real, imaginary), axes, inverse=is_inverse)
    if not is_inverse:
        return parts
    count = product([real.tensor_type.shape[axis] for axis in axes])
    size = constant(float(str(count)), real.tensor_type.dtype)
    return [divide(each, size) for each in parts]


@keras_operation("RFFT")
def real_fourier(layer: LayerReader) -> Sequence[Expr]:
    """Translate `rfft`: the lower half of the frequencies, as real and imaginary parts."""
    x, wanted = layer.tensor(), layer.option("fft_length")
    x = x if wanted is None else resized(x, int(wanted))
    half = x.tensor_type.shape[-1] // 2 + 1
    parts = transformed((x, core.zeros_like(x)), (-1,), inverse=False)
    return [resized(each, half) for each in parts]


# Normalisation


@keras_operation("Moments")
def moments(layer: LayerReader) -> Sequence[Expr]:
    """Translate `moments`: mean and variance over axes."""
    x, axes, keeps = layer.tensor(), layer.axes("axes"), layer.flag("keepdims")
    return [rnp.mean(x, axes, keepdims=keeps), rnp.var(x, axes, keepdims=keeps)]


@keras_operation("Normalize")
def normalize(layer: LayerReader) -> Expr:
    """Translate `normalize`: divide by the norm along an axis, which is at least `epsilon`."""
    x, order = layer.tensor(), layer.number("order", 2)
    if order != 2:
        raise layer.wrong("order", order)
    least = _epsilon(layer, x, 1e-7)
    squares = core.sum(multiply(x, x), axis=layer.axes(), keepdims=True)
    return multiply(x, core.rsqrt(core.maximum(squares, multiply(least, least))))


def _epsilon(layer: LayerReader, x: Expr, default: float) -> Expr:
    """Return the option `epsilon`; without it, Keras's default."""
    found = layer.option("epsilon")
    number = default if found is None else layer.number("epsilon")
    return constant(number, x.tensor_type.dtype)


@keras_operation("RMSNorm", "LayerNorm")
def norm_of_layer(layer: LayerReader) -> Expr:
    """Translate `rms_normalization` and `layer_normalization`, whose weights are arguments."""
    x, *weights = layer.values()
    axes = layer.axes()
    centred = x
    if layer.kind == "LayerNorm" and not layer.flag("rms_scaling"):
        centred = subtract(x, core.mean(x, axis=axes, keepdims=True))
    squares = core.mean(multiply(centred, centred), axis=axes, keepdims=True)
    epsilon = _epsilon(layer, x, 1e-3 if layer.kind == "LayerNorm" else 1e-7)
    found: Expr = multiply(centred, core.rsqrt(add(squares, epsilon)))
    gamma, beta = [*weights, None, None][:2]
    found = found if gamma is None else multiply(found, gamma)
    return found if beta is None else add(found, beta)


@keras_operation("DotProductAttention")
def dot_product_attention(layer: LayerReader) -> Expr:
    """Translate `dot_product_attention` of tensors `(batch, steps, heads, size)`."""
    names = ("query", "key", "value", "bias", "mask", "scale")
    found = [layer.value(layer.argument(name, index)) for index, name in enumerate(names)]
    query, key, value, bias, mask, scale = found
    if is_fields(mask) or layer.option("attn_logits_soft_cap") is not None:
        raise layer.wrong("attn_logits_soft_cap", layer.option("attn_logits_soft_cap"))
    size = static_size(query.tensor_type.shape[-1])
    q, k, v = (core.transpose(each, (0, 2, 1, 3)) for each in (query, key, value))
    scores = rnp.multiply(rnp.matmul(q, rnp.swapaxes(k, -1, -2)), scale or size**-0.5)
    scores = scores if bias is None else rnp.add(scores, bias)
    if layer.flag("is_causal"):
        ones = core.full(constant(1, int32), (1, 1, *scores.tensor_type.shape[-2:]))
        allowed = Call(Cast(bool_), (core.trilu(ones, 0, upper=False),))
        mask = allowed if mask is None else core.logical_and(mask, allowed)
    if mask is not None:
        scores = where(mask, scores, constant(-1e9, scores.tensor_type.dtype))
    return core.transpose(rnp.matmul(Call(Softmax(-1), (scores,)), v), (0, 2, 1, 3))

"""Translate the functions of `keras.ops` that are NumPy's, such as `ops.where(x > 0, x, y)`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from relay import numpy as rnp
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.ir.expr import Call, Expr
from relay.ops.cast import Cast
from relay.support.dtype import int32

Options: TypeAlias = Mapping[str, str]
"""Maps the options of a Keras operation to the parameters of NumPy's function."""

_REDUCED: Options = {"axis": "axis", "keepdims": "keepdims"}
_ALONG: Options = {"axis": "axis"}
_PARTS: Options = {"indices_or_sections": "indices_or_sections"}
_QUANTILE: Options = {"axis": "axis", "method": "method", "keepdims": "keepdims"}
_SPACED: Options = {"num": "num", "endpoint": "endpoint", "dtype": "dtype", "axis": "axis"}
_DIAGONAL: Options = {"offset": "offset", "axis1": "axis1", "axis2": "axis2"}


def _average(x: Any, weights: Any = None, axis: Any = None) -> Any:
    return rnp.average(x, axis, weights)


def _logspace(start: Any, stop: Any, base: float = 10, **options: Any) -> Any:
    return rnp.power(float(base), rnp.linspace(start, stop, **options))


def _geomspace(start: Any, stop: Any, **options: Any) -> Any:
    """Return numbers with equal ratios between ends that have the same sign."""
    first, last = (rnp.log(rnp.absolute(each)) for each in (start, stop))
    return rnp.multiply(rnp.sign(start), rnp.exp(rnp.linspace(first, last, **options)))


def _nonzero(x: Any) -> Any:
    return [rnp.astype(each, "int32") for each in rnp.nonzero(x)]


def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    return rnp.select(conditions, choices, default)


def _full(value: Any, shape: Any, dtype: Any = None) -> Any:
    return rnp.full(shape, value, dtype)


_FUNCTIONS: Mapping[str, tuple[Callable[..., Any], Options]] = {
    **{name: (function, {}) for name, function in {
        "Abs": rnp.absolute, "Absolute": rnp.absolute, "Arccos": rnp.arccos,
        "Arccosh": rnp.arccosh, "Arcsin": rnp.arcsin, "Arcsinh": rnp.arcsinh,
        "Arctan": rnp.arctan, "Arctanh": rnp.arctanh, "BitwiseInvert": rnp.bitwise_invert,
        "BitwiseNot": rnp.bitwise_not, "Cbrt": rnp.cbrt, "Ceil": rnp.ceil, "Conj": rnp.conj,
        "Conjugate": rnp.conjugate, "Copy": rnp.copy, "Corrcoef": rnp.corrcoef, "Cos": rnp.cos,
        "Cosh": rnp.cosh, "Deg2rad": rnp.deg2rad, "Exp": rnp.exp, "Exp2": rnp.exp2,
        "Expm1": rnp.expm1, "Fabs": rnp.fabs, "Fliplr": rnp.fliplr, "Flipud": rnp.flipud,
        "Floor": rnp.floor, "Isfinite": rnp.isfinite, "Isinf": rnp.isinf,
        "Isnan": rnp.isnan, "Isneginf": rnp.isneginf, "Isposinf": rnp.isposinf,
        "Isreal": rnp.isreal, "Log": rnp.log,
        "Log10": rnp.log10, "Log1p": rnp.log1p, "Log2": rnp.log2, "LogicalNot": rnp.logical_not,
        "Negative": rnp.negative, "Rad2deg": rnp.rad2deg, "Ravel": rnp.ravel, "Real": rnp.real,
        "Reciprocal": rnp.reciprocal, "Sign": rnp.sign, "Signbit": rnp.signbit, "Sin": rnp.sin,
        "Sinc": rnp.sinc, "Sinh": rnp.sinh, "Sqrt": rnp.sqrt, "Square": rnp.square,
        "Tan": rnp.tan, "Trunc": rnp.trunc,
    }.items()},
    **{name: (function, {}) for name, function in {
        "Add": rnp.add, "Arctan2": rnp.arctan2, "BitwiseAnd": rnp.bitwise_and,
        "BitwiseLeftShift": rnp.bitwise_left_shift, "BitwiseOr": rnp.bitwise_or,
        "BitwiseRightShift": rnp.bitwise_right_shift, "BitwiseXor": rnp.bitwise_xor,
        "Digitize": rnp.digitize, "Divide": rnp.divide, "Dot": rnp.dot, "Equal": rnp.equal,
        "FloorDivide": rnp.floor_divide, "Fmax": rnp.fmax, "Fmin": rnp.fmin, "Fmod": rnp.fmod,
        "Gcd": rnp.gcd, "Greater": rnp.greater, "GreaterEqual": rnp.greater_equal,
        "Heaviside": rnp.heaviside, "Hypot": rnp.hypot, "Inner": rnp.inner, "Kron": rnp.kron,
        "Lcm": rnp.lcm, "Ldexp": rnp.ldexp, "LeftShift": rnp.left_shift, "Less": rnp.less,
        "LessEqual": rnp.less_equal, "Logaddexp": rnp.logaddexp, "Logaddexp2": rnp.logaddexp2,
        "LogicalAnd": rnp.logical_and, "LogicalOr": rnp.logical_or,
        "LogicalXor": rnp.logical_xor, "Matmul": rnp.matmul, "Maximum": rnp.maximum,
        "Minimum": rnp.minimum, "Mod": rnp.mod, "Multiply": rnp.multiply,
        "Nextafter": rnp.nextafter, "NotEqual": rnp.not_equal, "Outer": rnp.outer,
        "Power": rnp.power, "RightShift": rnp.right_shift, "Subtract": rnp.subtract,
        "TrueDivide": rnp.true_divide, "Vdot": rnp.vdot, "Where": rnp.where,
    }.items()},
    **{name: (function, _REDUCED) for name, function in {
        "All": rnp.all, "Amax": rnp.max, "Amin": rnp.min, "Any": rnp.any, "Max": rnp.max,
        "Mean": rnp.mean, "Median": rnp.median, "Min": rnp.min, "Nanmax": rnp.nanmax,
        "Nanmean": rnp.nanmean, "Nanmedian": rnp.nanmedian, "Nanmin": rnp.nanmin,
        "Nanprod": rnp.nanprod, "Nanstd": rnp.nanstd, "Nansum": rnp.nansum, "Nanvar": rnp.nanvar,
        "Ptp": rnp.ptp, "Std": rnp.std, "Sum": rnp.sum, "Var": rnp.var,
    }.items()},
    **{name: (function, _ALONG) for name, function in {
        "Append": rnp.append, "Concatenate": rnp.concatenate,
        "Flip": rnp.flip, "Sort": rnp.sort, "Squeeze": rnp.squeeze,
        "Stack": rnp.stack, "Take": rnp.take, "TakeAlongAxis": rnp.take_along_axis,
    }.items()},
    **{name: (function, _PARTS) for name, function in {
        "Dsplit": rnp.dsplit, "Hsplit": rnp.hsplit, "Vsplit": rnp.vsplit,
    }.items()},
    **{name: (function, {}) for name, function in {
        "Dstack": rnp.dstack, "Hstack": rnp.hstack, "Vstack": rnp.vstack,
    }.items()},
    **{name: (function, _QUANTILE) for name, function in {
        "Nanpercentile": rnp.nanpercentile, "Nanquantile": rnp.nanquantile,
        "Percentile": rnp.percentile, "Quantile": rnp.quantile,
    }.items()},
    "AllClose": (rnp.allclose, {"rtol": "rtol", "atol": "atol", "equal_nan": "equal_nan"}),
    "ArraySplit": (rnp.array_split, {**_PARTS, "axis": "axis"}),
    "Average": (_average, _ALONG),
    "BroadcastTo": (rnp.broadcast_to, {"shape": "shape"}),
    "Clip": (rnp.clip, {"x_min": "a_min", "x_max": "a_max"}),
    "Correlate": (rnp.correlate, {"mode": "mode"}),
    "Cross": (rnp.cross, {"axisa": "axisa", "axisb": "axisb", "axisc": "axisc", "axis": "axis"}),
    "Cumprod": (rnp.cumprod, {"axis": "axis", "dtype": "dtype"}),
    "Cumsum": (rnp.cumsum, {"axis": "axis", "dtype": "dtype"}),
    "Diag": (rnp.diag, {"k": "k"}),
    "Diagflat": (rnp.diagflat, {"k": "k"}),
    "Diagonal": (rnp.diagonal, _DIAGONAL),
    "Diff": (rnp.diff, {"n": "n", "axis": "axis"}),
    "EmptyLike": (rnp.zeros_like, {"dtype": "dtype"}),
    "Full": (_full, {"shape": "shape", "dtype": "dtype"}),
    "FullLike": (rnp.full_like, {"dtype": "dtype"}),
    "IsIn": (rnp.isin, {"invert": "invert"}),
    "Isclose": (rnp.isclose, {"equal_nan": "equal_nan"}),
    "Geomspace": (_geomspace, _SPACED),
    "Nonzero": (_nonzero, {}),
    "Logspace": (_logspace, {**_SPACED, "base": "base"}),
    "Select": (_select, {}),
    "Linspace": (rnp.linspace, {"num": "num", "endpoint": "endpoint", "dtype": "dtype",
                                "axis": "axis", "retstep": "retstep"}),
    "Meshgrid": (rnp.meshgrid, {"indexing": "indexing"}),
    "Moveaxis": (rnp.moveaxis, {"source": "source", "destination": "destination"}),
    "NanToNum": (rnp.nan_to_num, {"nan": "nan", "posinf": "posinf", "neginf": "neginf"}),
    "Nancumprod": (rnp.nancumprod, {"axis": "axis", "dtype": "dtype"}),
    "Nancumsum": (rnp.nancumsum, {"axis": "axis", "dtype": "dtype"}),
    "OnesLike": (rnp.ones_like, {"dtype": "dtype"}),
    "Prod": (rnp.prod, {**_REDUCED, "dtype": "dtype"}),
    "Repeat": (rnp.repeat, {"repeats": "repeats", "axis": "axis"}),
    "Roll": (rnp.roll, {"shift": "shift", "axis": "axis"}),
    "Rot90": (rnp.rot90, {"k": "k", "axes": "axes"}),
    "Round": (rnp.round, {"decimals": "decimals"}),
    "Slogdet": (rnp.linalg.slogdet, {}),
    "Split": (rnp.split, {**_PARTS, "axis": "axis"}),
    "Swapaxes": (rnp.swapaxes, {"axis1": "axis1", "axis2": "axis2"}),
    "Tensordot": (rnp.tensordot, {"axes": "axes"}),
    "Tile": (rnp.tile, {"repeats": "reps"}),
    "Trace": (rnp.trace, _DIAGONAL),
    "Trapezoid": (rnp.trapezoid, {"x": "x", "dx": "dx", "axis": "axis"}),
    "Tril": (rnp.tril, {"k": "k"}),
    "Triu": (rnp.triu, {"k": "k"}),
    "UnravelIndex": (rnp.unravel_index, {"shape": "shape"}),
    "Vander": (rnp.vander, {"N": "N", "increasing": "increasing"}),
    "ZerosLike": (rnp.zeros_like, {"dtype": "dtype"}),
}  # fmt: skip
"""NumPy's function for each class of operation, and its options."""

_PLACES: Mapping[str, tuple[Callable[..., Any], Options]] = {
    "Argmax": (rnp.argmax, _REDUCED),
    "Argmin": (rnp.argmin, _REDUCED),
    "Argpartition": (rnp.argpartition, {"kth": "kth", "axis": "axis"}),
    "Argsort": (rnp.argsort, _ALONG),
    "CountNonzero": (rnp.count_nonzero, _ALONG),
    "Nanargmax": (rnp.nanargmax, _REDUCED),
    "Nanargmin": (rnp.nanargmin, _REDUCED),
    "SearchSorted": (rnp.searchsorted, {"side": "side"}),
}
"""Functions whose results are positions or counts, which are int32 in Keras."""


@keras_operation(*_FUNCTIONS)
def numpy_operation(layer: LayerReader) -> Expr | Sequence[Expr]:
    """Translate an operation to NumPy's function of the same meaning."""
    function, options = _FUNCTIONS[layer.kind]
    found: Expr | tuple[Expr, ...] | list[Expr] = _called(layer, function, options)
    return found if isinstance(found, Expr) else list(found)


@keras_operation(*_PLACES)
def positions(layer: LayerReader) -> Expr:
    """Translate an operation whose results are positions or counts."""
    function, options = _PLACES[layer.kind]
    return Call(Cast(int32), (_called(layer, function, options),), span=layer.span)


def _called(layer: LayerReader, function: Callable[..., Any], options: Options) -> Any:
    layer.ignore("axisa", "axisb", "axisc", *options)
    named = {
        name: _plain(layer.option(option))
        for option, name in options.items()
        if layer.option(option) is not None
    }
    return function(*layer.values(), **named)


def _plain(value: object) -> object:
    """Return an option with lists as tuples, as NumPy's functions take axes and shapes."""
    return tuple(map(_plain, value)) if is_list(value) else value


@keras_operation("Pad")
def pad(layer: LayerReader) -> Expr:
    """Translate `pad` in all modes of NumPy's function that Keras has."""
    x, *more = layer.values()
    widths, mode = _plain(layer.option("pad_width")), layer.text("mode", "constant")
    value = more[0] if more and more[0] is not None else layer.named.get("constant_values")
    layer.ignore("constant_values")
    if mode == "constant":
        return rnp.pad(x, widths, mode, constant_values=0 if value is None else value)
    return rnp.pad(x, widths, mode)


@keras_operation("DivideNoNan")
def divide_no_nan(layer: LayerReader) -> Expr:
    """Translate `divide_no_nan`: quotients, which are 0 where the divisor is 0."""
    x, y = layer.values()
    is_zero = rnp.equal(y, 0)
    quotient = rnp.divide(x, rnp.where(is_zero, rnp.ones_like(y), y))
    return rnp.where(is_zero, rnp.zeros_like(quotient), quotient)


@keras_operation("Einsum")
def einsum(layer: LayerReader) -> Expr:
    """Translate `einsum`."""
    return rnp.einsum(layer.text("subscripts"), *layer.values())


@keras_operation("Ndim", "Size")
def size(layer: LayerReader) -> Any:
    """Translate `ndim` and `size`."""
    (x,) = layer.values()
    return rnp.ndim(x) if layer.kind == "Ndim" else rnp.size(x)

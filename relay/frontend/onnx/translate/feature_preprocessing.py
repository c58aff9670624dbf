"""Translate `ai.onnx.ml` operators that prepare features, such as scalers and encoders."""

from typing import Any

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.classifier_scores import ML
from relay.frontend.onnx.translate.run_time_checks import Requirement, required
from relay.ir.dims import product
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ops.binary import divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import Greater, equal
from relay.ops.elementwise import Abs, IsNan
from relay.ops.max_min_reductions import All, Max
from relay.ops.max_min_reductions import Any as AnyOf
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.search_and_unique import SearchSorted
from relay.ops.transcendental import Sqrt
from relay.support.dtype import float32, int64
from relay.support.error_codes import ErrorCode


@onnx_operator("Scaler", domain=ML)
def scaler(node: OnnxNode) -> Expr:
    """Translate `Scaler`: subtract an offset from each column and scale it, in float32."""
    x = _single(node.expr(0))
    for name, join in (("offset", subtract), ("scale", multiply)):
        given = node.attribute(name)
        if given is not None:
            x = join(x, Constant(np.array(given, np.float32)))
    return x


def _single(x: Expr) -> Expr:
    return x if x.tensor_type.dtype is float32 else Call(Cast(float32), (x,), span=x.span)


@onnx_operator("Normalizer", domain=ML)
def normalizer(node: OnnxNode) -> Expr:
    """Translate `Normalizer`: divide each row by its maximum or norm, unless that is zero."""
    x, kind = _single(node.expr(0)), node.choice("norm", ("MAX", "L1", "L2"), "MAX")
    match kind:
        case "MAX":
            norm = Call(Max(axis=(-1,), keepdims=True), (x,))
        case "L1":
            norm = Call(Sum(axis=(-1,), keepdims=True), (Call(Abs(), (x,)),))
        case _:
            squares = Call(Sum(axis=(-1,), keepdims=True), (multiply(x, x),))
            norm = Call(Sqrt(), (squares,))
    return divide(x, where(equal(norm, constant(0.0, float32)), constant(1.0, float32), norm))


@onnx_operator("Binarizer", domain=ML)
def binarizer(node: OnnxNode) -> Expr:
    """Translate `Binarizer`: 1 for numbers above a threshold, else 0."""
    x = node.expr(0)
    dtype = x.tensor_type.dtype
    above = Call(Greater(), (x, constant(node.attribute("threshold", 0.0), dtype)))
    return Call(Cast(dtype), (above,), span=node.span)


@onnx_operator("Imputer", domain=ML)
def imputer(node: OnnxNode) -> Expr:
    """Translate `Imputer`: replace missing numbers by a value for each column."""
    x = node.expr(0)
    dtype = x.tensor_type.dtype
    kind = "float" if dtype.is_float else "int64"
    values = node.required(f"imputed_value_{kind}s")
    replaced = node.attribute(f"replaced_value_{kind}", 0)
    missing = (
        Call(IsNan(), (x,))
        if dtype.is_float and np.isnan(replaced)
        else equal(x, constant(replaced, dtype))
    )
    return where(missing, Constant(np.array(values, dtype.numpy)), x)


@onnx_operator("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(node: OnnxNode) -> Expr:
    """Translate `ArrayFeatureExtractor`: select columns; the result for a vector is a row."""
    x, places = node.expr(0), node.expr(1)
    flat = reshape(places, (product(places.tensor_type.shape),))
    found = Call(Take(axis=-1, mode="raise"), (x, flat), span=node.span)
    return found if x.tensor_type.rank > 1 else Call(ExpandDims(0), (found,))


@onnx_operator("FeatureVectorizer", domain=ML)
def feature_vectorizer(node: OnnxNode) -> Expr:
    """Translate `FeatureVectorizer`: concatenate columns as float32."""
    parts = [_single(each) for each in node.exprs()]
    columns = [
        each if each.tensor_type.rank > 1 else Call(ExpandDims(1), (each,)) for each in parts
    ]
    return Call(Concatenate(1), (Tuple(tuple(columns)),), span=node.span)


@onnx_operator("OneHotEncoder", domain=ML)
def one_hot_encoder(node: OnnxNode) -> Expr:
    """Translate `OneHotEncoder`; unknown categories give zeros, or trap."""
    x, categories = node.expr(0), node.attribute("cats_int64s")
    if not categories:
        raise node.error(
            ErrorCode.F017,
            "the attribute cats_strings is not supported: categories must be integers",
            help="number the words before the call, and export the encoder with these integers",
        )
    whole = Call(Cast(int64), (x,))
    same = equal(Call(ExpandDims(-1), (whole,)), Constant(np.array(categories, np.int64)))
    if node.attribute("zeros", 1):
        return Call(Cast(float32), (same,), span=node.span)
    known = Call(All(), (Call(AnyOf(axis=(-1,)), (same,)),))
    what = Requirement(same, known, "an input number is not one of the categories")
    (found,) = required(node, what, lambda each: [Call(Cast(float32), (each,))])
    return found


_DEFAULTS = {"float": -0.0, "int64": -1}


@onnx_operator("LabelEncoder", domain=ML)
def label_encoder(node: OnnxNode) -> Expr:
    """Translate `LabelEncoder`: map numbers by a table, with a default for missing keys.

    Raises `F017` for tables of strings.
    """
    x = node.expr(0)
    keys, _ = _listed(node, "keys")
    values, kind = _listed(node, "values")
    default = node.attribute("default_tensor")
    if default is None:
        default = node.attribute(f"default_{kind}", _DEFAULTS[kind])
    order = np.argsort(keys, kind="stable")  # NaN is last
    ordered, dtype = keys[order].astype(x.tensor_type.dtype.numpy), x.tensor_type.dtype
    table = Constant(ordered)
    place = Call(SearchSorted(dtype=int64), (table, x))
    there = Call(Take(axis=0, mode="clip"), (table, place))
    found = equal(there, x)
    result = Call(Take(axis=0, mode="clip"), (Constant(values[order]), place))
    result = where(found, result, Constant(np.asarray(default, values.dtype).reshape(())))
    if dtype.is_float and len(ordered) and np.isnan(ordered[-1]):
        of_nan = Constant(values[order][np.isnan(ordered)][0])
        result = where(Call(IsNan(), (x,)), of_nan, result)
    return result


def _listed(node: OnnxNode, side: str) -> tuple[Array, str]:
    """Return the keys or the values of a label table, and their kind, `int64` or `float`."""
    for kind, dtype in (("int64", np.int64), ("float", np.float32)):
        found: Any = node.attribute(f"{side}_{kind}s")
        if found:
            return np.array(found, dtype), kind
    tensor = node.attribute(f"{side}_tensor")
    if tensor is None or tensor.dtype.kind not in "iuf":
        raise node.error(ErrorCode.F017, "tables of strings are not supported")
    return tensor, "float" if tensor.dtype.kind == "f" else "int64"

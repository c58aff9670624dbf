"""Write MXNet's answers for single operators: tests/frontend/mxnet/operators.zip.

Needs MXNet 1.9.1, and therefore Python 3.8 and `numpy<1.24`: `python tools/mxnet_operators.py
FILE`. Each case of the file is a network (`NAME.json`) with its inputs and answers (`NAME.npz`).
"""

# pyright: reportUnknownLambdaType=none, reportUnknownVariableType=none
import ctypes
import io
import sys
import zipfile
from importlib import import_module
from typing import Any

import numpy as np

mx: Any = import_module("mxnet")
creation: Any = import_module("mxnet._ctypes.symbol")
sym = mx.sym
contrib, linalg = mx.sym.contrib, mx.sym.linalg
RANDOM = np.random.RandomState(0)
CASES: "dict[str, tuple[Any, list[np.ndarray]]]" = {}


def normal(*shape: int) -> np.ndarray:
    """Return random numbers."""
    return RANDOM.normal(size=shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    """Return random numbers from 0.1 to 1."""
    return RANDOM.uniform(0.1, 1, shape).astype(np.float32)


def whole(high: int, *shape: int) -> np.ndarray:
    """Return random integers below `high`, as floats."""
    return RANDOM.randint(0, high, shape).astype(np.float32)


def case(name: str, build: Any, *inputs: np.ndarray) -> None:
    """Declare a case: `build` maps variables to symbols."""
    assert name not in CASES, name
    CASES[name] = build, list(inputs)


def boxes(*shape: int) -> np.ndarray:
    """Return random boxes by their corners."""
    first = RANDOM.uniform(0, 1, (*shape, 2))
    return np.concatenate([first, first + RANDOM.uniform(0.1, 1, (*shape, 2))], -1).astype("f4")


class Operators:
    """Makes nodes of operators by their names without the `_` at the beginning."""

    def __getattr__(self, name: str) -> Any:
        """Return a function of symbols and attributes."""
        handle = ctypes.c_void_p()
        found = mx.base._LIB.NNGetOpHandle(f"_{name}".encode(), ctypes.byref(handle))  # noqa: SLF001
        assert found == 0, name

        def make(*inputs: Any, **attributes: Any) -> Any:
            keys, values = list(attributes), list(attributes.values())
            return creation._symbol_creator(  # noqa: SLF001
                handle.value, inputs, None, keys, values, None, is_np_op=False
            )

        return make


HIDDEN: Any = Operators()


def elementwise() -> None:
    """Declare elementwise operators."""
    x, y = normal(3, 4), normal(3, 4)
    for name in ("arcsinh", "expm1", "cbrt", "degrees", "radians", "gamma", "gammaln", "softmin",
                 "round", "rint", "softsign", "erf", "logical_not"):  # fmt: skip
        case(name, getattr(sym, name), x + 0.3)
    for name in ("arccosh", "log1p", "rcbrt", "rsqrt"):
        case(name, getattr(sym, name), positive(3, 4) + 1)
    for name in ("arctanh", "erfinv", "arcsin"):
        case(name, getattr(sym, name), positive(3, 4) - 0.2)
    for name in ("and", "or", "xor"):
        case(f"broadcast_{name}", getattr(sym, f"broadcast_logical_{name}"), whole(2, 3, 4), y[:1])
        case(f"{name}_scalar", lambda a, name=name: getattr(HIDDEN, f"logical_{name}_scalar")(
            a, scalar=2.0), whole(2, 3, 4))  # fmt: skip
    case("hypot", sym.broadcast_hypot, x, y[:, :1])
    case("hypot_scalar", lambda a: HIDDEN.hypot_scalar(a, scalar=2.0), x)
    case("mod", sym.broadcast_mod, x, y)
    case("quadratic", lambda a: contrib.quadratic(a, a=2, b=-1, c=0.5), x)
    case("where_rows", sym.where, whole(2, 3), x, y)
    case(
        "broadcast_like_axes",
        lambda a, b: sym.broadcast_like(a, b, lhs_axes=(1,), rhs_axes=(0,)),
        x[:, :1],
        normal(5),
    )
    case("norm_1", lambda a: sym.norm(a, ord=1, axis=1), x)
    case("nansum", lambda a: sym.nansum(a, axis=1), np.where(x > 0.5, np.nan, x).astype("f4"))
    case("nanprod", sym.nanprod, np.where(x > 0.5, np.nan, x).astype("f4"))
    case("moments", lambda a: sym.Group([*sym.moments(a, axes=(0, 2))]), normal(2, 3, 4))
    case("ste", lambda a: contrib.round_ste(a) + contrib.sign_ste(a), x * 3)
    case("losses", lambda a, b: sym.SVMOutput(sym.MakeLoss(a), b) * 2, x, whole(4, 3))
    case("softmax_cross_entropy", sym.softmax_cross_entropy, x, whole(4, 3))
    case("regression", sym.LogisticRegressionOutput, x, y)
    case("softmax_length", lambda a, b: sym.softmax(a, b, use_length=True, axis=1),
         normal(2, 4, 3), np.array([[1, 2, 4], [3, 1, 2]], np.int32))  # fmt: skip
    case("leaky_rrelu", lambda a: sym.LeakyReLU(a, act_type="rrelu")[0], x)
    for kind in ("leaky", "elu", "selu", "gelu"):
        case(f"leaky_{kind}", lambda a, kind=kind: sym.LeakyReLU(a, act_type=kind, slope=0.3), x)
    case("prelu", lambda a, b: sym.LeakyReLU(a, b, act_type="prelu"), normal(2, 3, 4), positive(3))


def indexing() -> None:
    """Declare operators that sort, select and scatter."""
    x, cube = normal(3, 5), normal(2, 3, 4)
    for kind in ("value", "indices", "mask"):
        case(f"topk_{kind}", lambda a, kind=kind: sym.topk(a, k=2, ret_typ=kind), x)
    case("topk_both", lambda a: sym.Group(
        [*sym.topk(a, k=2, axis=0, ret_typ="both", is_ascend=True, dtype="int32")]), x)  # fmt: skip
    case("topk_flat", lambda a: sym.topk(a, axis=None, k=3), x)
    case("sort", lambda a: sym.sort(a, axis=0, is_ascend=False), x)
    case("argsort", sym.argsort, x)
    case("pick", lambda a, b: sym.pick(a, b, axis=1), cube, whole(5, 2, 4))
    case("pick_wrap", lambda a, b: sym.pick(a, b, keepdims=True, mode="wrap"), x, whole(9, 3) - 3)
    case("batch_take", sym.batch_take, x, np.array([0, 4, 2], np.int32))
    case("take_wrap", lambda a, b: sym.take(a, b, axis=1, mode="wrap"), x, whole(12, 2, 2) - 5)
    case("gather_nd", sym.gather_nd, cube, np.array([[0, 1, 1], [2, 0, 1]], np.float32))
    case("scatter_nd", lambda a, b: sym.scatter_nd(a, b, shape=(4, 3)), normal(3),
         np.array([[0, 3, 1], [2, 0, 1]], np.float32))  # fmt: skip


def places_and_sequences() -> None:
    """Declare operators on coordinates, slices and sequences."""
    x, cube = normal(3, 5), normal(2, 3, 4)
    case("one_hot", lambda a: sym.one_hot(a, depth=4, on_value=2, off_value=-1), whole(6, 3, 2))
    case("boolean_mask", contrib.boolean_mask, cube, np.array([0, 1], np.float32))
    case("index_copy", contrib.index_copy, x, np.array([2, 0], np.int64), normal(2, 5))
    case("index_array", lambda a: contrib.index_array(a, axes=(1, 0)), x)
    case("ravel", lambda a: sym.ravel_multi_index(a, shape=(4, 6)), whole(4, 2, 3))
    case("unravel", lambda a: sym.unravel_index(a, shape=(4, 6)), whole(24, 5))
    case("diag", lambda a: sym.diag(a, k=1), normal(3))
    case("diagonal", lambda a: sym.diag(a, axis1=0, axis2=2), cube)
    case("slice_backwards", lambda a: sym.slice(
        a, begin=(None, 3), end=(None, 0), step=(1, -2)), x)  # fmt: skip
    case("slice_assign", lambda a, b: HIDDEN.slice_assign(
        a, b, begin=(1, None), end=(3, 4), step=(1, 2)), x, normal(2, 2))  # fmt: skip
    case("slice_assign_scalar", lambda a: HIDDEN.slice_assign_scalar(
        a, scalar=7.0, begin=(0, 1), end=(2, 3)), x)  # fmt: skip
    case("split_v2", lambda a: sym.Group([*mx.sym.split_v2(a, (1, 3), axis=1)]), x)
    case(
        "split_sections",
        lambda a: sym.Group([*mx.sym.split_v2(a, 3, axis=0, squeeze_axis=True)]),
        x,
    )
    case("arange_like", lambda a: contrib.arange_like(a, start=2, step=0.5, axis=1), x)
    case("arange_repeat", lambda a: contrib.arange_like(a, repeat=5), x)
    case("ranges", lambda a: sym.broadcast_add(a, sym.arange(1, 11, 2) + sym.arange(5))
         + sym.eye(3, 5, 1), x)  # fmt: skip
    case("linspace", lambda a: sym.broadcast_add(a, sym.linspace(0, 1, 5)), x)
    case("shape_array", lambda a: sym.Group([sym.shape_array(a), sym.size_array(a)]), x)
    case("dot_cubes", lambda a, b: sym.dot(a, b, transpose_b=True), cube, normal(5, 4))
    lengths = np.array([2, 4, 1], np.float32)
    case("mask", lambda a, b: sym.SequenceMask(a, b, use_sequence_length=True, value=-9),
         normal(4, 3, 2), lengths)  # fmt: skip
    case("mask_1", lambda a, b: sym.SequenceMask(a, b, use_sequence_length=True, axis=1),
         normal(3, 4), lengths)  # fmt: skip
    case("last", lambda a, b: sym.SequenceLast(a, b, use_sequence_length=True), normal(4, 3, 2),
         lengths)  # fmt: skip
    case("last_all", lambda a: sym.SequenceLast(a, axis=1), normal(3, 4, 2))
    case("last_1", lambda a, b: sym.SequenceLast(a, b, use_sequence_length=True, axis=1),
         normal(3, 4, 2), lengths)  # fmt: skip
    case("reverse", lambda a, b: sym.SequenceReverse(a, b, use_sequence_length=True),
         normal(4, 3, 2), lengths)  # fmt: skip
    case("reverse_all", sym.SequenceReverse, normal(4, 3, 2))


def images() -> None:
    """Declare operators on images and boxes."""
    x = normal(2, 3, 5, 6)
    grid = RANDOM.uniform(-1.2, 1.2, (2, 2, 4, 3)).astype("f4")
    case("sampler", sym.BilinearSampler, x, grid)
    case("affine", lambda a: sym.GridGenerator(
        a, transform_type="affine", target_shape=(3, 4)), normal(2, 6))  # fmt: skip
    case("warp", lambda a: sym.GridGenerator(a, transform_type="warp"), normal(2, 2, 5, 6))
    case("transformer", lambda a, b: sym.SpatialTransformer(
        a, b, target_shape=(4, 5), transform_type="affine", sampler_type="bilinear"), x,
        normal(2, 6) * 0.5)  # fmt: skip
    case("upsampling", lambda a, b: sym.UpSampling(
        a, b, scale=2, sample_type="nearest", num_args=2), x[:, :, :4],
        x[:, :, :2, :3])  # fmt: skip
    case("upsampling_sum", lambda a, b: sym.UpSampling(
        a, b, scale=2, sample_type="nearest", num_args=2, multi_input_mode="sum"),
        x[:, :, :4], x[:, :, :2, :3])  # fmt: skip
    case("upsampling_bilinear", lambda a, b: sym.UpSampling(
        a, b, scale=2, num_filter=3, sample_type="bilinear", num_args=2), x,
        positive(3, 1, 4, 4))  # fmt: skip
    for mode in ("odd_scale", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"):
        named = {"scale_height": 1.6, "scale_width": 2.0} if mode == "odd_scale" else {}
        case(f"resize_{mode}", lambda a, mode=mode, named=named: contrib.BilinearResize2D(
            a, mode=mode, **named), x)  # fmt: skip
    case("resize_like", lambda a, b: contrib.BilinearResize2D(a, b, mode="like"), x,
         normal(1, 1, 3, 9))  # fmt: skip
    case("resize_half", lambda a: contrib.BilinearResize2D(
        a, height=7, width=4, align_corners=False), x)  # fmt: skip
    case("adaptive", lambda a: contrib.AdaptiveAvgPooling2D(a, output_size=(2, 4)), x)
    case("sum_pool", lambda a: sym.Pooling(a, kernel=(2, 3), stride=(1, 2), pad=(1, 1),
                                           pool_type="sum"), x)  # fmt: skip
    case("lp_pool", lambda a: sym.Pooling(a, kernel=(2, 2), pool_type="lp", p_value=2), x)


def regions() -> None:
    """Declare operators on boxes and regions, and normalisations of images."""
    x = normal(2, 3, 5, 6)
    where = np.array([[0, 0, 0, 8, 8], [1, 2, 1, 9, 7], [1, 4, 4, 4, 4]], np.float32)
    case("roi_pooling", lambda a, b: sym.ROIPooling(
        a, b, pooled_size=(2, 2), spatial_scale=0.5), x, where)  # fmt: skip
    for aligned in (True, False):
        case(f"roi_align_{aligned}", lambda a, b, aligned=aligned: contrib.ROIAlign(
            a, b, pooled_size=(2, 3), spatial_scale=0.5, sample_ratio=2, aligned=aligned), x,
            where[:2])  # fmt: skip
    case("correlation", lambda a, b: sym.Correlation(
        a, b, kernel_size=1, max_displacement=2, stride1=1, stride2=2, pad_size=2), x,
        x[::-1])  # fmt: skip
    case("correlation_differences", lambda a, b: sym.Correlation(
        a, b, kernel_size=3, max_displacement=1, pad_size=2, is_multiply=False), x,
        x[::-1])  # fmt: skip
    case("crop", lambda a: sym.Crop(a, num_args=1, h_w=(3, 4), center_crop=True), x)
    case("crop_like", lambda a, b: sym.Crop(a, b, num_args=2, offset=(1, 2)), x, x[:, :, :2, :3])
    case("deformable", lambda a, b, c, d: contrib.DeformableConvolution(
        a, b, c, d, kernel=(3, 3), pad=(1, 1), num_filter=4), x, normal(2, 18, 5, 6),
        normal(4, 3, 3, 3), normal(4))  # fmt: skip
    case("modulated", lambda a, b, c, d: contrib.ModulatedDeformableConvolution(
        a, b, c, d, kernel=(3, 3), pad=(1, 1), num_filter=4, no_bias=True), x, normal(2, 18, 5, 6),
        positive(2, 9, 5, 6), normal(4, 3, 3, 3))  # fmt: skip
    rows = np.concatenate([whole(2, 2, 6, 1), positive(2, 6, 1), boxes(2, 6)], -1)
    case("nms", lambda a: contrib.box_nms(a, overlap_thresh=0.3, valid_thresh=0.2, id_index=0),
         rows)  # fmt: skip
    case("nms_plain", lambda a: contrib.box_nms(
        a, overlap_thresh=0.3, topk=4, coord_start=1, score_index=0), rows[0, :, 1:])  # fmt: skip
    case("nms_center", lambda a: contrib.box_nms(
        a, id_index=0, background_id=0, force_suppress=True, in_format="center",
        out_format="center"), rows)  # fmt: skip
    case("iou", contrib.box_iou, boxes(2, 3), boxes(4))
    case("iou_center", lambda a, b: contrib.box_iou(a, b, format="center"), boxes(3), boxes(4))
    case("decode", lambda a, b: contrib.box_decode(
        a, b, std0=0.1, std1=0.1, std2=0.2, std3=0.2, format="corner", clip=1.5), normal(2, 3, 4),
        boxes(1, 3))  # fmt: skip
    photo = whole(256, 5, 6, 3).astype("u1")
    case("photo", lambda a: HIDDEN.image_normalize(HIDDEN.image_to_tensor(HIDDEN.image_crop(
        HIDDEN.image_flip_left_right(a), x=1, y=2, width=4, height=3)), mean=(0.1, 0.2, 0.3),
        std=(0.5, 0.6, 0.7)), photo)  # fmt: skip
    case("group_norm", lambda a, b, c: sym.GroupNorm(a, b, c, num_groups=2), normal(2, 4, 3),
         positive(2), normal(2))  # fmt: skip
    for mode in ("instance", "channel", "spatial"):
        case(f"l2_{mode}", lambda a, mode=mode: sym.L2Normalization(a, mode=mode), x)
    case("lrn", lambda a: sym.LRN(a, nsize=3, alpha=0.1, knorm=1), x)
    case("instance_norm", sym.InstanceNorm, x, positive(3), normal(3))
    case("layer_norm", lambda a, b, c: sym.LayerNorm(a, b, c, axis=1), x, positive(3), normal(3))


def attention() -> None:
    """Declare GluonNLP's operators, loops and conditionals."""
    x, att = normal(5, 2, 24), positive(4, 5, 5)
    case("selfatt_qk", lambda a: contrib.interleaved_matmul_selfatt_qk(a, heads=2), x)
    case("selfatt_valatt", lambda a, b: contrib.interleaved_matmul_selfatt_valatt(a, b, heads=2),
         x, att)  # fmt: skip
    case("encdec_qk", lambda a, b: contrib.interleaved_matmul_encdec_qk(a, b, heads=2),
         normal(3, 2, 8), normal(5, 2, 16))  # fmt: skip
    case("encdec_valatt", lambda a, b: contrib.interleaved_matmul_encdec_valatt(a, b, heads=2),
         normal(5, 2, 16), positive(4, 3, 5))  # fmt: skip
    case("div_sqrt_dim", contrib.div_sqrt_dim, x)
    case("foreach", lambda a, b, c: sym.Group([*_flat(contrib.foreach(
        lambda row, state: (row * c + state, state + row), a, b))]), normal(4, 3), normal(3),
        normal(3))  # fmt: skip
    case("while_loop", _loop, normal(3), normal(3))
    case("cond", lambda a, b: contrib.cond(sym.sum(a) > sym.sum(b), lambda: a * 2, lambda: b + a),
         normal(3), normal(3))  # fmt: skip


def matrices() -> None:
    """Declare operators of linear algebra."""
    a, b = normal(2, 3, 3), normal(2, 3, 3)
    spd = (a @ a.transpose(0, 2, 1) + np.eye(3)).astype("f4")
    low = np.tril(positive(2, 3, 3) + np.eye(3)).astype("f4")
    case("gemm", lambda x, y, z: linalg.gemm(x, y, z, transpose_a=True, alpha=2, beta=0.5), a, b, a)
    case("gemm2", lambda x, y: linalg.gemm2(x, y, transpose_b=True, alpha=2), a, b)
    case("syrk", lambda x: linalg.syrk(x, transpose=True, alpha=0.5), a[:, :2])
    case("potrf", linalg.potrf, spd)
    case("potri", linalg.potri, low)
    for rightside in (True, False):
        for transpose in (True, False):
            named = {"rightside": rightside, "transpose": transpose, "alpha": 1.5}
            case(f"trsm_{rightside}_{transpose}",
                 lambda x, y, named=named: linalg.trsm(x, y, **named), low, b)  # fmt: skip
            case(f"trmm_{rightside}_{transpose}",
                 lambda x, y, named=named: linalg.trmm(x, y, **named), low, b)  # fmt: skip
    case("inverse", linalg.inverse, spd)
    case("det", linalg.det, a)
    case("slogdet", lambda x: sym.Group([*linalg.slogdet(x)]), a)
    case("sumlogdiag", linalg.sumlogdiag, low)
    case("extractdiag", lambda x: linalg.extractdiag(x, offset=1), a)
    case("makediag", lambda x: linalg.makediag(x, offset=-1), normal(2, 3))
    case("extracttrian", lambda x: linalg.extracttrian(x, offset=-1), a)
    case("maketrian", linalg.maketrian, normal(2, 6))
    case("maketrian_upper", lambda x: linalg.maketrian(x, offset=1), normal(2, 3))
    case("syevd", lambda x: sym.broadcast_add(
        sym.abs(linalg.syevd(x)[0]), sym.expand_dims(linalg.syevd(x)[1], 1)),
         spd)  # fmt: skip
    case("gelqf", lambda x: sym.Group([*linalg.gelqf(x)]), a[:, :2])
    case("khatri_rao", sym.khatri_rao, normal(3, 4), normal(2, 4))


def recurrent() -> None:
    """Declare recurrent layers with one vector of weights."""
    for mode, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        size = sum(gates * 3 * (width + 3 + 2) for width in (4, 4, 6, 6))
        states = [normal(4, 2, 3)] * (2 if mode == "lstm" else 1)
        case(f"rnn_{mode}", lambda *args, mode=mode: sym.Group([*sym.RNN(
            *args, state_size=3, num_layers=2, bidirectional=True, mode=mode,
            state_outputs=True)]), normal(5, 2, 4), normal(size) * 0.5, *states)  # fmt: skip
    size = sum(12 * (width + 2) + 2 * 3 + 24 for width in (4, 4, 4, 4))
    case("rnn_projected", lambda *args: sym.Group([*sym.RNN(
        *args, state_size=3, num_layers=2, bidirectional=True, mode="lstm", projection_size=2,
        state_outputs=True)]), normal(5, 2, 4), normal(size) * 0.5, normal(4, 2, 2),
        normal(4, 2, 3))  # fmt: skip


def numpy_operators() -> None:
    """Declare NumPy's operators, as networks of Gluon's `npx.set_np()` have them."""
    x, y, n = normal(3, 4), normal(3, 4), RANDOM.randint(-4, 5, (3, 4)).astype(np.int32)
    i = HIDDEN
    for name in ("arcsinh", "absolute", "cbrt", "ceil", "exp", "fix", "isnan", "logical_not",
                 "negative", "rint", "sign", "square", "trunc", "reciprocal"):  # fmt: skip
        case(f"np_{name}", getattr(i, f"npi_{name}"), x)
    for name in ("add", "subtract", "multiply", "mod", "true_divide", "arctan2", "hypot",
                 "copysign", "less", "greater_equal", "not_equal", "ldexp"):  # fmt: skip
        case(f"np_{name}", getattr(i, f"npi_{name}"), x, y[:1])
    case("np_add_mixed", i.npi_add, n, x)
    case("np_bitwise", i.npi_bitwise_and, n, n[::-1].copy())
    case("np_lcm", i.npi_lcm, n, n[::-1].copy())
    for name in ("add", "rsubtract", "true_divide", "rtrue_divide", "power", "rpower", "mod",
                 "rmod", "less", "equal", "arctan2", "copysign"):  # fmt: skip
        case(f"np_{name}_scalar", lambda a, name=name: getattr(i, f"npi_{name}_scalar")(
            a, scalar=2.5), np.abs(x))  # fmt: skip
    case("np_int_scalar", lambda a: i.npi_add_scalar(a, scalar=2, is_int=True), n)
    case("np_float_scalar", lambda a: i.npi_multiply_scalar(a, scalar=2.5, is_int=False), n)
    case("np_divide_of_int", lambda a: i.npi_true_divide_scalar(a, scalar=2), n)
    for name in ("_np_sum", "_np_max", "_np_prod", "_npi_mean", "_npi_std", "_npi_var", "_np_any"):
        case(f"np{name}", lambda a, name=name: getattr(i, name[1:])(a, axis=(0,), keepdims=True), x)
        case(f"np{name}_all", getattr(i, name[1:]), x)
    case("np_mean_of_int", lambda a: i.npi_mean(a, axis=(1,)), n)
    case("np_argmax", lambda a: i.npi_argmax(a, axis=1), x)
    case("np_cumsum", lambda a: i.np_cumsum(a, axis=1), x)
    case("np_average", lambda a, b: sym.Group([*i.npi_average(a, b, axis=(1,))]), x, positive(4))


def numpy_shapes_and_matrices() -> None:
    """Declare NumPy's operators that move elements, make tensors, or compute with matrices."""
    x, y = normal(3, 4), normal(3, 4)
    i = HIDDEN
    case("np_concatenate", lambda a, b: i.npi_concatenate(a, b, axis=0, num_args=2), x, y)
    case("np_stack", lambda a, b: i.npi_stack(a, b, axis=1, num_args=2), x, y)
    for name in ("vstack", "hstack", "dstack", "column_stack"):
        case(f"np_{name}", lambda a, b, name=name: getattr(i, f"npi_{name}")(
            a, b, num_args=2), x, y)  # fmt: skip
    case("np_reshape", lambda a: i.np_reshape(a, newshape=(2, -1)), x)
    case("npx_reshape", lambda a: i.npx_reshape(a, newshape=(-5, -6, 2, -1, -4)),
         normal(2, 3, 4, 5))  # fmt: skip
    case("np_transpose", i.np_transpose, normal(2, 3, 4))
    case("np_moveaxis", lambda a: i.np_moveaxis(a, source=(0,), destination=(2,)),
         normal(2, 3, 4))  # fmt: skip
    case("np_squeeze", i.np_squeeze, normal(1, 3, 1))
    case("np_roll", lambda a: i.np_roll(a, shift=(1,), axis=(1,)), x)
    case("np_flip", lambda a: i.npi_flip(a, axis=(0,)), x)
    case("np_rot90", lambda a: i.npi_rot90(a, k=1, axes=(0, 1)), x)
    case("np_diag", lambda a: i.np_diag(a, k=1), x)
    case("np_diagflat", i.np_diagflat, normal(2))
    case("np_diagonal", lambda a: i.np_diagonal(a, offset=1), x)
    case("np_trace", i.np_trace, x)
    case("np_tril", lambda a: i.npi_tril(a, k=-1), x)
    case("np_broadcast_to", lambda a: i.npi_broadcast_to(a, shape=(2, 3, 4)), x[:1])
    case("np_dot", i.np_dot, x, normal(4))
    case("np_matmul", i.npi_matmul, normal(2, 3, 4), normal(4, 2))
    case("np_tensordot", lambda a, b: i.npi_tensordot(
        a, b, a_axes_summed=(1,), b_axes_summed=(0,)), x, normal(4, 2))  # fmt: skip
    case("np_einsum", lambda a, b: i.npi_einsum(a, b, num_args=2, subscripts="ij,ik->jk"), x, y)
    case("np_where", i.npi_where, (x > 0).astype("f4"), x, y)
    case("np_where_lscalar", lambda a, b: i.npi_where_lscalar(a, b, scalar=2.0), x, y)
    case("np_around", lambda a: i.npi_around(a, decimals=1), x)
    case("np_nan_to_num", lambda a: i.npi_nan_to_num(a, nan=3.0),
         np.array([np.nan, np.inf, 1], np.float32))  # fmt: skip
    case("np_full_like", lambda a: i.npi_full_like(a, fill_value=2.5), x)
    case("np_diff", lambda a: i.npi_diff(a, n=2), x)
    case("np_ediff1d", lambda a: i.npi_ediff1d(a, to_end_scalar=9.0), normal(5))
    case("np_pad", lambda a: i.npi_pad(a, pad_width=((1, 0), (0, 2)), mode="constant",
                                        constant_value=3.0), x)  # fmt: skip
    case("np_pad_edge", lambda a: i.npi_pad(a, pad_width=((1, 0), (0, 2)), mode="edge"), x)
    case("np_percentile", lambda a: i.npi_percentile(a, q_scalar=30.0, axis=(1,)), x)
    case("np_polyval", i.npi_polyval, normal(3), x)
    case("np_created", lambda a: sym.broadcast_add(a, i.npi_arange(start=1, stop=5))
         + i.npi_ones(shape=(3, 4)) + i.npi_eye(N=3, M="4", k=1), x)  # fmt: skip
    case("np_indices", lambda a: sym.broadcast_add(
        sym.Cast(i.npi_indices(dimensions=(3, 4)), dtype="float32"), a), x)  # fmt: skip
    case("np_windows", lambda a: i.npi_hanning(M="4") + i.npi_blackman(M="4") + a, x[0])
    case("np_logspace", lambda a: a + i.npi_logspace(start=0.0, stop=1.0, num=4), x[0])
    case("np_solve", i.npi_solve, (positive(3, 3) + 2 * np.eye(3)).astype("f4"), normal(3, 2))
    case("np_cholesky", i.npi_cholesky, (np.eye(3) * 2 + 0.5).astype("f4"))
    case("np_norm", lambda a: i.npi_norm(a, ord=2, flag=-2), x)
    case("np_norm_of_matrices", lambda a: i.npi_norm(a, ord=2, axis=(1, 2), flag=0),
         normal(2, 3, 4))  # fmt: skip
    case("np_norm_of_rows", lambda a: i.npi_norm(a, ord=3, axis=(1,), keepdims=True, flag=-1), x)
    case("npx_activations", lambda a: i.npx_relu(a) + i.npx_sigmoid(a), x)


def _loop(a: Any, b: Any) -> Any:
    """Return a loop of three steps; what MXNet returns for steps that do not run is arbitrary."""
    rows, *last = _flat(contrib.while_loop(
        lambda i, _: i < 3, lambda i, s: ([s * 2], [i + 1, s + b]), [sym.sum(a) * 0, a],
        max_iterations=5))  # fmt: skip
    return sym.Group([sym.slice_axis(rows, axis=0, begin=0, end=3), *last])


def _flat(values: Any) -> Any:
    """Return the symbols in lists of lists."""
    if not isinstance(values, (list, tuple)):
        return [values]
    return [each for value in values for each in _flat(value)]


def densities_and_windows() -> None:
    """Declare densities of distributions, windows of images, histograms and checks."""
    samples = positive(2, 3, 4)
    pairs = {
        "uniform": (normal(2, 3), normal(2, 3) + 9), "normal": (normal(2, 3), positive(2, 3)),
        "gamma": (positive(2, 3) + 1, positive(2, 3)), "exponential": (positive(2, 3),),
        "poisson": (positive(2, 3) * 3,), "negative_binomial": (whole(4, 2, 3) + 1, positive(2, 3)),
        "generalized_negative_binomial": (positive(2, 3) * 3, positive(2, 3)),
    }  # fmt: skip
    counts = {"poisson", "negative_binomial", "generalized_negative_binomial"}
    for name, parameters in pairs.items():
        function = getattr(sym, f"random_pdf_{name}")
        given = whole(5, 2, 3, 4) if name in counts else samples
        for is_log in (False, True):
            case(f"pdf_{name}_{int(is_log)}", lambda *a, f=function, log=is_log: f(*a, is_log=log),
                 given, *parameters)  # fmt: skip
    shares = samples / samples.sum(-1, keepdims=True)
    case("pdf_dirichlet", sym.random_pdf_dirichlet, shares, positive(2, 4) + 1)
    images = normal(2, 3, 6, 5)
    case("im2col", lambda a: sym.im2col(a, kernel=(3, 2), stride=(2, 1), dilate=(1, 2), pad=(1, 0)),
         images)  # fmt: skip
    case("im2col_plain", lambda a: sym.im2col(a, kernel=(2, 2)), images)
    case("col2im", lambda a: sym.col2im(a, output_size=(6, 5), kernel=(2, 2), stride=(1, 2),
                                        pad=(1, 1)), normal(2, 12, 21))  # fmt: skip
    case("histogram", lambda a: sym.Group([*sym.histogram(a, bins=5, range=(-1.0, 1.5))]), images)
    bad = np.array([1, np.nan], np.float32)
    case("all_finite", lambda a, b: sym.concat(sym.all_finite(a), sym.all_finite(b), dim=0),
         images, bad)  # fmt: skip
    case("multi_finite", lambda a, b: sym.multi_all_finite(a, b, num_arrays=2), images, bad)
    case("sums_of_squares", lambda a, b: sym.multi_sum_sq(a, b, num_arrays=2), images, samples)
    case("pinv", lambda a, b: HIDDEN.npi_pinv(a, b, hermitian=False), normal(2, 4, 3),
         np.array([0.1, 0.4], np.float32))  # fmt: skip
    case("diag_indices", HIDDEN.npi_diag_indices_from, normal(3, 3))
    case("allclose", contrib.allclose, images, images + 1e-7)


def losses_and_edits() -> None:
    """Declare losses of sequences, pooled regions, and changed tensors."""
    x, labels = normal(7, 2, 5), np.array([[1, 2, 0], [3, 3, 1]], np.float32)
    case("ctc", sym.CTCLoss, x, labels)
    case("ctc_short", sym.CTCLoss, x[:3], labels)
    case("ctc_last", lambda a, b: sym.CTCLoss(a, b, blank_label="last"), x, labels - 1)
    case("ctc_lengths", lambda *a: sym.CTCLoss(*a, use_data_lengths=True, use_label_lengths=True),
         x, labels + 1, np.array([7, 5], np.float32), np.array([2, 3], np.float32))  # fmt: skip
    case("ctc_label_lengths", lambda a, b, c: sym.CTCLoss(a, b, label_lengths=c,
                                                          use_label_lengths=True),
         x, labels + 1, np.array([1, 2], np.float32))  # fmt: skip
    case("sparse_embedding", lambda a, b: contrib.SparseEmbedding(a, b, input_dim=4, output_dim=3),
         np.array([2, 0, 3], np.float32), normal(4, 3))  # fmt: skip
    regions = np.array([[0, 1, 0, 9, 7], [1, 3, 4, 3.6, 4], [1, -2, 5, 30, 19]], np.float32)
    case("position_sensitive", lambda a, b: contrib.PSROIPooling(
        a, b, spatial_scale=0.5, output_dim=3, pooled_size=4, group_size=2), normal(2, 12, 9, 8),
        regions)  # fmt: skip
    matrix = normal(3, 4)
    case("delete", lambda a: HIDDEN.npi_delete(a, int_ind=-2, axis=1), matrix)
    case("delete_slice", lambda a: HIDDEN.npi_delete(a, start=0, stop=4, step=2, axis=1), matrix)
    case("delete_flat", lambda a: HIDDEN.npi_delete(a, int_ind=5), matrix)
    case("insert_number", lambda a: HIDDEN.npi_insert_scalar(a, val=2.5, int_ind=3), matrix)
    case("insert_row", lambda a, b: HIDDEN.npi_insert_scalar(a, b, int_ind=2, axis=0), matrix,
         normal(4))  # fmt: skip
    case("insert_slice", lambda a, b: HIDDEN.npi_insert_slice(
        a, b, start=0, stop=3, step=2, axis=1), matrix, normal(3, 2))  # fmt: skip


def written(build: Any, inputs: "list[np.ndarray]") -> "tuple[str, bytes]":
    """Return a network, and its inputs and answers as a NumPy file."""
    names = [f"input_{index}" for index in range(len(inputs))]
    symbol = build(*map(sym.Variable, names))
    arrays = {name: mx.nd.array(each, dtype=each.dtype) for name, each in zip(names, inputs)}  # noqa: B905 - this Python is too old for `strict`
    given = {name: arrays[name] for name in symbol.list_arguments() if name in arrays}
    found = symbol.bind(mx.cpu(), given).forward(is_train=False)
    outputs = {f"output_{index}": each.asnumpy() for index, each in enumerate(found)}
    data = io.BytesIO()
    np.savez_compressed(data, **dict(zip(names, inputs)), **outputs)  # noqa: B905 - as above
    return symbol.tojson(), data.getvalue()


def main(path: str) -> None:
    """Write all cases to a file."""
    families = (
        elementwise, indexing, places_and_sequences, images, regions, attention, matrices,
        recurrent, numpy_operators, numpy_shapes_and_matrices, densities_and_windows,
        losses_and_edits,
    )  # fmt: skip
    for declare in families:
        declare()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (build, inputs) in CASES.items():
            try:
                network, arrays = written(build, inputs)
            except Exception as error:  # noqa: BLE001 - each case says what fails
                print(f"{name}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
                continue
            archive.writestr(zipfile.ZipInfo(f"{name}.json"), network, zipfile.ZIP_DEFLATED)
            archive.writestr(zipfile.ZipInfo(f"{name}.npz"), arrays)


if __name__ == "__main__":
    main(sys.argv[1])

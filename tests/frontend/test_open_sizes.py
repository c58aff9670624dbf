"""ONNX operators over symbolic sizes, and over sizes that depend on data, against ONNX Runtime."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray

import relay

pytestmark = pytest.mark.onnx

HEADER = '<ir_version: 9, opset_import: ["" : 21]> g '
COMPRESS = "int64[h] keep) => (y) { k = Cast<to=9>(keep) d = Compress<axis=2>(x, k) "


def agree(text: str, arrays: Sequence[Sequence[NDArray[np.generic]]], header: str = HEADER) -> None:
    """Compile a model once, and compare its results with ONNX Runtime's for some inputs."""
    model = onnx.parser.parse_model(header + text)
    session = ort.InferenceSession(model.SerializeToString())
    compiled = relay.compile(relay.load(model), threads=1)
    names = [each.name for each in model.graph.input]
    for each in arrays:
        results: Any = compiled(*each)
        expected: Any = session.run(None, dict(zip(names, each, strict=True)))
        for one, other in zip(results if len(expected) > 1 else [results], expected, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-5)


def images(*sizes: int) -> NDArray[np.float32]:
    return np.random.default_rng(sum(sizes)).normal(size=(1, 1, *sizes)).astype(np.float32)


WINDOWS = "kernel_shape=[3,2], strides=[2,3]"


def test_same_padding_depends_on_symbolic_sizes() -> None:
    weight = "<float[2,1,2,2] w = {1,2,3,4,5,6,7,8}>"
    text = f"""(float[1,1,h,w] x) => (a, b, c, d, e, f) {weight} {{
        a = AveragePool<auto_pad="SAME_UPPER", {WINDOWS}>(x)
        b = AveragePool<auto_pad="SAME_LOWER", {WINDOWS}, count_include_pad=1>(x)
        c = LpPool<auto_pad="SAME_LOWER", {WINDOWS}>(x)
        d, e = MaxPool<auto_pad="SAME_LOWER", {WINDOWS}>(x)
        f = Conv<auto_pad="SAME_LOWER", strides=[2, 3]>(x, w)
    }}"""
    agree(text, [[images(h, w)] for h, w in ((5, 4), (6, 7), (1, 2))])


def test_same_padding_of_data_dependent_sizes() -> None:
    text = f'(float[1,1,h,4] x, {COMPRESS} y = MaxPool<auto_pad="SAME_LOWER", {WINDOWS}>(d) }}'
    keep = np.array([1, 1, 0, 1, 1, 0])
    agree(text, [[images(6, 4), keep], [images(6, 4), 1 - keep]])


def test_layer_normalization_over_a_data_dependent_size() -> None:
    nodes = "t = Transpose<perm=[0, 1, 3, 2]>(d) y = LayerNormalization(t, s, b) }"
    text = f"(float[1,1,h,3] x, {COMPRESS}{nodes}".replace(
        "=> (y) ", "=> (y) <float[1] s = {2}, float[1] b = {0.5}> "
    )
    agree(text, [[images(6, 3), np.array([1, 1, 0, 1, 1, 0])]])


def test_a_function_of_the_standard_with_weights() -> None:
    nodes = 'y = NegativeLogLikelihoodLoss<reduction="sum">(x, labels) }'
    agree(f"(float[2,3] x) => (y) <int64[2] labels = {{1,0}}> {{ {nodes}", [[images(2, 3)[0, 0]]])


def test_no_window_of_stride_1_fits_into_data_that_is_smaller_by_one_element() -> None:
    nodes = """y, i = MaxPool<kernel_shape=[3,1], pads=[0,0,0,0]>(x)
    z = AveragePool<kernel_shape=[4,1], pads=[1,0,0,0], count_include_pad=1>(x) }"""
    text = f"(float[1,1,h,3] x) => (y, i, z) {{ {nodes}"
    agree(text, [[images(size, 3)] for size in (2, 3, 5)])


def test_a_window_that_does_not_fit_is_reported_at_its_node() -> None:
    nodes = "y = Relu(x) z = MaxPool<kernel_shape=[3,3], strides=[2,2]>(y) }"
    model = relay.load(onnx.parser.parse_model(f"{HEADER}(float[1,1,h,w] x) => (z) {{ {nodes}"))
    with pytest.raises(relay.RelayError, match="R054") as caught:
        relay.create_executor("debug", model.module).evaluate()(images(1, 1))
    assert str(caught.value.span).endswith("node z")


def test_windows_that_would_begin_past_the_data_are_dropped() -> None:
    nodes = """y = AveragePool<kernel_shape=[1,2], strides=[2,3], ceil_mode=1>(x)
    z = MaxPool<kernel_shape=[2,2], strides=[4,2], pads=[1,0,0,1], ceil_mode=1>(x) }"""
    text = f"(float[1,1,h,w] x) => (y, z) {{ {nodes}"
    agree(text, [[images(*sizes)] for sizes in ((2, 4), (4, 5), (5, 6), (7, 9), (8, 11))])


def test_averages_count_their_padding_but_not_what_rounding_up_adds() -> None:
    nodes = """y = AveragePool<kernel_shape=[1,3], strides=[4,2], ceil_mode=1,
        count_include_pad=1>(x)
    z = AveragePool<kernel_shape=[2,4], strides=[2,3], pads=[1,2,1,3], ceil_mode=1,
        count_include_pad=1>(x) }"""
    text = f"(float[1,1,h,w] x) => (y, z) {{ {nodes}"
    agree(text, [[images(*sizes)] for sizes in ((2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8))])


def test_a_value_that_grows_in_a_loop_while_another_changes_its_rank_once() -> None:
    body = """(int64 i, bool c, float[k] v, u) => (bool d, float[l] w, t) {
        d = Identity(c) w = Concat<axis=0>(v, v) t = Reshape(u, one_row) }"""
    weights = "<int64[2] one_row = {1,-1}, int64[1] flat = {-1}>"
    text = f"""(float[m] x, int64 n) => (y, z) {weights} {{
        y, r = Loop<body = b {body}>(n, , x, x) z = Reshape(r, flat) }}"""
    agree(text, [[images(1, 3)[0, 0, 0], np.array(n)] for n in (0, 1, 4)])


def test_padding_of_axes_whose_number_is_an_input() -> None:
    text = "(float[1,1,2,3] x, int64[p] w, int64[a] axes) => (y, z) {"
    nodes = 'y = Pad(x, w, , axes) z = Pad<mode="wrap">(x, w, , axes) }'
    rows = [([1, 2], [-1]), ([1, 0, -1, 3], [3, 2]), ([1, -2], [3])]
    agree(f"{text} {nodes}", [[images(2, 3), np.array(w), np.array(a)] for w, a in rows])


def test_negative_widths_crop_before_the_other_side_is_padded() -> None:
    widths = "int64[8] w = {0,0,-1,1,0,0,1,-1}"
    nodes = (
        """y = Pad<mode="edge">(x, w) z = Pad<mode="wrap">(x, w) u = Pad<mode="reflect">(x, w) }"""
    )
    for h in ("3", "h"):
        agree(f"(float[1,1,{h},4] x) => (y, z, u) <{widths}> {{ {nodes}", [[images(3, 4)]])


def test_positions_of_extrema_in_no_rows_of_no_elements() -> None:
    nodes = "y = ArgMax<axis=1>(x) z = ArgMin<axis=1, keepdims=0>(x) }"
    rows = [(0, 3), (0, 0), (2, 3)]
    agree(f"(float[m,n] x) => (y, z) {{ {nodes}", [[np.zeros(row, np.float32)] for row in rows])


def test_longer_limits_of_non_max_suppression_have_unused_elements() -> None:
    text = """(float[1,n,4] b, float[1,1,n] s, int64[1] m, float[k] u, float[2] l) => (y) {
        y = NonMaxSuppression(b, s, m, u, l) }"""
    boxes = np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1], [2, 2, 3, 3]]], np.float32)
    scores = np.array([[[0.9, 0.8, 0.2]]], np.float32)
    rows = [np.array(each, np.float32) for each in ([0.5, 0.0, 0.0], [0.95])]
    least = np.array([0.1, 0.5], np.float32)
    agree(text, [[boxes, scores, np.array([3]), each, least] for each in rows])


@pytest.mark.parametrize("op", ["MaxPool", "LpPool", "AveragePool", "AveragePool counted"])
def test_a_part_of_a_window_with_a_stride_lies_in_data_that_are_smaller(op: str) -> None:
    kind, *counted = op.split()
    more = ", count_include_pad=1" if counted else ""
    nodes = f"""y = {kind}<kernel_shape=[2,5], strides=[2,3], pads=[0,1,0,0]{more}>(x)
    z = {kind}<kernel_shape=[4,2], strides=[3,2], dilations=[1,2]{more}>(x)
    u = {kind}<kernel_shape=[5,3], strides=[4,2], ceil_mode=1{more}>(x) }}"""
    text = f"(float[1,1,h,w] x) => (y, z, u) {{ {nodes}"
    agree(text, [[images(*sizes)] for sizes in ((2, 2), (3, 3), (2, 4), (4, 2), (5, 7), (8, 6))])


@pytest.mark.parametrize("sizes", ["h,w", "4,6"])
def test_means_that_count_padding_count_nothing_behind_it(sizes: str) -> None:
    nodes = """y = AveragePool<kernel_shape=[5,2], strides=[3,2], count_include_pad=1>(x)
    z = AveragePool<kernel_shape=[1,3], strides=[4,4], ceil_mode=1, count_include_pad=1>(x) }"""
    agree(f"(float[1,1,{sizes}] x) => (y, z) {{ {nodes}", [[images(4, 6)]])


def test_one_pixel_is_the_result_of_poolings_that_halve_it() -> None:
    halved = "a = MaxPool<kernel_shape=[2,2], strides=[2,2]>({})"
    nodes = "\n".join((halved.format("x"), halved.replace("a =", "y =").format("a")))
    text = f"(float[1,1,h,w] x) => (a, y) {{ {nodes} }}"
    agree(text, [[images(*sizes)] for sizes in ((1, 1), (1, 6), (3, 2), (9, 8))])
    model = relay.load(onnx.parser.parse_model(HEADER + text))
    assert "max(floordiv(h, 4) + -1, 0) + 1" in str(model)


def test_matrix_products_of_two_axes_whose_sizes_depend_on_data() -> None:
    nodes = """r = Compress<axis=0>(x, k) a = Compress<axis=2>(r, l)
    b = Compress<axis=0>(w, l) y = MatMul(a, b)
    c = Compress<axis=1>(w, k) z = MatMul(r, c) }"""
    text = f"(float[2,3,4] x, bool[2] k, bool[4] l, float[4,2] w) => (y, z) {{ {nodes}"
    x, w, inner = images(3, 4)[0].repeat(2, 0), images(4, 2)[0, 0], np.array([1, 0, 1, 1], bool)
    agree(text, [[x, np.array(each), inner, w] for each in ((True, True), (True, False))])


def test_sizes_decide_which_axes_are_removed() -> None:
    nodes = "s = Squeeze(x) a = Relu(s) y = Reshape(a, flat) z = ReduceSum<keepdims=0>(a) }"
    text = f"(float[h,1,w,3] x) => (y, z) <int64[1] flat = {{-1}}> {{ {nodes}"
    shapes = ((1, 1, 2, 3), (4, 1, 1, 3), (2, 1, 5, 3), (1, 1, 1, 3))
    agree(text, [[np.arange(np.prod(each), dtype="f").reshape(each)] for each in shapes])


def test_a_declared_rank_decides_how_many_axes_are_removed() -> None:
    text = "(float[h,1,w] x) => (float[m] y) { y = Squeeze(x) }"
    agree(text, [[images(*each)[0].reshape(each[0], 1, each[1])] for each in ((1, 4), (5, 1))])


def test_a_branch_in_which_a_node_fails_because_axes_were_removed_traps() -> None:
    nodes = "s = Squeeze(x) y, z = Split<axis=1, num_outputs=2>(s) }"
    text = f"(float[h,1,4] x) => (y, z) {{ {nodes}"
    agree(text, [[images(3, 4)[0].transpose(1, 0, 2)]])
    compiled = relay.compile(relay.load(onnx.parser.parse_model(HEADER + text)), threads=1)
    with pytest.raises(relay.RelayError, match="axis 1"):
        compiled(images(1, 4)[0])


def test_one_number_scales_all_channels_of_a_group_normalization() -> None:
    nodes = "y = GroupNormalization<num_groups=1>(x, s, b) }"
    text = f"(float[1,1,c,2] t) => (y) <float[1] s = {{2}}, float[1] b = {{0.5}}> {{ {nodes}"
    text = text.replace("{ y =", "{ x = Transpose<perm=[0, 2, 1, 3]>(t) y =")
    agree(text, [[images(1, 2)], [images(7, 2)]])


def test_a_region_of_all_axes_where_some_are_resized() -> None:
    region = 'coordinate_transformation_mode="tf_crop_and_resize", axes=[2,3], mode="linear"'
    weights = "<int64[2] n = {3,3}, float[8] r = {0.5,0,0.1,0.2,0.5,1,0.7,0.8}>"
    nodes = f"y = Resize<{region}>(x, roi, , n) z = Resize<{region}>(x, r, , n) }}"
    corners = np.array([0.5, 0, 0.3, 0.1, 0.5, 1, 0.8, 0.9], np.float32)
    agree(
        f"(float[1,1,8,8] x, float[8] roi) => (y, z) {weights} {{ {nodes}",
        [[images(8, 8), corners]],
    )


def test_a_loss_after_an_operator_without_a_rule_for_its_type() -> None:
    nodes = """g = GroupNormalization<num_groups=3>(x, s, b)
    y = SoftmaxCrossEntropyLoss<ignore_index=2>(g, labels, w) }"""
    weights = "float[3] s = {1,2,1}, float[3] b = {0,0.5,1}, float[3] w = {1,2,4}"
    text = f"(float[n,3,1,2] x, int64[n,1,2] labels) => (y) <{weights}> {{ {nodes}"
    labels = np.array([[[0, 2]], [[1, 0]]])
    x = np.concatenate([images(1, 2), images(1, 2) ** 2])
    agree(text, [[np.tile(x, (1, 3, 1, 1)), labels]])


def test_columns_of_a_data_dependent_number_of_channels() -> None:
    nodes = """i = NonZero(keep) r = ReduceSum<keepdims=0>(i, first)
    c = Gather<axis=1>(x, r) y = Col2Im(c, size, block) }"""
    sizes = "int64[1] first = {0}, int64[2] size = {1,2}, int64[2] block = {1,1}"
    text = f"(float[1,n,2] x, float[n] keep) => (y) <{sizes}> {{ {nodes}"
    agree(text, [[images(3, 2)[0], np.array([1, 0, 1], np.float32)]])


def test_ranks_determine_the_length_of_index_tuples() -> None:
    text = "(float[a,b] x, int64[n,d] i, float[n] u) => (y) { y = ScatterND(x, i, u) }"
    index = np.array([[0, 1], [1, 2]])
    agree(text, [[images(2, 3)[0, 0], index, np.array([7.0, 8.0], np.float32)]])


def test_an_unknown_number_of_axes_keeps_the_rank() -> None:
    text = "(float[a,b] x, int64[n] axes) => (y) { y = ReduceL2<keepdims=1>(x, axes) }"
    axes = ([1], [0, 1], [], [-2])
    agree(text, [[images(2, 3)[0, 0], np.array(each, np.int64)] for each in axes])


def test_four_axes_are_resized() -> None:
    nodes = 'y = Resize<mode="nearest", nearest_mode="floor">(x, "", "", sizes) }'
    text = f"(float[1,1,3,4] x) => (y) <int64[4] sizes = {{2,3,6,2}}> {{ {nodes}"
    agree(text.replace('""', ""), [[images(3, 4)]])


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("sizes", ["int64[2] sizes = {3, 4}", "int64[2] sizes"])
def test_sizes_that_keep_the_ratio_have_one_scale(policy: str, sizes: str) -> None:
    attributes = f'mode="linear", axes=[2, 3], keep_aspect_ratio_policy="{policy}"'
    is_stored = "=" in sizes
    stored, given = (f"<{sizes}>", "") if is_stored else ("", f", {sizes}")
    for image in ("1,1,6,5", "1,1,h,w"):
        text = (
            f"(float[{image}] x{given}) => (y) {stored} {{ y = Resize<{attributes}>(x,,,sizes) }}"
        )
        agree(text, [[images(6, 5), *([] if is_stored else [np.array([3, 4])])]])


@pytest.mark.parametrize("scales", ["float[4] scales = {1., 1., 0.5, 0.7}", "float[4] scales"])
def test_smooth_resizing_without_elements_outside_of_the_image(scales: str) -> None:
    attributes = 'mode="cubic", antialias=1, exclude_outside=1, cubic_coeff_a=-0.5'
    is_stored = "=" in scales
    stored, given = (f"<{scales}>", "") if is_stored else ("", f", {scales}")
    text = f"(float[1,1,8,6] x{given}) => (y) {stored} {{ y = Resize<{attributes}>(x,,scales) }}"
    agree(text, [[images(8, 6), *([] if is_stored else [np.array([1, 1, 0.5, 0.7], "f")])]])


@pytest.mark.parametrize("image", ["1,1,5,6", "1,1,h,w"])
def test_opset_10_rounds_according_to_the_scale(image: str) -> None:
    text = "{ y = Resize(x, scales) }"
    stored = "<float[4] scales = {1., 1., 0.6, 1.5}>"
    header = HEADER.replace("21", "10")
    agree(f"(float[{image}] x) => (y) {stored} {text}", [[images(5, 6)]], header)
    agree(f"(float[1,1,5,6] x, float[4] scales) => (y) {text}",
          [[images(5, 6), np.array([1, 1, 0.6, 1.5], "f")]], header)  # fmt: skip


def test_a_scale_that_varies_along_all_axes() -> None:
    nodes = "y, m = LayerNormalization<axis=3>(x, s, s) }"
    agree(
        f"(float[1,1,2,3] x, float[1,2,3] s) => (y, m) {{ {nodes}",
        [[images(2, 3), images(2, 3)[0]]],
    )


def test_transforms_of_real_or_complex_numbers() -> None:
    text = "(float[1,n,c] x) => (y) { y = DFT(x) }"
    agree(text, [[images(n, c)[0]] for n, c in ((5, 1), (3, 2))])


@pytest.mark.parametrize("attributes", ["is_causal=1", "is_causal=2, softcap: float = -2.0"])
def test_causal_attention_with_a_cache_of_dynamic_length(attributes: str) -> None:
    keys, cache = "float[b,1,s,4]", "float[b,1,p,4]"
    args = f"float[b,2,s,4] q, {keys} k, {keys} v, {cache} old, {cache} old_v"
    nodes = 'y, new, new_v = Attention<ATTRIBUTES>(q, k, v, "", old, old_v) }'
    text = f"({args}) => (y, new, new_v) {{ {nodes}".replace('""', "")
    text = text.replace("ATTRIBUTES", attributes)
    header = HEADER.replace("21", "23")

    def inputs(steps: int, past: int) -> list[NDArray[np.generic]]:
        parts = [images(steps, 4) for _ in range(2)] + [images(past, 4) for _ in range(2)]
        return [np.concatenate([images(steps, 4)] * 2, 1), *parts]

    agree(text, [inputs(1, 3), inputs(3, 2)], header)


def test_a_cache_of_dynamic_length_is_written() -> None:
    args = "float[b,1,p,4] cache, float[b,1,s,4] new, int64[b] at"
    text = f'({args}) => (y) {{ y = TensorScatter<axis=2, mode="circular">(cache, new, at) }}'
    model = onnx.parser.parse_model(HEADER.replace("21", "24") + text)
    compiled = relay.compile(relay.load(model), threads=1)
    cache, new = images(5, 4), images(2, 4)
    expected = cache.copy()
    expected[:, :, [4, 0]] = new
    np.testing.assert_array_equal(compiled(cache, new, np.array([4])), expected)


BYTES = np.random.default_rng(0).integers(0, 256, (2, 5, 4)).astype(np.uint8)


def test_products_of_bytes_with_batches_of_unknown_size() -> None:
    nodes = """{
        t = Slice(x, first, n, axis)
        y = MatMulInteger(t, w, p)
        z = QLinearMatMul(t, s, p, w, s, o, s, p)
    }"""
    stored = (
        "int64[1] first = {0}, int64[1] axis = {1}, float s = {0.5}, uint8 p = {3}, int8 o = {0}"
    )
    weight = "int8[4,3] w = {1,-2,3,4,5,6,-7,8,9,10,11,-12}"
    text = f"(uint8[b,s,4] x, int64[1] n) => (y, z) <{stored}, {weight}> {nodes}"
    agree(text, [[BYTES, np.array([n])] for n in (3, 5)])


def test_products_of_bytes_with_batches_that_broadcast() -> None:
    text = (
        "(uint8[a,1,m,4] x, uint8[b,4,n] y) => (z) <uint8 p = {3}> { z = MatMulInteger(x, y, p) }"
    )
    agree(text, [[BYTES[:, None], BYTES.reshape(b, 4, -1)] for b in (2, 1)])


def test_the_shape_of_an_input_fixes_named_sizes_of_others() -> None:
    text = '<ir_version: 9, opset_import: ["" : 21]> g (float[n, 2] x, float[n, m] y, float[m] z)'
    model = onnx.parser.parse_model(text + " => (r) { r = MatMul(y, z) }")

    def sizes(**shapes: Sequence[Any]) -> list[Any]:
        return [param.tensor_type.shape for param in relay.load(model, shapes=shapes).main.params]

    n, m = relay.DimVar("n"), relay.DimVar("m")
    assert sizes(x=(3, 2)) == [(3, 2), (3, m), (m,)]
    assert sizes(y=(n, 4)) == [(n, 2), (n, 4), (4,)]
    assert sizes(x=(3, 2), y=(4, 5)) == [(3, 2), (4, 5), (5,)]  # as given
